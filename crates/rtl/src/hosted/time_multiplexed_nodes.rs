//! All nodes of a machine and their host in one circuit, with the core that they share.

use super::host_port::{ARRIVAL_COUNT_BITS, OUTCOME_COUNT_BITS, RING_SLOT_BITS};
use super::layout::{FIRST_BANK_BITS, NODE_DATA_BITS, WORD_BITS};
#[cfg(doc)]
use super::SharedMemory;
use super::{
    ContextChoice, HostPort, NodeSequencer, NodeSizes, SharedAccess, SharedBus, Supervisor,
    TimeMultiplexedWires, OFFSET_BITS,
};
use crate::core::SoftCore;
use crate::tdma::{
    EnginePlan, FrameOutcome, NodePeripheral, NodeService, ToHost, DIVIDER_BITS, PHASE_BITS,
    SLOT_BITS,
};
use crate::CLOCKS_PER_BIT;
use hdl::prelude::*;

/// The nodes of a cube or metacube and their host, time-multiplexed. One core executes one
/// instruction of one of its contexts per turn. One [`NodePeripheral`], made [`time_multiplexed`], serves
/// every node in turn. The block also contains the wires between the nodes and the phase clock.
///
/// The links and message buffers of a node are described at [`Node`](crate::tdma::Node). A clock
/// cycle of a node takes `NODES` clock cycles of the circuit, one for each node in ascending order.
/// All timing given in clock cycles of a node refers to these. When the core accesses a node it
/// waits for the node's clock cycle.
///
/// [`NodeSizes`] names the independent sizes and computes all parameters.
///
/// A node sees its program at 0 (2 KB, one program for all nodes) and `2^ROOM` words of data at
/// 0x1000_0000. Its message queue is at 0x1000_1000 and its registers are at 0x4000_0000. The host
/// sees the whole memory, its own 4 KB first, and its [`HostPort`] at 0x4000_0000. A word of memory
/// takes two clock cycles of the circuit. Programs read the time within a phase in clock cycles of
/// the circuit. Up to `2^LINE - 1` bytes from the PC can wait for the host. The phase clock and the
/// nodes are in one clock domain, so no node slips.
#[derive(LogicBlock, Circuit, Default)]
pub struct TimeMultiplexedNodes<
    const LINKS: usize,
    const BITS: usize,
    const NODES: usize,
    const BUFFERS: usize,
    const CONTEXT_BITS: usize,
    const CORE_BITS: usize,
    const ADDRESS: usize,
    const MORE: usize,
    const MORE_BITS: usize,
    const FIRST: usize = FIRST_BANK_BITS,
    const WORD: usize = WORD_BITS,
    const DIVIDER: usize = DIVIDER_BITS,
    const ARRIVAL: usize = RING_SLOT_BITS,
    const CAME: usize = ARRIVAL_COUNT_BITS,
    const OUTCOME_BITS: usize = OUTCOME_COUNT_BITS,
    const ROOM: usize = NODE_DATA_BITS,
    const LINE: usize = 1,
