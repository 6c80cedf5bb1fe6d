//! All nodes of a machine and their host in one circuit, with the core that they share.

use super::host_port::{ARRIVAL_BITS, CAME_BITS, TOLD_BITS};
use super::layout::{
    data, queues, ring, ring_places, words, DATA_WORDS, FIRST_BITS, HOST_MEMORY, PROGRAM_WORDS,
    QUEUE_WORDS, WORD_BITS,
};
use super::{HostPort, SharedMemory, WiresInTurns, OFFSET_BITS};
use crate::rtl::core::SoftCore;
use crate::rtl::tdma::{
    phases, EnginePlan, FrameOutcome, NodePeripheral, NodeService, PhaseClock, ToHost, COUNT_BITS,
    DIVIDER_BITS, PHASE_BITS, SLOT_BITS,
};
use crate::rtl::CLOCKS_PER_BIT;
use hdl::cells::{in_turns, Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// One core for all nodes of a cube or metacube and their host, and one circuit for what each
/// node has beside it: a [`NodePeripheral`] made [`in_turns`], one turn for each node, with
/// their wires; the phase clock, and a core that does one instruction of one of its contexts
/// at a turn.
///
/// What a node's links and registers mean stands at [`Node`](crate::rtl::tdma::Node). A
/// clock cycle of a node is `NODES` of the circuit, one for each node in ascending order, and
/// all that is said of the clock cycles of a node holds for these. When the core wants
/// something of a node it waits for the node's turn.
///
/// `NODES` is `2^BITS`, `CONTEXT_BITS` is `BITS + 1`, `CORE_BITS` five more; `ADDRESS` are the
/// bits of an address in the message memory of a node; `MORE` and `MORE_BITS` are those of
/// [`SharedMemory`], as the layout wants them ([`layout`](super::layout)).
///
/// A node sees its program at 0 (2 KB, one program for all), 128 bytes of data at
/// 0x1000_0000, the queue of its messages at 0x1000_1000 and its registers at
/// 0x4000_0000; the host sees the whole memory,
/// its own 4 KB first, and at 0x4000_0000 its [`HostPort`]. A word of memory takes
/// two clock cycles of the circuit, and the clock cycles of a phase that a program can read
/// are those of the circuit. The nodes are always in step: phase clock and nodes are in
/// one clock domain, so none slips.
#[derive(LogicBlock, Circuit, Default)]
pub struct SharedNodes<
    const LINKS: usize,
    const BITS: usize,
    const NODES: usize,
    const REGISTERS: usize,
    const CONTEXT_BITS: usize,
    const CORE_BITS: usize,
    const ADDRESS: usize,
    const MORE: usize,
    const MORE_BITS: usize,
    const FIRST: usize = FIRST_BITS,
    const WORD: usize = WORD_BITS,
    const DIVIDER: usize = DIVIDER_BITS,
    const ARRIVAL: usize = ARRIVAL_BITS,
    const CAME: usize = CAME_BITS,
    const TOLD: usize = TOLD_BITS,
> {
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
    pub device_node: Signal<Out, Bits<BITS>>,
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
    /// From here on what only a simulation looks at.
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// The node whose turn it is; all that follows is of this one.
    pub turn: Signal<Out, Bits<BITS>>,
    /// The phase under way, as far as the node knows.
    pub node_phase: Signal<Out, Bits<PHASE_BITS>>,
    /// The node is out of step.
    pub muted: Signal<Out, Bit>,
    pub outcome: FrameOutcome,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// The node takes a message of the host: this byte of it is next,
    pub host_index: Signal<Out, Bits<8>>,
    /// and now it has the whole.
    pub host_taken: Signal<Out, Bit>,
    pub out: ToHost,
    /// The register that it was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Both ends hold the wire at once.
    pub clash: Signal<Out, Bits<LINKS>>,
    divider: Parameter<Bits<DIVIDER>>,
    phases: PhaseClock<LINKS, DIVIDER>,
    nodes: NodePeripheral<LINKS, BITS, REGISTERS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>,
    wires: WiresInTurns<LINKS, BITS, NODES>,
    core: SoftCore<CONTEXT_BITS, CORE_BITS>,
    service: NodeService<LINKS, BITS, REGISTERS, OFFSET_BITS, ADDRESS>,
    host: HostPort<NODES, BITS, ARRIVAL, CAME, TOLD>,
    memory: SharedMemory<MORE, MORE_BITS, FIRST, WORD>,
    superframe: Reg<Bits<COUNT_BITS>>,
    turn_count: Reg<Bits<BITS>>,
    /// The schedule is to go on: seen by the phase clock only when a round of turns begins,
    /// so that a phase begins with a round, too.
    goes_on: Reg<Bit>,
    /// The word of the memory is there.
    fetched: Reg<Bit>,
    stopped: Reg<Bit>,
    /// Since the host's last turn no node has done an instruction.
    quiet: Reg<Bit>,
    /// Nodes that have something to decide, from the one whose turn it is on.
    awake: Reg<Bits<NODES>>,
    place: Signal<Local, Bits<WORD>>,
    strobe: Signal<Local, Bits<4>>,
    data: Signal<Local, Bits<32>>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const NODES: usize,
        const REGISTERS: usize,
        const CONTEXT_BITS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const DIVIDER: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const TOLD: usize,
    >
    SharedNodes<
        LINKS,
        BITS,
        NODES,
        REGISTERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        TOLD,
    >
{
    /// `divider` is that of the phase clock: half a phase is a multiple of `NODES` clock
    /// cycles. `plan` is that of [`Node::new`](crate::rtl::tdma::Node::new), in clock cycles of
    /// a node. `memory` are the words that it
    /// begins with, as [`BoardMemory`](crate::program::BoardMemory) has them.
    ///
    /// # Panics
    /// If there are more than 2,048; if a phase is another number of clock cycles; if one of the
    /// sizes is not as said above.
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        assert_eq!(NODES, 1 << BITS, "nodes");
        assert_eq!(CONTEXT_BITS, BITS + 1, "the host's context, too");
        assert_eq!(
            2 * (divider + 1),
            NODES as u64 * plan.phase.phase,
            "clock cycles of a phase"
        );
        assert_eq!(plan.phase.phase % 2, 0, "a phase has two halves");
        let more = if MORE == 0 { 0 } else { 1 << MORE_BITS };
        assert!(words(BITS) <= (1 << FIRST) + more, "words of memory");
        assert_eq!(ring_places(BITS), 1 << ARRIVAL, "places of the ring");
        assert_eq!(CAME, ARRIVAL + 1, "messages that came");
        assert!(NODES < 1 << TOLD, "a number of nodes");
        assert!(divider < 1 << DIVIDER, "clock cycles of half a phase");
        SharedNodes {
            divider: Parameter::new(divider.into()),
            nodes: in_turns(NODES, || NodePeripheral::new(plan)),
            service: NodeService::new(plan),
            host: HostPort::new(),
            memory: SharedMemory::new(memory),
            ..Default::default()
        }
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const NODES: usize,
        const REGISTERS: usize,
        const CONTEXT_BITS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const DIVIDER: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const TOLD: usize,
    > Logic
    for SharedNodes<
        LINKS,
        BITS,
        NODES,
        REGISTERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        TOLD,
    >
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases, nodes, wires, core, service, host, memory);
        dff_setup!(self, clock, superframe, turn_count, goes_on, fetched, stopped, quiet, awake);
        let turn = self.turn_count.q.val();
        let first = turn == 0;
        let last = turn.all();
        self.turn_count.d.next = turn + 1;
        let begin = self.nodes.begin.val();
        let phase = self.nodes.phase.val();
        let current = self.core.current.val();
        let is_host = current == NODES as u64;
        let node = bit_cast::<BITS, CONTEXT_BITS>(current);
        let serves = (node == turn) & !is_host;
        if begin & first & (phase == 0) {
            self.superframe.d.next = self.superframe.q.val() + 1;
        }
        // The schedule ends with a superframe, so that no node falls out of step.
        let under_way = self.phases.sync.val() | self.phases.phase.val().any();
        if turn == (NODES - 2) as u64 {
            self.goes_on.d.next = self.host.run.val()
                | (under_way & (self.phases.phase.val() != (phases(LINKS) - 1) as u64));
        }
        self.phases.enable.next = self.goes_on.q.val();
        self.phases.divider.next = self.divider.val();
        link!(self, phases, phase_clock);

        // The core and what it reaches.
        let request = self.core.request.val();
        let bus = self.core.address.val();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let fetched = self.fetched.q.val();
        // When all nodes sleep the host goes on alone until there is something to decide.
        let retired = self.core.retired.val();
        if is_host & (retired | self.core.asleep.val()) {
            self.quiet.d.next = true;
        } else if retired & !is_host {
            self.quiet.d.next = false;
        }
        let nodes_sleep = self.quiet.q.val() & is_host & !self.awake.q.val().any();
        self.core.context.next = if nodes_sleep {
            bits::<CONTEXT_BITS>(NODES as u64)
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
        // What a node has decided is seen here when its next turn is over, before which the
        // core is not back at it: all other contexts have had a clock cycle.
        let place_of_node = node - turn;
        self.core.wake.next = if is_host {
            self.host.wake.val()
        } else {
            self.awake.q.val().get_bit(place_of_node.index())
        };
        self.awake.d.next =
            (self.awake.q.val() >> 1).replace_bit(NODES - 1, !self.nodes.decided.val());

        self.device_request.next = request & to_device;
        self.device_node.next = node;
        self.device_offset.next = bit_cast::<7, 32>(bus);
        self.device_write.next = self.core.write_strobe.val().any();
        self.device_write_data.next = self.core.write_data.val();

        // The memory: while a node's registers are accessed its messages come from the
        // queue, and go to the ring.
        let index = self.service.host.index.val();
        let wanted = self.service.host_wanted.val();
        let quarter = bit_cast::<WORD, 8>(index >> 2) & 3;
        let word = bit_cast::<WORD, 32>(bus >> 2);
        let node_word = bit_cast::<WORD, BITS>(node) << 5;
        let queue = node_word | queues(BITS);
        if to_port {
            self.place.next = if wanted {
                (queue | (bit_cast::<WORD, 3>(self.host.place.val()) << 2)) | quarter
            } else {
                ((bit_cast::<WORD, ARRIVAL>(self.host.arrival.val()) << 2) | ring(BITS)) | quarter
            };
        } else if is_host {
            self.place.next = word ^ HOST_MEMORY;
            for i in WORD_BITS..WORD {
                if word.get_bit(i) {
                    self.place.next = word;
                }
            }
        } else if to_data & bus.get_bit(12) {
            self.place.next = queue | (word & (QUEUE_WORDS - 1));
        } else if to_data {
            self.place.next = (node_word | data(BITS)) | (word & (DATA_WORDS - 1));
        } else {
            self.place.next = word & (PROGRAM_WORDS - 1);
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
                    | (bit_cast::<32, 2>(self.service.out.reason.val().into()) << 6)
                    | bit_cast::<32, BITS>(node);
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

        // The host.
        self.host.request.next = request & to_port & !to_device & is_host;
        self.host.offset.next = bit_cast::<7, 32>(bus);
        self.host.write.next = self.core.write_strobe.val().any();
        join!(self, core, host, write_data);
        link!(self, host, rx, tx);
        self.host.begin.next = begin;
        self.host.first.next = first;
        self.host.last.next = last;
        join!(self, nodes, host, outcome, late);
        self.host.phase.next = phase;
        self.host.superframe.next = self.superframe.q.val();
        self.host.halted.next = self.stopped.q.val();
        self.host.under_way.next = under_way;
        self.host.node.next = node;
        self.host.taken.next = self.service.host.taken.val();
        self.host.arrived.next = self.service.out.last.val() & self.service.out.valid.val();
        self.led.next = (bit_cast::<8, 2>(self.host.lights.val()) << 1)
            .replace_bit(0, self.superframe.q.val().get_bit(6));

        // The node that the core does an instruction of. Between two of its turns a byte of
        // the queue has come from the memory.
        self.service.turn.next = serves;
        self.service.request.next = request & to_port & !to_device & !is_host;
        self.service.data.next = false;
        self.service.byte_read.next = 0.into();
        self.service.offset.next = bit_cast::<7, 32>(bus);
        join!(self, core, service, write_strobe, write_data);
        self.service.begin.next = begin & first;
        self.service.phase.next = phase;
        join!(self, nodes, service, dim, select, transmit, pending, down, outcome);
        join!(self, nodes, service, open, decided, selected, at, full, injected);
        join!(self, nodes, service, message_byte);
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
        self.service.host_ready.next = true;
        self.service.host_room.next = self.host.room.val();

        // The node whose turn it is, and its wires.
        join!(self, phases, nodes, phase_clock, sync);
        self.nodes.address.next = turn;
        self.nodes.hang.next = false;
        self.nodes.serve.next = serves;
        join!(self, service, nodes, commands);
        self.wires.node.next = turn;
        self.wires.pull.next = self.nodes.wires.pull.val();
        self.wires.holds.next = self.nodes.wires.holds.val();
        self.nodes.wires.level.next = self.wires.level.val();

        self.turn.next = turn;
        self.node_phase.next = phase;
        link!(self, nodes, muted, decided);
        link!(self.outcome, nodes, sent, sent_slot, received, late);
        self.host_index.next = if serves & wanted { index } else { 0.into() };
        self.host_taken.next = self.service.host.taken.val();
        self.out.valid.next = self.service.out.valid.val();
        self.out.data.next = byte;
        self.out.last.next = serves & self.service.out.last.val();
        self.out.reason.next = self.service.out.reason.val();
        link!(self, service, out_slot);
        link!(self, wires, clash);
    }
}
