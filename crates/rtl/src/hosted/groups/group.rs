//! A group: nodes that share a core, without a host.

use super::memory::{GroupAccess, HostAccess};
use crate::core::SoftCore;
use crate::hosted::{SharedBus, Supervisor, TimeMultiplexedWires, WatchStart, OFFSET_BITS};
use crate::tdma::{
    EnginePlan, FrameOutcome, NodePeripheral, NodeService, ToHost, COUNT_BITS, PHASE_BITS,
    SLOT_BITS,
};
use crate::CLOCKS_PER_BIT;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Selects the next context of a group's core, in ascending order, and reports whether the current
/// one is awake.
#[derive(LogicBlock, Circuit, Default)]
pub struct ContextRotation<const LOCAL: usize, const NODES: usize> {
    pub clock: Signal<In, Clock>,
    /// Node whose clock cycle it is, outside the core.
    pub turn: Signal<In, Bits<LOCAL>>,
    /// Node `turn` has work to do.
    pub node_wake: Signal<In, Bit>,
    /// Current context of the core.
    pub current: Signal<In, Bits<LOCAL>>,
    /// Wakes the current context.
    pub wake: Signal<Out, Bit>,
    /// Next context.
    pub context: Signal<Out, Bits<LOCAL>>,
    /// Nodes that have work to do, beginning with node `turn`.
    awake: Reg<Bits<NODES>>,
}

impl<const LOCAL: usize, const NODES: usize> Logic for ContextRotation<LOCAL, NODES> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, awake);
        let current = self.current.val();
        let awake = self.awake.q.val();
        let node_wake = self.node_wake.val();
        self.context.next = current + 1;
        // When all other contexts sleep, the core returns to a node in the clock cycle of the node
        // that shows the node's decision.
        let place = current - self.turn.val();
        self.wake.next = if place == 0 { node_wake } else { awake.get_bit(place.index()) };
        self.awake.d.next = (awake >> 1).replace_bit(NODES - 1, node_wake);
    }
}

/// Counts the messages between the nodes of a group and the host: those left in each queue, and
/// those in the ring of delivered messages.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct GroupCounts<
    const LOCAL: usize,
    const NODES: usize,
    const ARRIVAL: usize,
    const CAME: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Node that takes or delivers a message.
    pub node: Signal<In, Bits<LOCAL>>,
    /// The host has a message for node `node`.
    pub valid: Signal<Out, Bit>,
    /// Slot of that message, one of eight in the node's queue.
    pub slot: Signal<Out, Bits<3>>,
    /// High for one clock cycle: the message was taken.
    pub taken: Signal<In, Bit>,
    /// There is room for a message from a node.
    pub room: Signal<Out, Bit>,
    /// There may be no room for a message from every node.
    pub crowded: Signal<Out, Bit>,
    /// Slot of the ring for the next message.
    pub arrival: Signal<Out, Bits<ARRIVAL>>,
    /// High for one clock cycle: the message has arrived in slot `arrival`.
    pub arrived: Signal<In, Bit>,
    /// The host has written `queue_count` messages to the queue of node `queue_node`.
    pub queue_write: Signal<In, Bit>,
    pub queue_node: Signal<In, Bits<LOCAL>>,
    pub queue_count: Signal<In, Bits<4>>,
    /// Number of messages left in the queue of node `looked_at`.
    pub looked_at: Signal<In, Bits<LOCAL>>,
    pub waiting: Signal<Out, Bits<4>>,
    /// Number of messages that arrived, modulo twice the number of slots of the ring.
    pub come: Signal<Out, Bits<CAME>>,
    /// The host has handled `handled` messages, counted in the same way.
    pub handled_write: Signal<In, Bit>,
    pub handled: Signal<In, Bits<CAME>>,
    #[default(std::array::from_fn(|_| Default::default()))]
    left: [Reg<Bits<4>>; NODES],
    arrivals: Reg<Bits<CAME>>,
    done: Reg<Bits<CAME>>,
    remaining: Signal<Local, Bits<4>>,
    seen: Signal<Local, Bits<4>>,
}

impl<const LOCAL: usize, const NODES: usize, const ARRIVAL: usize, const CAME: usize> Logic
    for GroupCounts<LOCAL, NODES, ARRIVAL, CAME>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, arrivals, done);
        self.remaining.next = 0.into();
        self.seen.next = 0.into();
        for i in 0..NODES {
            dff_setup!(self, clock, left[i]);
            let node = bits::<LOCAL>(i as u64);
            if self.node.val() == node {
                self.remaining.next = self.left[i].q.val();
                if self.taken.val() {
                    self.left[i].d.next = self.left[i].q.val() - 1;
                }
            }
            if self.looked_at.val() == node {
                self.seen.next = self.left[i].q.val();
            }
            if self.queue_write.val() & (self.queue_node.val() == node) {
                self.left[i].d.next = self.queue_count.val();
            }
        }
        self.valid.next = self.remaining.val().any();
        self.slot.next = self.remaining.val().resized();
        self.waiting.next = self.seen.val();

        let come = self.arrivals.q.val();
        let used = come - self.done.q.val();
        self.room.next = used != 1 << ARRIVAL;
        self.crowded.next = used > (1 << ARRIVAL) - NODES as u64;
        self.arrival.next = come.resized();
        if self.arrived.val() {
            self.arrivals.d.next = come + 1;
        }
        if self.handled_write.val() {
            self.done.d.next = self.handled.val();
        }
        self.come.next = come;
    }
}