> {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: the schedule runs, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    /// Access of the core to a register of a device beside the nodes, held until `device_ready`.
    /// The device's registers begin at offset 0x80 of the nodes' registers.
    pub device_request: Signal<Out, Bit>,
    /// Node whose program accesses the register; 0 for the host.
    pub device_node: Signal<Out, Bits<BITS>>,
    /// Offset of the register of the device, in bytes.
    pub device_offset: Signal<Out, Bits<7>>,
    /// The core writes to the device.
    pub device_write: Signal<Out, Bit>,
    /// Data that the core writes to the device.
    pub device_write_data: Signal<Out, Bits<32>>,
    /// The access to the device completes in this clock cycle.
    pub device_ready: Signal<In, Bit>,
    /// Data read from the device; valid while `device_ready` is high.
    pub device_read_data: Signal<In, Bits<32>>,
    /// Rises at the beginning of every phase. This and the following ports are for simulation only.
    pub phase_clock: Signal<Out, Bit>,
    /// Node whose clock cycle it is. The following ports belong to this node.
    pub turn: Signal<Out, Bits<BITS>>,
    /// Current phase, according to the node.
    pub node_phase: Signal<Out, Bits<PHASE_BITS>>,
    /// The node has lost sync.
    pub muted: Signal<Out, Bit>,
    pub outcome: FrameOutcome,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// Index of the next byte of the host's message that the node takes.
    pub host_index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the node has taken the whole message of the host.
    pub host_taken: Signal<Out, Bit>,
    pub out: ToHost,
    /// Buffer that the message for the host was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Both ends drive the wire at once.
    pub clash: Signal<Out, Bits<LINKS>>,
    sequencer: NodeSequencer<LINKS, BITS, NODES, DIVIDER>,
    nodes: NodePeripheral<LINKS, BITS, BUFFERS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>,
    wires: TimeMultiplexedWires<LINKS, BITS, NODES>,
    core: SoftCore<CONTEXT_BITS, CORE_BITS>,
    contexts: ContextChoice<BITS, NODES, CONTEXT_BITS>,
    bus: SharedBus,
    service: NodeService<LINKS, BITS, BUFFERS, OFFSET_BITS, ADDRESS>,
    host: HostPort<NODES, BITS, ARRIVAL, CAME, OUTCOME_BITS, LINE>,
    memory: SharedAccess<BITS, ARRIVAL, MORE, MORE_BITS, FIRST, WORD, ROOM>,
    supervisor: Supervisor<BITS, ADDRESS>,
}

#[with_parameters]
impl TimeMultiplexedNodes {
    /// Makes the circuit. `divider` is the divider of the phase clock: half a phase must be a
    /// multiple of `NODES` clock cycles. `plan` is the plan for
    /// [`Node::new`](crate::tdma::Node::new), in clock cycles of a node. `memory` holds the initial
    /// words, as in `machine::program::BoardMemory`.
    ///
    /// # Panics
    /// If there are more than 2,048 words, if a phase has another number of clock cycles, or if the
    /// parameters are not those of a [`NodeSizes`].
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        let sizes = NodeSizes {
            links: LINKS,
            bits: BITS,
            second_bank: MORE > 0,
            divider_bits: DIVIDER,
            node_data_bits: ROOM,
            line_bits: LINE,
        };
        let parameters = [
            LINKS,
            BITS,
            NODES,
            BUFFERS,
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
            OUTCOME_BITS,
            ROOM,
            LINE,
        ];
        assert_eq!(parameters, sizes.parameters(), "the parameters of {sizes:?}");
        assert_eq!(2 * (divider + 1), NODES as u64 * plan.phase.phase, "clock cycles of a phase");
        assert_eq!(plan.phase.phase % 2, 0, "a phase has two halves");
        TimeMultiplexedNodes {
            sequencer: NodeSequencer::new(divider),
            nodes: time_multiplexed(NODES, || NodePeripheral::new(plan)),
            service: NodeService::new(plan),
            host: HostPort::new(),
            memory: SharedAccess::new(memory),
            ..Default::default()
        }
    }
}

