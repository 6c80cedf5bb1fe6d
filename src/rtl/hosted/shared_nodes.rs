//! Eight nodes and their host in one circuit, with the core that they share.

use super::{HostPort, SharedMemory, NODES, WORD_BITS};
use super::{ADDRESS, CONTEXT_BITS, DIMS, HOST, OFFSET_BITS, REGISTER_BITS};
use super::{HOST_MEMORY, NODE_DATA, QUEUES, RING};
use crate::rtl::core::SoftCore;
use crate::rtl::ends::neighbour;
use crate::rtl::tdma::{
    phases, EnginePlan, FrameOutcome, NodePeripheral, NodeService, PhaseClock, ToHost, COUNT_BITS,
    DIVIDER_BITS, PHASE_BITS, SLOT_BITS,
};
use crate::rtl::CLOCKS_PER_BIT;
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

type Peripheral<const LINKS: usize, const REGISTERS: usize> =
    NodePeripheral<LINKS, DIMS, REGISTERS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>;

/// One core for all nodes of the 3-cube or of MC(1,1) and their host: eight
/// [`NodePeripheral`]s, their wires, the phase clock, and a core that does one
/// instruction of one of nine contexts at a turn.
///
/// What a node's links and registers mean stands at [`Node`](crate::rtl::tdma::Node).
///
/// A node sees its program at 0 (2 KB, one program for all), 128 bytes of data at
/// 0x1000_0000, the queue of its messages at 0x1000_1000 and its registers at
/// 0x4000_0000; the host sees the whole memory,
/// its own 4 KB first, and at 0x4000_0000 its [`HostPort`]. A word of memory takes
/// two clock cycles. The nodes are always in step: phase clock and nodes are in
/// one clock domain, so what all see alike is taken from node 0, and none slips.
#[derive(LogicBlock, Circuit, Default)]
pub struct SharedNodes<const LINKS: usize, const REGISTERS: usize> {
    pub clock: Signal<In, Clock>,
    /// The line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// The line to the PC.
    pub tx: Signal<Out, Bit>,
    /// Lights: the schedule runs, an error, a run is over.
    pub led: Signal<Out, Bits<8>>,
    /// A device beside the nodes, from offset 0x80 of their registers on: the core
    /// wants one of its registers, until `device_ready`,
    pub device_request: Signal<Out, Bit>,
    /// for this node
    pub device_node: Signal<Out, Bits<DIMS>>,
    /// (for the host as for node 0), at this offset in bytes;
    pub device_offset: Signal<Out, Bits<7>>,
    /// it writes
    pub device_write: Signal<Out, Bit>,
    /// this.
    pub device_write_data: Signal<Out, Bits<32>>,
    /// The access is done in this clock cycle,
    pub device_ready: Signal<In, Bit>,
    /// and this was read.
    pub device_read_data: Signal<In, Bits<32>>,
    /// From here on what only a simulation looks at; lists are by node.
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// The phase under way, as far as the node knows.
    pub node_phase: [Signal<Out, Bits<PHASE_BITS>>; NODES],
    /// The node is out of step.
    pub muted: [Signal<Out, Bit>; NODES],
    pub outcome: [FrameOutcome; NODES],
    /// The software has decided what the node sends in this phase.
    pub decided: [Signal<Out, Bit>; NODES],
    /// The node takes a message of the host: this byte of it is next,
    pub host_index: [Signal<Out, Bits<8>>; NODES],
    /// and now it has the whole.
    pub host_taken: [Signal<Out, Bit>; NODES],
    pub out: [ToHost; NODES],
    /// The register that it was in.
    pub out_slot: [Signal<Out, Bits<SLOT_BITS>>; NODES],
    /// Both ends hold the wire at once.
    pub clash: [Signal<Out, Bits<LINKS>>; NODES],
    divider: Parameter<Bits<DIVIDER_BITS>>,
    phases: PhaseClock<LINKS>,
    nodes: [Peripheral<LINKS, REGISTERS>; NODES],
    core: SoftCore<CONTEXT_BITS, REGISTER_BITS>,
    service: NodeService<LINKS, DIMS, REGISTERS, OFFSET_BITS, ADDRESS>,
    host: HostPort,
    memory: SharedMemory,
    superframe: Reg<Bits<COUNT_BITS>>,
    /// The word of the memory is there.
    fetched: Reg<Bit>,
    /// The byte of the queue is there.
    primed: Reg<Bit>,
    stopped: Reg<Bit>,
    /// Since the host's last turn no node has done an instruction, and no phase has
    /// begun.
    quiet: Reg<Bit>,
    /// The wires of a node that are low: one end or the other pulls.
    pulls: [Signal<Local, Bits<LINKS>>; NODES],
    others: [Signal<Local, Bits<LINKS>>; NODES],
    outcomes: Signal<Local, Bits<16>>,
    lateness: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<WORD_BITS>>,
    strobe: Signal<Local, Bits<4>>,
    data: Signal<Local, Bits<32>>,
    decided_now: Signal<Local, Bit>,
}