/// The nodes of one group, with the core that they share, their memory and the counts of their
/// messages. One [`NodePeripheral`], made [`time_multiplexed`], serves every node in turn. The lower
/// `LOCAL` links join nodes of the group. The ends of the other links are ports.
///
/// [`GroupSizes`](super::GroupSizes) computes the parameters.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeGroup<
    const LINKS: usize,
    const LOCAL: usize,
    const NODES: usize,
    const UPPER: usize,
    const BUFFERS: usize,
    const CORE_BITS: usize,
    const ADDRESS: usize,
    const ARRIVAL: usize,
    const CAME: usize,
    const STORE: usize,
    const DATA: usize,
    const QUEUE: usize,
    const ROOM: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Number of the group: the upper bits of the addresses of its nodes.
    pub group: Signal<In, Bits<UPPER>>,
    /// Node whose clock cycle it is: the lower bits of its address.
    pub turn: Signal<In, Bits<LOCAL>>,
    /// Node `turn` is the first one, or the last one.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Number of superframes so far.
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    /// Levels of the links of node `turn` that leave the group, the lowest first.
    pub level: Signal<In, Bits<UPPER>>,
    /// The node pulls the link low.
    pub pull: Signal<Out, Bits<UPPER>>,
    /// Links that the node holds, pulled or not.
    pub holds: Signal<Out, Bits<UPPER>>,
    pub host: HostAccess,
    /// Counts of messages; see [`GroupCounts`].
    pub queue_write: Signal<In, Bit>,
    pub queue_node: Signal<In, Bits<LOCAL>>,
    pub queue_count: Signal<In, Bits<4>>,
    pub waiting: Signal<Out, Bits<4>>,
    pub come: Signal<Out, Bits<CAME>>,
    pub handled_write: Signal<In, Bit>,
    pub handled: Signal<In, Bits<CAME>>,
    /// High for one clock cycle: all nodes must restart.
    pub restart: Signal<In, Bit>,
    /// The restart is not complete.
    pub restarts: Signal<Out, Bit>,
    /// The nodes are being reset.
    pub reset: Signal<Out, Bit>,
    /// Node whose program and queue the host watches.
    pub watched: Signal<In, Bits<LOCAL>>,
    /// High for one clock cycle: watching begins.
    pub looks: Signal<In, Bit>,
    /// Observed state of the program; see [`ProgramWatch`](crate::hosted::ProgramWatch).
    pub seen: Signal<Out, Bits<32>>,
    /// A program has halted since the restart.
    pub stopped: Signal<Out, Bit>,
    /// Node `turn` sees a phase begin. The following ports belong to this node.
    pub begin: Signal<Out, Bit>,
    /// Outcome of the frame that the node sent in the previous phase: none, timeout, NAK or taken.
    pub reported: Signal<Out, Bits<2>>,
    /// Current phase, according to the node.
    pub node_phase: Signal<Out, Bits<PHASE_BITS>>,
    /// The node has lost sync.
    pub muted: Signal<Out, Bit>,
    pub outcome: FrameOutcome,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// Index of the next byte of the host's message that the node takes.
    pub host_byte: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the node has taken the whole message of the host.
    pub host_taken: Signal<Out, Bit>,
    pub out: ToHost,
    /// Buffer that the message for the host was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Both ends drive the wire of a link within the group at once.
    pub clash: Signal<Out, Bits<LOCAL>>,
    nodes: NodePeripheral<LINKS, LINKS, BUFFERS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>,
    wires: TimeMultiplexedWires<LOCAL, LOCAL, NODES>,
    core: SoftCore<LOCAL, CORE_BITS>,
    contexts: ContextRotation<LOCAL, NODES>,
    bus: SharedBus,
    service: NodeService<LINKS, LINKS, BUFFERS, OFFSET_BITS, ADDRESS>,
    counts: GroupCounts<LOCAL, NODES, ARRIVAL, CAME>,
    memory: GroupAccess<LINKS, LOCAL, ARRIVAL, STORE, DATA, QUEUE, ROOM>,
    watch: WatchStart,
    supervisor: Supervisor<LOCAL, ADDRESS>,
}

#[with_parameters]
impl NodeGroup {
    /// Makes a group whose nodes run this program, with a plan in clock cycles of a node.
    pub fn new(plan: EnginePlan, program: &[u32]) -> Self {
        NodeGroup {
            nodes: time_multiplexed(NODES, || NodePeripheral::new(plan)),
            service: NodeService::new(plan),
            memory: GroupAccess::new(program),
            ..Default::default()
        }
    }
}

