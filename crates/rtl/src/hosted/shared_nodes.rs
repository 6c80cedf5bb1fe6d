//! All nodes of a machine and their host in one circuit, with the core that they share.

use super::host_port::{ARRIVAL_BITS, CAME_BITS, TOLD_BITS};
use super::layout::{ring_places, words, FIRST_BITS, ROOM_BITS, WORD_BITS};
#[cfg(doc)]
use super::SharedMemory;
use super::{
    ContextChoice, HostPort, SharedAccess, SharedBus, Supervisor, Turns, WiresInTurns, OFFSET_BITS,
};
use crate::core::SoftCore;
use crate::tdma::{
    EnginePlan, FrameOutcome, NodePeripheral, NodeService, ToHost, DIVIDER_BITS, PHASE_BITS,
    SLOT_BITS,
};
use crate::CLOCKS_PER_BIT;
use hdl::cells::in_turns;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// One core for all nodes of a cube or metacube and their host, and one circuit for what each
/// node has beside it: a [`NodePeripheral`] made [`in_turns`], one turn for each node, with
/// their wires; the phase clock, and a core that does one instruction of one of its contexts
/// at a turn.
///
/// What a node's links and registers mean stands at [`Node`](crate::tdma::Node). A
/// clock cycle of a node is `NODES` of the circuit, one for each node in ascending order, and
/// all that is said of the clock cycles of a node holds for these. When the core wants
/// something of a node it waits for the node's turn.
///
/// `NODES` is `2^BITS`, `CONTEXT_BITS` is `BITS + 1`, `CORE_BITS` five more; `ADDRESS` are the
/// bits of an address in the message memory of a node; `MORE` and `MORE_BITS` are those of
/// [`SharedMemory`], as the layout wants them ([`layout`](super::layout)).
///
/// A node sees its program at 0 (2 KB, one program for all), `2^ROOM` words of data at
/// 0x1000_0000, the queue of its messages at 0x1000_1000 and its registers at
/// 0x4000_0000; the host sees the whole memory,
/// its own 4 KB first, and at 0x4000_0000 its [`HostPort`]. A word of memory takes
/// two clock cycles of the circuit, and the clock cycles of a phase that a program can read
/// are those of the circuit. `2^LINE - 1` bytes from the PC wait for the host. The nodes are
/// always in step: phase clock and nodes are in
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
    const ROOM: usize = ROOM_BITS,
    const LINE: usize = 1,