#[with_parameters]
impl Logic for TimeMultiplexedNodes {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, nodes, wires, core, contexts, service, host, memory);
        clock!(self, clock, supervisor);
        let turn = self.sequencer.turn.val();
        let first = self.sequencer.first.val();
        let superframe = self.sequencer.superframe.val();
        let begin = self.nodes.begin.val();
        let phase = self.nodes.shown.phase.val();
        let is_host = self.contexts.is_host.val();
        let node = self.contexts.node.val();
        let serves = (node == turn) & !is_host;
        link!(nodes -> sequencer: begin);
        self.sequencer.phase.next = phase;
        link!(host.control -> sequencer: run);
        link!(sequencer -> self: turn, phase_clock);

        // The core and its bus.
        link!(core -> bus: request, address, write_strobe);
        link!(bus -> core: ready, read_data);
        link!(contexts -> bus: is_host);
        link!(memory.core -> bus: fetched -> memory_ready, read_data -> memory_data);
        link!(host.access -> bus: ready -> host_ready, read_data -> host_data);
        link!(service -> bus: ready -> node_ready, read_data -> node_data);
        link!(contexts -> core: context, wake);
        self.core.go.next = true;
        link!(core -> contexts: current, retired, asleep);
        link!(sequencer -> contexts: turn);
        self.contexts.node_wake.next = self.nodes.shown.wake.val();
        link!(host.control -> contexts: wake -> host_wake);

        // Watching of programs, and restart of the nodes.
        link!(host.control -> supervisor: restart, watched, looks);
        link!(contexts -> supervisor: is_host, node);
        link!(core -> supervisor: request, program_counter, cause, retired, asleep, halted);
        link!(sequencer -> supervisor: last);
        link!(supervisor -> host.control: restarts, seen);
        link!(supervisor -> host.schedule: stopped -> halted);
        link!(supervisor -> contexts: restarts -> excluded, in_full);
        link!(supervisor -> core: core_reset -> reset);
        link!(supervisor -> sequencer: reset);
        link!(supervisor -> nodes: reset, reset_address);

        // The device.
        link!(bus -> self: device_request, offset -> device_offset, write -> device_write);
        link!(self -> bus: device_ready, device_read_data -> device_data);
        self.device_node.next = node;
        self.device_write_data.next = self.core.write_data.val();

        // The memory.
        link!(contexts -> memory: is_host, node);
        link!(core -> memory.core: request, address, write_data, write_strobe);
        link!(host -> memory.transfer: slot, arrival);
        link!(service -> memory.transfer: host_wanted -> wanted, out_begun -> begun);
        self.memory.transfer.index.next = self.service.host.index.val();
        self.memory.transfer.valid.next = self.service.out.valid.val();
        self.memory.transfer.data.next = self.service.out.data.val();
        self.memory.transfer.reason.next = self.service.out.reason.val();
        self.memory.transfer.phase.next = phase;
        link!(sequencer -> memory.transfer: superframe);

        // The host's registers.
        link!(bus -> host.access: host_request -> request, offset, write);
        link!(core -> host.access: write_data);
        link!(self -> host.access: rx);
        link!(host.access -> self: tx);
        link!(nodes -> host: begin);
        self.host.schedule.phase.next = phase;
        self.host.outcome.next = self.nodes.shown.outcome.val();
        self.host.missed_deadline.next = self.nodes.outcome.missed_deadline.val();
        link!(sequencer -> host: first, last);
        link!(sequencer -> host.schedule: superframe, is_running);
        link!(contexts -> host: node);
        self.host.taken.next = self.service.host.taken.val();
        self.host.arrived.next = self.service.out.last.val() & self.service.out.valid.val();
        self.led.next = (self.host.control.lights.val().resized::<8>() << 1)
            .replace_bit(0, superframe.get_bit(6));

        // The node of the current context. Between two of its clock cycles a byte of the queue has
        // arrived from the memory.
        self.service.turn.next = serves;
        link!(bus -> service: node_request -> request, offset);
        self.service.data.next = false;
        self.service.byte_read.next = 0.into();
        link!(core -> service: write_strobe, write_data);
        self.service.begin.next = begin & first;
        link!(nodes -> service: shown -> node, buffer);
        self.service.slips.next = 0.into();
        link!(sequencer -> service: superframe);
        link!(contexts -> service: node -> address);
        link!(host -> service: room -> host_room, crowded -> host_crowded);
        self.service.host.valid.next = self.host.valid.val();
        self.service.host.data.next = self.memory.transfer.byte.val();
        self.service.host_ready.next = true;

        // The node whose clock cycle it is, and its wires.
        link!(sequencer -> nodes: phase_clock, sync, turn -> address);
        self.nodes.hang.next = false;
        self.nodes.serve.next = serves;
        link!(service -> nodes: commands);
        link!(sequencer -> wires: turn -> node);
        self.wires.pull.next = self.nodes.wires.pull.val();
        self.wires.holds.next = self.nodes.wires.holds.val();
        self.nodes.wires.level.next = self.wires.level.val();
        self.node_phase.next = phase;
        link!(nodes -> self: outcome, muted);
        self.decided.next = self.nodes.shown.decided.val();
        let takes = serves & self.service.host_wanted.val();
        self.host_index.next = if takes { self.service.host.index.val() } else { 0.into() };
        self.host_taken.next = self.service.host.taken.val();
        self.out.valid.next = self.service.out.valid.val();
        self.out.data.next = self.service.out.data.val();
        self.out.last.next = serves & self.service.out.last.val();
        self.out.reason.next = self.service.out.reason.val();
        link!(service -> self: out_slot);
        link!(wires -> self: clash);
    }
}
