//! All groups of a machine, their links and their host in one circuit.

use super::{
    GroupOutcomes, GroupSizes, GroupWindow, GroupWires, GroupedHostPort, HostProcessor, NodeGroup,
};
use crate::hosted::layout::PROGRAM_WORDS;
use crate::hosted::NodeSequencer;
use crate::tdma::{DeliveryReason, EnginePlan, ReceiveResult, SendResult, PHASE_BITS, SLOT_BITS};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// The nodes of a cube in `GROUPS` groups of `NODES` nodes each, and their host.
///
/// The links and message buffers of a node are described at [`Node`](crate::tdma::Node). A clock
/// cycle of a node takes `NODES` clock cycles of the circuit. All timing given in clock cycles of a
/// node refers to these. The program sees what it sees in
/// [`TimeMultiplexedNodes`](crate::hosted::TimeMultiplexedNodes).
///
/// [`GroupSizes`] names the independent sizes and computes all parameters.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct GroupedNodes<
    const LINKS: usize,
    const LOCAL: usize,
    const NODES: usize,
    const UPPER: usize,
    const GROUPS: usize,
    const BUFFERS: usize,
    const CORE_BITS: usize,
    const ADDRESS: usize,
    const ARRIVAL: usize,
    const CAME: usize,
    const STORE: usize,
    const DATA: usize,
    const QUEUE: usize,
    const ROOM: usize,
    const RING: usize,
    const DIVIDER: usize,
    const COUNT: usize,
    const HOST: usize,
    const LINE: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: the schedule runs, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    /// Rises at the beginning of every phase. This and the following ports are for simulation only.
    pub phase_clock: Signal<Out, Bit>,
    /// Node of each group whose clock cycle it is. The following ports belong to these nodes, one
    /// for each group.
    pub turn: Signal<Out, Bits<LOCAL>>,
    /// Current phase, according to the node.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub node_phase: [Signal<Out, Bits<PHASE_BITS>>; GROUPS],
    /// The node has lost sync.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub muted: [Signal<Out, Bit>; GROUPS],
    /// Outcome of the frame sent; valid until the next phase.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub sent: [Signal<Out, SendResult>; GROUPS],
    /// Buffer that the frame was sent from.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub sent_slot: [Signal<Out, Bits<SLOT_BITS>>; GROUPS],
    /// Outcome of the frame received; valid until the next phase.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub received: [Signal<Out, ReceiveResult>; GROUPS],
    /// The node missed the deadline. Valid until the next phase.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub missed_deadline: [Signal<Out, Bit>; GROUPS],
    /// The software has decided what the node sends in this phase.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub decided: [Signal<Out, Bit>; GROUPS],
    /// Index of the next byte of the host's message that the node takes.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub host_index: [Signal<Out, Bits<8>>; GROUPS],
    /// High for one clock cycle: the node has taken the whole message of the host.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub host_taken: [Signal<Out, Bit>; GROUPS],
    /// Message for the host; see [`ToHost`](crate::tdma::ToHost).
    #[default(std::array::from_fn(|_| Default::default()))]
    pub out_valid: [Signal<Out, Bit>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    pub out_data: [Signal<Out, Bits<8>>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    pub out_last: [Signal<Out, Bit>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    pub out_reason: [Signal<Out, DeliveryReason>; GROUPS],
    /// Buffer that the message for the host was in.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub out_slot: [Signal<Out, Bits<SLOT_BITS>>; GROUPS],
    /// Both ends drive the wire at once.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub clash: [Signal<Out, Bits<LINKS>>; GROUPS],
    sequencer: NodeSequencer<LINKS, LOCAL, NODES, DIVIDER>,
    groups: Vec<
        NodeGroup<
            LINKS,
            LOCAL,
            NODES,
            UPPER,
            BUFFERS,
            CORE_BITS,
            ADDRESS,
            ARRIVAL,
            CAME,
            STORE,
            DATA,
            QUEUE,
            ROOM,
        >,
    >,
    wires: GroupWires<GROUPS, UPPER>,
    host: HostProcessor<HOST>,
    port: GroupedHostPort<GROUPS, UPPER, LINKS, CAME, COUNT, LINE>,
    outcomes: GroupOutcomes<GROUPS, COUNT>,
    window: GroupWindow<GROUPS, UPPER, DATA, QUEUE, RING>,
    come: Signal<Local, Bits<CAME>>,
    waiting: Signal<Local, Bits<4>>,
    seen: Signal<Local, Bits<32>>,
    restarts: Signal<Local, Bit>,
    reset: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
}

impl<
        const LINKS: usize,
        const LOCAL: usize,
        const NODES: usize,
        const UPPER: usize,
        const GROUPS: usize,
        const BUFFERS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const STORE: usize,
        const DATA: usize,
        const QUEUE: usize,
        const ROOM: usize,
        const RING: usize,
        const DIVIDER: usize,
        const COUNT: usize,
        const HOST: usize,
        const LINE: usize,
    >
    GroupedNodes<
        LINKS,
        LOCAL,
        NODES,
        UPPER,
        GROUPS,
        BUFFERS,
        CORE_BITS,
        ADDRESS,
        ARRIVAL,
        CAME,
        STORE,
        DATA,
        QUEUE,
        ROOM,
        RING,
        DIVIDER,
        COUNT,
        HOST,
        LINE,
    >
{
    /// Makes the circuit. `divider` is the divider of the phase clock: half a phase must be a
    /// multiple of `NODES` clock cycles. `plan` is the plan for
    /// [`Node::new`](crate::tdma::Node::new), in clock cycles of a node. `memory` holds the program
    /// of the nodes in its first 512 words, and the host's program behind them.
    ///
    /// # Panics
    /// If a program is too large, if a phase has another number of clock cycles, or if the
    /// parameters are not those of a [`GroupSizes`].
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        let sizes = GroupSizes {
            dims: LINKS,
            local: LOCAL,
            divider_bits: DIVIDER,
            node_data_bits: ROOM,
            line_bits: LINE,
        };
        let parameters = [
            LINKS, LOCAL, NODES, UPPER, GROUPS, BUFFERS, CORE_BITS, ADDRESS, ARRIVAL, CAME, STORE,
            DATA, QUEUE, ROOM, RING, DIVIDER, COUNT, HOST, LINE,
        ];
        assert_eq!(
            parameters,
            sizes.parameters(),
            "the parameters of {sizes:?}"
        );
        assert_eq!(
            2 * (divider + 1),
            NODES as u64 * plan.phase.phase,
            "clock cycles of a phase"
        );
        assert_eq!(plan.phase.phase % 2, 0, "a phase has two halves");
        let (program, host) = memory.split_at(memory.len().min(PROGRAM_WORDS as usize));
        GroupedNodes {
            sequencer: NodeSequencer::new(divider),
            groups: (0..GROUPS).map(|_| NodeGroup::new(plan, program)).collect(),
            host: HostProcessor::new(host),
            ..Default::default()
        }
    }
}

impl<
        const LINKS: usize,
        const LOCAL: usize,
        const NODES: usize,
        const UPPER: usize,
        const GROUPS: usize,
        const BUFFERS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const STORE: usize,
        const DATA: usize,
        const QUEUE: usize,
        const ROOM: usize,
        const RING: usize,
        const DIVIDER: usize,
        const COUNT: usize,
        const HOST: usize,
        const LINE: usize,
    > Logic
    for GroupedNodes<
        LINKS,
        LOCAL,
        NODES,
        UPPER,
        GROUPS,
        BUFFERS,
        CORE_BITS,
        ADDRESS,
        ARRIVAL,
        CAME,
        STORE,
        DATA,
        QUEUE,
        ROOM,
        RING,
        DIVIDER,
        COUNT,
        HOST,
        LINE,
    >
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, host, port, outcomes, window);

        // The host and its registers.
        link!(host -> port: port_request -> request, write, write_data);
        self.port.offset.next = self.host.address.val().resized();
        link!(port -> host: ready -> port_ready, read_data -> port_data, wake);
        link!(host -> window: window_request -> request, address, write);
        link!(window -> host: ready -> window_ready, read_data -> window_data);
        link!(self -> port: rx);
        link!(port -> self: tx);
        link!(port -> outcomes: read_outcomes -> read);
        link!(outcomes -> port: fresh, failures, successes);
        link!(sequencer -> port: superframe, is_running);
        link!(port -> sequencer: run);
        link!(sequencer -> outcomes: first, last);
        link!(sequencer -> self: turn, phase_clock);
        self.led.next = (self.port.lights.val().resized::<8>() << 1)
            .replace_bit(0, self.sequencer.superframe.val().get_bit(6));

        // The groups. All nodes see a phase begin in the same clock cycle of the nodes.
        self.sequencer.begin.next = self.groups[0].begin.val();
        self.sequencer.phase.next = self.groups[0].node_phase.val();
        self.outcomes.begin.next = self.groups[0].begin.val();
        self.port.phase.next = self.groups[0].node_phase.val();
        let chosen = self.port.group.val();
        let watched = (self.port.watched.val() >> LOCAL as u64).resized::<UPPER>();
        let queued = (self.port.queue_node.val() >> LOCAL as u64).resized::<UPPER>();
        self.come.next = 0.into();
        self.waiting.next = 0.into();
        self.seen.next = 0.into();
        self.restarts.next = false;
        self.reset.next = false;
        self.stopped.next = false;
        for g in 0..GROUPS {
            clock!(self, clock, groups[g]);
            self.groups[g].group.next = (g as u64).into();
            link!(sequencer -> groups[g]: turn, first, last, phase_clock, sync, superframe);
            link!(groups[g] -> wires: pull -> pull[g], holds -> holds[g]);
            link!(wires -> groups[g]: level[g] -> level);

            link!(window -> groups[g]: group_request[g] -> host_request);
            link!(window -> groups[g]: part -> host_part, index -> host_index);
            link!(host -> groups[g]: write_data -> host_write_data, write_strobe -> host_write_strobe);
            link!(groups[g] -> window: host_answered -> answered[g], host_read_data -> group_data[g]);

            self.groups[g].queue_write.next = self.port.queue_write.val() & (queued == g as u64);
            self.groups[g].queue_node.next = self.port.queue_node.val().resized();
            link!(port -> groups[g]: queue_count, handled, restart);
            let is_chosen = chosen == g as u64;
            self.groups[g].handled_write.next = self.port.handled_write.val() & is_chosen;
            if is_chosen {
                self.come.next = self.groups[g].come.val();
            }
            let is_watched = watched == g as u64;
            self.groups[g].watched.next = self.port.watched.val().resized();
            // `looks` comes with the write, before `watched` shows the node.
            self.groups[g].looks.next = self.port.looks.val();
            if is_watched {
                self.waiting.next = self.groups[g].waiting.val();
                self.seen.next = self.groups[g].seen.val();
            }
            self.restarts.next = self.restarts.val() | self.groups[g].restarts.val();
            self.reset.next = self.reset.val() | self.groups[g].reset.val();
            self.stopped.next = self.stopped.val() | self.groups[g].stopped.val();
            link!(groups[g] -> outcomes: reported -> outcome[g]);
            self.outcomes.missed_deadline[g].next = self.groups[g].outcome.missed_deadline.val();
        }
        self.port.come.next = self.come.val();
        self.port.waiting.next = self.waiting.val();
        self.port.seen.next = self.seen.val();
        self.port.restarts.next = self.restarts.val();
        self.port.halted.next = self.stopped.val();
        self.sequencer.reset.next = self.reset.val();

        // For simulation.
        for g in 0..GROUPS {
            self.node_phase[g].next = self.groups[g].node_phase.val();
            self.muted[g].next = self.groups[g].muted.val();
            self.sent[g].next = self.groups[g].outcome.sent.val();
            self.sent_slot[g].next = self.groups[g].outcome.sent_slot.val();
            self.received[g].next = self.groups[g].outcome.received.val();
            self.missed_deadline[g].next = self.groups[g].outcome.missed_deadline.val();
            self.decided[g].next = self.groups[g].decided.val();
            self.host_index[g].next = self.groups[g].host_byte.val();
            self.host_taken[g].next = self.groups[g].host_taken.val();
            self.out_valid[g].next = self.groups[g].out.valid.val();
            self.out_data[g].next = self.groups[g].out.data.val();
            self.out_last[g].next = self.groups[g].out.last.val();
            self.out_reason[g].next = self.groups[g].out.reason.val();
            self.out_slot[g].next = self.groups[g].out_slot.val();
            let upper = self.wires.clash[g].val().resized::<LINKS>() << LOCAL as u64;
            self.clash[g].next = upper | self.groups[g].clash.val().resized::<LINKS>();
        }
    }
}