impl<const LINKS: usize, const REGISTERS: usize> SharedNodes<LINKS, REGISTERS> {
    /// `divider` is that of the phase clock; `plan` is that of
    /// [`Node::new`](crate::rtl::tdma::Node::new). `memory` are the words that it
    /// begins with, as [`BoardMemory`](crate::program::BoardMemory) has them.
    ///
    /// # Panics
    /// If there are more than 2,048.
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        SharedNodes {
            divider: Parameter::new(divider.into()),
            nodes: std::array::from_fn(|_| Peripheral::new(plan)),
            service: NodeService::new(plan),
            host: HostPort::new(),
            memory: SharedMemory::new(memory),
            ..Default::default()
        }
    }
}

impl<const LINKS: usize, const REGISTERS: usize> Logic for SharedNodes<LINKS, REGISTERS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases, core, service, host, memory);
        dff_setup!(self, clock, superframe, fetched, primed, stopped, quiet);
        let begin = self.nodes[0].begin.val();
        let phase = self.nodes[0].phase.val();
        let current = self.core.current.val();
        let is_host = current == HOST;
        let node = bit_cast::<DIMS, CONTEXT_BITS>(current);
        if begin & (phase == 0) {
            self.superframe.d.next = self.superframe.q.val() + 1;
        }
        // The schedule ends with a superframe, so that no node falls out of step.
        let under_way = self.phases.sync.val() | self.phases.phase.val().any();
        self.phases.enable.next = self.host.run.val()
            | (under_way & (self.phases.phase.val() != (phases(LINKS) - 1) as u64));
        self.phases.divider.next = self.divider.val();
        link!(self, phases, phase_clock);

        // The core and what it reaches.
        let request = self.core.request.val();
        let bus = self.core.address.val();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let fetched = self.fetched.q.val();
        // When all nodes have slept in a round, the host goes on alone until a phase
        // begins for them.
        let retired = self.core.retired.val();
        if is_host & (retired | self.core.asleep.val()) {
            self.quiet.d.next = true;
        } else if (retired & !is_host) | begin {
            self.quiet.d.next = false;
        }
        let nodes_sleep = self.quiet.q.val() & is_host & !begin;
        self.core.context.next = if nodes_sleep {
            bits::<CONTEXT_BITS>(HOST)
        } else if is_host {
            bits::<CONTEXT_BITS>(0)
        } else {
            current + 1
        };
        self.core.reset.next = false;
        self.core.go.next = true;
        let to_device = to_port & bus.get_bit(7);
        let device_ready = self.device_ready.val();
        self.core.ready.next =
            fetched | device_ready | self.service.ready.val() | self.host.ready.val();
        self.core.read_data.next = if fetched {
            self.memory.read_data.val()
        } else if device_ready {
            self.device_read_data.val()
        } else if is_host {
            self.host.read_data.val()
        } else {
            self.service.read_data.val()
        };
        self.fetched.d.next = request & !to_port & !fetched;
        if self.core.halted.val() {
            self.stopped.d.next = true;
        }

        self.device_request.next = request & to_device;
        self.device_node.next = node;
        self.device_offset.next = bit_cast::<7, 32>(bus);
        self.device_write.next = self.core.write_strobe.val().any();
        self.device_write_data.next = self.core.write_data.val();

        // The memory: while a node's registers are accessed its messages come from the
        // queue, and go to the ring.
        let index = self.service.host.index.val();
        let wanted = self.service.host_wanted.val();
        let quarter = bit_cast::<WORD_BITS, 8>(index >> 2) & 3;
        let word = bit_cast::<WORD_BITS, 32>(bus >> 2);
        let node_word = bit_cast::<WORD_BITS, DIMS>(node);
        let queue = (node_word << 5) | QUEUES;
        if to_port {
            self.place.next = if wanted {
                (queue | (bit_cast::<WORD_BITS, 3>(self.host.place.val()) << 2)) | quarter
            } else {
                ((bit_cast::<WORD_BITS, 4>(self.host.arrival.val()) << 2) | RING) | quarter
            };
        } else if is_host {
            self.place.next = word ^ HOST_MEMORY;
        } else if to_data & bus.get_bit(12) {
            self.place.next = queue | (word & 0x1F);
        } else if to_data {
            self.place.next = ((node_word << 5) | NODE_DATA) | (word & 0x1F);
        } else {
            self.place.next = word & 0x1FF;
        }
        let begun = self.service.out_begun.val();
        let byte = self.service.out.data.val();
        self.strobe.next = 0.into();
        self.data.next = self.core.write_data.val();
        if to_port {
            // After the message come node, reason and time, in its last word.
            if begun {
                self.place.next = self.place.val() | 3;
                self.strobe.next = 15.into();
                self.data.next = (bit_cast::<32, COUNT_BITS>(self.superframe.q.val()) << 16)
                    | (bit_cast::<32, PHASE_BITS>(phase) << 8)
                    | (bit_cast::<32, 2>(self.service.out.reason.val().into()) << 4)
                    | bit_cast::<32, DIMS>(node);
            } else {
                let bytes = bit_cast::<32, 8>(byte);
                self.data.next = bytes | (bytes << 8) | (bytes << 16) | (bytes << 24);
                for i in 0..4 {
                    let lane = self.service.out.valid.val() & ((index & 3) == i as u64);
                    self.strobe.next = self.strobe.val().replace_bit(i, lane);
                }
            }
        } else if request & !fetched & (is_host | to_data) {
            self.strobe.next = self.core.write_strobe.val();
        }
        self.memory.address.next = self.place.val();
        self.memory.write_data.next = self.data.val();
        self.memory.write_strobe.next = self.strobe.val();
        self.primed.d.next = wanted & !self.primed.q.val();

        // The host.
        self.host.request.next = request & to_port & !to_device & is_host;
        self.host.offset.next = bit_cast::<7, 32>(bus);
        self.host.write.next = self.core.write_strobe.val().any();
        join!(self, core, host, write_data);
        link!(self, host, rx, tx);
        self.host.begin.next = begin;
        self.host.phase.next = phase;
        self.host.superframe.next = self.superframe.q.val();
        self.host.halted.next = self.stopped.q.val();
        self.host.under_way.next = under_way;
        self.host.node.next = node;
        self.host.taken.next = self.service.host.taken.val();
        self.host.arrived.next = self.service.out.last.val() & self.service.out.valid.val();
        self.led.next = (bit_cast::<8, 2>(self.host.lights.val()) << 1)
            .replace_bit(0, self.superframe.q.val().get_bit(6));

        // The node whose turn it is.
        self.service.request.next = request & to_port & !to_device & !is_host;
        self.service.data.next = false;
        self.service.byte_read.next = 0.into();
        self.service.offset.next = bit_cast::<7, 32>(bus);
        join!(self, core, service, write_strobe, write_data);
        self.service.begin.next = begin;
        self.service.phase.next = phase;
        join!(self, nodes[0], service, dim, select);
        self.service.slips.next = 0.into();
        self.service.superframe.next = self.superframe.q.val();
        self.service.address.next = node;
        self.service.host.valid.next = self.host.valid.val();
        self.service.host.data.next = 0.into();
        for i in 0..4 {
            if (index & 3) == i as u64 {
                self.service.host.data.next = self.memory.read_data.val().get_bits::<8>(8 * i);
            }
        }
        self.service.host_ready.next = self.primed.q.val();
        self.service.host_room.next = self.host.room.val();
        self.service.transmit.next = false;
        self.service.pending.next = false;
        self.service.down.next = false;
        self.service.outcome.next = 0.into();
        self.service.open.next = false;
        self.service.selected.next = 0.into();
        self.service.at.next = 0.into();
        self.service.full.next = 0.into();
        self.service.injected.next = false;
        self.service.message_byte.next = 0.into();
        self.decided_now.next = true;
        for i in 0..NODES {
            let turn = current == i as u64;
            if turn {
                join!(self, nodes[i], service, transmit, pending, down, outcome);
                join!(self, nodes[i], service, open, selected, at, full, injected);
                join!(self, nodes[i], service, message_byte);
                self.decided_now.next = self.nodes[i].decided.val();
            }
            self.nodes[i].serve.next = turn;
            join!(self, service, nodes[i], commands);
        }
        self.service.decided.next = self.decided_now.val();
        self.core.wake.next = if is_host {
            self.host.wake.val()
        } else {
            !self.decided_now.val()
        };

        // The nodes and their wires.
        self.outcomes.next = 0.into();
        self.lateness.next = 0.into();
        for i in 0..NODES {
            self.pulls[i].next = self.nodes[i].wires.pull.val();
            self.others[i].next = 0.into();
            for link in 0..LINKS {
                let other = neighbour(LINKS, DIMS, i, link);
                let pulled = self.pulls[i].val().get_bit(link)
                    | self.nodes[other].wires.pull.val().get_bit(link);
                self.pulls[i].next = self.pulls[i].val().replace_bit(link, pulled);
                self.others[i].next = self.others[i]
                    .val()
                    .replace_bit(link, self.nodes[other].wires.holds.val().get_bit(link));
            }
            clock!(self, clock, nodes[i]);
            join!(self, phases, nodes[i], phase_clock, sync);
            self.nodes[i].address.next = bits::<DIMS>(i as u64);
            self.nodes[i].wires.level.next = !self.pulls[i].val();
            self.nodes[i].hang.next = false;
            self.outcomes.next = self.outcomes.val()
                | (bit_cast::<16, 2>(self.nodes[i].outcome.val()) << (2 * i as u64));
            self.lateness.next = self.lateness.val().replace_bit(i, self.nodes[i].late.val());

            self.node_phase[i].next = self.nodes[i].phase.val();
            link!(self, nodes[i], muted[i], decided[i]);
            link!(self.outcome[i], nodes[i], sent, sent_slot, received, late);
            self.clash[i].next = self.nodes[i].wires.holds.val() & self.others[i].val();
            let turn = current == i as u64;
            self.host_index[i].next = if turn & wanted { index } else { 0.into() };
            self.host_taken[i].next = turn & self.service.host.taken.val();
            self.out[i].valid.next = turn & self.service.out.valid.val();
            self.out[i].data.next = byte;
            self.out[i].last.next = turn & self.service.out.last.val();
            self.out[i].reason.next = self.service.out.reason.val();
            link!(self, service, out_slot[i]);
        }
        self.host.sent.next = self.outcomes.val();
        self.host.late.next = self.lateness.val();
    }
}