#[with_parameters]
impl Logic for NodeGroup {
    #[kernel]
    fn update(&mut self) {
        clock!(
            self, clock, nodes, wires, core, contexts, service, counts, memory, watch, supervisor
        );
        let turn = self.turn.val();
        let begin = self.nodes.begin.val();
        let phase = self.nodes.shown.phase.val();
        let current = self.core.current.val();
        let serves = current == turn;
        let group = self.group.val().resized::<LINKS>() << LOCAL as u64;
        let node = group | current.resized::<LINKS>();

        // The core and its bus. A group has no device and no host of its own.
        link!(core -> bus: request, address, write_strobe);
        link!(bus -> core: ready, read_data);
        self.bus.is_host.next = false;
        self.bus.host_ready.next = false;
        self.bus.host_data.next = 0.into();
        self.bus.device_ready.next = self.bus.device_request.val();
        self.bus.device_data.next = 0.into();
        link!(memory.core -> bus: fetched -> memory_ready, read_data -> memory_data);
        link!(service -> bus: ready -> node_ready, read_data -> node_data);
        link!(contexts -> core: context, wake);
        self.core.go.next = true;
        link!(core -> contexts: current);
        link!(self -> contexts: turn);
        self.contexts.node_wake.next = self.nodes.shown.wake.val();

        // Watching of programs, and restart of the nodes.
        link!(self -> watch: looks);
        self.watch.ends.next =
            self.core.retired.val() | self.core.asleep.val() | self.core.halted.val();
        link!(watch -> supervisor: begins -> looks);
        link!(self -> supervisor: restart, watched, last);
        self.supervisor.is_host.next = false;
        self.supervisor.node.next = current;
        link!(core -> supervisor: request, program_counter, cause);
        link!(core -> supervisor: retired, asleep, halted);
        link!(supervisor -> self: restarts, reset, seen, stopped);
        link!(supervisor -> core: core_reset -> reset);
        link!(supervisor -> nodes: reset, reset_address);

        // The memory and the counts.
        self.memory.local.next = current;
        self.memory.node.next = node;
        link!(core -> memory.core: request, address, write_data, write_strobe);
        link!(counts -> memory.transfer: slot, arrival);
        link!(service -> memory.transfer: host_wanted -> wanted, out_begun -> begun);
        self.memory.transfer.index.next = self.service.host.index.val();
        self.memory.transfer.valid.next = self.service.out.valid.val();
        self.memory.transfer.data.next = self.service.out.data.val();
        self.memory.transfer.reason.next = self.service.out.reason.val();
        self.memory.transfer.phase.next = phase;
        link!(self -> memory.transfer: superframe);
        link!(self <-> memory: host);
        self.counts.node.next = current;
        self.counts.taken.next = self.service.host.taken.val();
        self.counts.arrived.next = self.service.out.last.val() & self.service.out.valid.val();
        link!(self -> counts: queue_write, queue_node, queue_count, handled_write, handled);
        link!(self -> counts: watched -> looked_at);
        link!(counts -> self: waiting, come);

        // The node of the current context. Between two of its clock cycles a byte of the queue has
        // arrived from the memory.
        self.service.turn.next = serves;
        link!(bus -> service: node_request -> request, offset);
        self.service.data.next = false;
        self.service.byte_read.next = 0.into();
        link!(core -> service: write_strobe, write_data);
        self.service.begin.next = begin & self.first.val();
        link!(nodes -> service: shown -> node, buffer);
        self.service.slips.next = 0.into();
        link!(self -> service: superframe);
        self.service.address.next = node;
        link!(counts -> service: room -> host_room, crowded -> host_crowded);
        self.service.host.valid.next = self.counts.valid.val();
        self.service.host.data.next = self.memory.transfer.byte.val();
        self.service.host_ready.next = true;

        // The node whose clock cycle it is, and its links.
        link!(self -> nodes: phase_clock, sync);
        self.nodes.address.next = group | turn.resized::<LINKS>();
        self.nodes.hang.next = false;
        self.nodes.serve.next = serves;
        link!(service -> nodes: commands);
        let pull = self.nodes.wires.pull.val();
        let holds = self.nodes.wires.holds.val();
        self.wires.node.next = turn;
        self.wires.pull.next = pull.resized();
        self.wires.holds.next = holds.resized();
        self.pull.next = (pull >> LOCAL as u64).resized();
        self.holds.next = (holds >> LOCAL as u64).resized();
        let outside = self.level.val().resized::<LINKS>() << LOCAL as u64;
        self.nodes.wires.level.next = outside | self.wires.level.val().resized::<LINKS>();

        self.begin.next = begin;
        self.reported.next = self.nodes.shown.outcome.val();
        self.node_phase.next = phase;
        link!(nodes -> self: outcome, muted);
        self.decided.next = self.nodes.shown.decided.val();
        let takes = serves & self.service.host_wanted.val();
        self.host_byte.next = if takes { self.service.host.index.val() } else { 0.into() };
        self.host_taken.next = self.service.host.taken.val();
        self.out.valid.next = self.service.out.valid.val();
        self.out.data.next = self.service.out.data.val();
        self.out.last.next = serves & self.service.out.last.val();
        self.out.reason.next = self.service.out.reason.val();
        link!(service -> self: out_slot);
        link!(wires -> self: clash);
    }
}