/// [`GroupedNodes`] as a board design, without the ports that only a simulation uses.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedGroups<
    const LINKS: usize,
    const LOCAL: usize,
    const NODES: usize,
    const UPPER: usize,
    const GROUPS: usize,
    const BUFFERS: usize,
    const CORE_BITS: usize,
    const ADDRESS: usize,
    const ARRIVAL: usize,
    const CAME: usize,
    const STORE: usize,
    const DATA: usize,
    const QUEUE: usize,
    const ROOM: usize,
    const RING: usize,
    const DIVIDER: usize,
    const COUNT: usize,
    const HOST: usize,
    const LINE: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: the schedule runs, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    nodes: GroupedNodes<
        LINKS,
        LOCAL,
        NODES,
        UPPER,
        GROUPS,
        BUFFERS,
        CORE_BITS,
        ADDRESS,
        ARRIVAL,
        CAME,
        STORE,
        DATA,
        QUEUE,
        ROOM,
        RING,
        DIVIDER,
        COUNT,
        HOST,
        LINE,
    >,
}

impl<
        const LINKS: usize,
        const LOCAL: usize,
        const NODES: usize,
        const UPPER: usize,
        const GROUPS: usize,
        const BUFFERS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const STORE: usize,
        const DATA: usize,
        const QUEUE: usize,
        const ROOM: usize,
        const RING: usize,
        const DIVIDER: usize,
        const COUNT: usize,
        const HOST: usize,
        const LINE: usize,
    >
    HostedGroups<
        LINKS,
        LOCAL,
        NODES,
        UPPER,
        GROUPS,
        BUFFERS,
        CORE_BITS,
        ADDRESS,
        ARRIVAL,
        CAME,
        STORE,
        DATA,
        QUEUE,
        ROOM,
        RING,
        DIVIDER,
        COUNT,
        HOST,
        LINE,
    >
{
    /// Makes the circuit; see [`GroupedNodes::new`] for the arguments.
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        HostedGroups {
            nodes: GroupedNodes::new(plan, divider, memory),
            ..Default::default()
        }
    }
}

impl<
        const LINKS: usize,
        const LOCAL: usize,
        const NODES: usize,
        const UPPER: usize,
        const GROUPS: usize,
        const BUFFERS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const STORE: usize,
        const DATA: usize,
        const QUEUE: usize,
        const ROOM: usize,
        const RING: usize,
        const DIVIDER: usize,
        const COUNT: usize,
        const HOST: usize,
        const LINE: usize,
    > Logic
    for HostedGroups<
        LINKS,
        LOCAL,
        NODES,
        UPPER,
        GROUPS,
        BUFFERS,
        CORE_BITS,
        ADDRESS,
        ARRIVAL,
        CAME,
        STORE,
        DATA,
        QUEUE,
        ROOM,
        RING,
        DIVIDER,
        COUNT,
        HOST,
        LINE,
    >
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, nodes);
        link!(self -> nodes: rx);
        link!(nodes -> self: tx, led);
    }
}