> {
    pub clock: Signal<In, Clock>,
    /// The line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// The line to the PC.
    pub tx: Signal<Out, Bit>,
    /// Lights: the schedule runs, an error, a run is over.
    pub led: Signal<Out, Bits<8>>,
    /// A device beside the nodes, from offset 0x80 of their registers on: the core wants one of its
    /// registers, until `device_ready`.
    pub device_request: Signal<Out, Bit>,
    /// The node whose program wants the register; 0 if it is the host's.
    pub device_node: Signal<Out, Bits<BITS>>,
    /// The offset of the register of the device, in bytes.
    pub device_offset: Signal<Out, Bits<7>>,
    /// The core writes to the device.
    pub device_write: Signal<Out, Bit>,
    /// What it writes there.
    pub device_write_data: Signal<Out, Bits<32>>,
    /// The access to the device is done in this clock cycle.
    pub device_ready: Signal<In, Bit>,
    /// What was read from the device, while `device_ready`.
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
    /// The node takes a message of the host: the number of the byte that is next.
    pub host_index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the node has the whole message of the host.
    pub host_taken: Signal<Out, Bit>,
    pub out: ToHost,
    /// The register that it was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Both ends hold the wire at once.
    pub clash: Signal<Out, Bits<LINKS>>,
    turns: Turns<LINKS, BITS, NODES, DIVIDER>,
    nodes: NodePeripheral<LINKS, BITS, REGISTERS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>,
    wires: WiresInTurns<LINKS, BITS, NODES>,
    core: SoftCore<CONTEXT_BITS, CORE_BITS>,
    contexts: ContextChoice<BITS, NODES, CONTEXT_BITS>,
    bus: SharedBus,
    service: NodeService<LINKS, BITS, REGISTERS, OFFSET_BITS, ADDRESS>,
    host: HostPort<NODES, BITS, ARRIVAL, CAME, TOLD, LINE>,
    memory: SharedAccess<BITS, ARRIVAL, MORE, MORE_BITS, FIRST, WORD, ROOM>,
    supervisor: Supervisor<BITS, ADDRESS>,
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
        const ROOM: usize,
        const LINE: usize,
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
        ROOM,
        LINE,
    >
{
    /// `divider` is that of the phase clock: half a phase is a multiple of `NODES` clock
    /// cycles. `plan` is that of [`Node::new`](crate::tdma::Node::new), in clock cycles of
    /// a node. `memory` are the words that it
    /// begins with, as `phasecube::program::BoardMemory` has them.
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
        assert!(words(BITS, ROOM) <= (1 << FIRST) + more, "words of memory");
        assert_eq!(ring_places(BITS), 1 << ARRIVAL, "places of the ring");
        assert_eq!(CAME, ARRIVAL + 1, "messages that came");
        assert!(NODES < 1 << TOLD, "a number of nodes");
        SharedNodes {
            turns: Turns::new(divider),
            nodes: in_turns(NODES, || NodePeripheral::new(plan)),
            service: NodeService::new(plan),
            host: HostPort::new(),
            memory: SharedAccess::new(memory),
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
        const ROOM: usize,
        const LINE: usize,
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
        ROOM,
        LINE,
    >
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, turns, nodes, wires, core, contexts, service, host, memory);
        clock!(self, clock, supervisor);
        let turn = self.turns.turn.val();
        let first = self.turns.first.val();
        let superframe = self.turns.superframe.val();
        let begin = self.nodes.begin.val();
        let phase = self.nodes.shown.phase.val();
        let is_host = self.contexts.is_host.val();
        let node = self.contexts.node.val();
        let serves = (node == turn) & !is_host;
        join!(self, nodes, turns, begin);
        self.turns.phase.next = phase;
        join!(self, host, turns, run);
        link!(self, turns, turn, phase_clock);

        // The core and what it reaches.
        join!(self, core, bus, request, address, write_strobe);
        join!(self, bus, core, ready, read_data);
        join!(self, contexts, bus, is_host);
        join!(self, memory, bus, fetched => memory_ready, read_data => memory_data);
        join!(self, host, bus, ready => host_ready, read_data => host_data);
        join!(self, service, bus, ready => node_ready, read_data => node_data);
        join!(self, contexts, core, context, wake);
        self.core.go.next = true;
        join!(self, core, contexts, current, retired, asleep);
        join!(self, turns, contexts, turn);
        self.contexts.node_wake.next = self.nodes.shown.wake.val();
        join!(self, host, contexts, wake => host_wake);

        // What the host sees of programs, and how all nodes begin again.
        join!(self, host, supervisor, restart, watched, looks);
        join!(self, contexts, supervisor, is_host, node);
        join!(self, core, supervisor, request, program_counter, cause);
        join!(self, core, supervisor, retired, asleep, halted);
        join!(self, turns, supervisor, last);
        join!(self, supervisor, host, restarts, seen, stopped => halted);
        join!(self, supervisor, contexts, restarts => excluded, in_full);
        join!(self, supervisor, core, core_reset => reset);
        join!(self, supervisor, turns, reset);
        join!(self, supervisor, nodes, reset, reset_address);

        // A device.
        link!(self, bus, device_request, device_offset => offset, device_write => write);
        link!(self, bus, device_ready, device_read_data => device_data);
        self.device_node.next = node;
        self.device_write_data.next = self.core.write_data.val();

        // The memory.
        join!(self, contexts, memory, is_host, node);
        join!(self, core, memory, request, address);
        join!(self, core, memory, write_data, write_strobe);
        join!(self, host, memory, place, arrival);
        join!(self, service, memory, host_wanted => wanted, out_begun => begun);
        self.memory.index.next = self.service.host.index.val();
        self.memory.valid.next = self.service.out.valid.val();
        self.memory.data.next = self.service.out.data.val();
        self.memory.reason.next = self.service.out.reason.val();
        self.memory.phase.next = phase;
        join!(self, turns, memory, superframe);

        // The host.
        join!(self, bus, host, host_request => request, offset, write);
        join!(self, core, host, write_data);
        link!(self, host, rx, tx);
        join!(self, nodes, host, begin);
        self.host.phase.next = phase;
        self.host.outcome.next = self.nodes.shown.outcome.val();
        self.host.late.next = self.nodes.outcome.late.val();
        join!(self, turns, host, first, last, superframe, under_way);
        join!(self, contexts, host, node);
        self.host.taken.next = self.service.host.taken.val();
        self.host.arrived.next = self.service.out.last.val() & self.service.out.valid.val();
        self.led.next =
            (self.host.lights.val().resized::<8>() << 1).replace_bit(0, superframe.get_bit(6));

        // The node that the core does an instruction of. Between two of its turns a byte of
        // the queue has come from the memory.
        self.service.turn.next = serves;
        join!(self, bus, service, node_request => request, offset);
        self.service.data.next = false;
        self.service.byte_read.next = 0.into();
        join!(self, core, service, write_strobe, write_data);
        self.service.begin.next = begin & first;
        join!(self, nodes, service, shown => node, register);
        self.service.slips.next = 0.into();
        join!(self, turns, service, superframe);
        join!(self, contexts, service, node => address);
        join!(self, host, service, room => host_room, crowded => host_crowded);
        self.service.host.valid.next = self.host.valid.val();
        self.service.host.data.next = self.memory.byte.val();
        self.service.host_ready.next = true;

        // The node whose turn it is, and its wires.
        join!(self, turns, nodes, phase_clock, sync, turn => address);
        self.nodes.hang.next = false;
        self.nodes.serve.next = serves;
        join!(self, service, nodes, commands);
        join!(self, turns, wires, turn => node);
        self.wires.pull.next = self.nodes.wires.pull.val();
        self.wires.holds.next = self.nodes.wires.holds.val();
        self.nodes.wires.level.next = self.wires.level.val();

        self.node_phase.next = phase;
        link!(self, nodes, outcome, muted);
        self.decided.next = self.nodes.shown.decided.val();
        let takes = serves & self.service.host_wanted.val();
        self.host_index.next = if takes {
            self.service.host.index.val()
        } else {
            0.into()
        };
        self.host_taken.next = self.service.host.taken.val();
        self.out.valid.next = self.service.out.valid.val();
        self.out.data.next = self.service.out.data.val();
        self.out.last.next = serves & self.service.out.last.val();
        self.out.reason.next = self.service.out.reason.val();
        link!(self, service, out_slot);
        link!(self, wires, clash);
    }
}
