//! All groups of a machine, their links and their host in one circuit.

use super::{
    GroupOutcomes, GroupSizes, GroupWindow, GroupWires, GroupedHostPort, HostProcessor, NodeGroup,
};
use crate::hosted::layout::PROGRAM_WORDS;
use crate::hosted::NodeSequencer;
use crate::tdma::{EnginePlan, FrameOutcome, ToHost, PHASE_BITS, SLOT_BITS};
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
    #[default(std::array::from_fn(|_| Default::default()))]
    pub outcome: [FrameOutcome; GROUPS],
    /// The software has decided what the node sends in this phase.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub decided: [Signal<Out, Bit>; GROUPS],
    /// Index of the next byte of the host's message that the node takes.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub host_index: [Signal<Out, Bits<8>>; GROUPS],
    /// High for one clock cycle: the node has taken the whole message of the host.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub host_taken: [Signal<Out, Bit>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    pub out: [ToHost; GROUPS],
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
    port: GroupedHostPort<UPPER, LINKS, CAME, LINE>,
    outcomes: GroupOutcomes<GROUPS, COUNT>,
    window: GroupWindow<GROUPS, UPPER, DATA, QUEUE, RING>,
    come: Signal<Local, Bits<CAME>>,
    waiting: Signal<Local, Bits<4>>,
    seen: Signal<Local, Bits<32>>,
    restarts: Signal<Local, Bit>,
    reset: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
}

#[with_parameters]
impl GroupedNodes {
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
        assert_eq!(parameters, sizes.parameters(), "the parameters of {sizes:?}");
        assert_eq!(2 * (divider + 1), NODES as u64 * plan.phase.phase, "clock cycles of a phase");
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

#[with_parameters]
impl Logic for GroupedNodes {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, host, port, outcomes, window);

        // The host and its registers.
        link!(host -> port.access: port_request -> request, write, write_data);
        self.port.access.offset.next = self.host.address.val().resized();
        link!(port.access -> host: ready -> port_ready, read_data -> port_data);
        link!(port.control -> host: wake);
        link!(host -> window: window_request -> request, address, write);
        link!(window -> host: ready -> window_ready, read_data -> window_data);
        link!(self -> port.access: rx);
        link!(port.access -> self: tx);
        link!(port -> outcomes: read_outcomes -> read);
        link!(outcomes -> port: fresh, failures, successes);
        link!(sequencer -> port.schedule: superframe, is_running);
        link!(port.control -> sequencer: run);
        link!(sequencer -> outcomes: first, last);
        link!(sequencer -> self: turn, phase_clock);
        self.led.next = (self.port.control.lights.val().resized::<8>() << 1)
            .replace_bit(0, self.sequencer.superframe.val().get_bit(6));

        // The groups. All nodes see a phase begin in the same clock cycle of the nodes.
        self.sequencer.begin.next = self.groups[0].begin.val();
        self.sequencer.phase.next = self.groups[0].node_phase.val();
        self.outcomes.begin.next = self.groups[0].begin.val();
        self.port.schedule.phase.next = self.groups[0].node_phase.val();
        let chosen = self.port.group.val();
        let watched = (self.port.control.watched.val() >> LOCAL as u64).resized::<UPPER>();
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

            link!(window -> groups[g].host: group_request[g] -> request, part, index);
            link!(host -> groups[g].host: write_data, write_strobe);
            link!(groups[g].host -> window: answered -> answered[g], read_data -> group_data[g]);

            self.groups[g].queue_write.next = self.port.queue_write.val() & (queued == g as u64);
            self.groups[g].queue_node.next = self.port.queue_node.val().resized();
            link!(port -> groups[g]: queue_count, handled);
            link!(port.control -> groups[g]: restart);
            let is_chosen = chosen == g as u64;
            self.groups[g].handled_write.next = self.port.handled_write.val() & is_chosen;
            if is_chosen {
                self.come.next = self.groups[g].come.val();
            }
            let is_watched = watched == g as u64;
            self.groups[g].watched.next = self.port.control.watched.val().resized();
            // `looks` comes with the write, before `watched` shows the node.
            link!(port.control -> groups[g]: looks);
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
        self.port.control.seen.next = self.seen.val();
        self.port.control.restarts.next = self.restarts.val();
        self.port.schedule.halted.next = self.stopped.val();
        self.sequencer.reset.next = self.reset.val();

        // For simulation.
        for g in 0..GROUPS {
            link!(groups[g] -> self: node_phase -> node_phase[g], muted -> muted[g]);
            link!(groups[g] -> self: outcome -> outcome[g], decided -> decided[g]);
            link!(groups[g] -> self: host_byte -> host_index[g], host_taken -> host_taken[g]);
            link!(groups[g] -> self: out -> out[g], out_slot -> out_slot[g]);
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

#[with_parameters]
impl HostedGroups {
    /// Makes the circuit; see [`GroupedNodes::new`] for the arguments.
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        HostedGroups { nodes: GroupedNodes::new(plan, divider, memory), ..Default::default() }
    }
}

#[with_parameters]
impl Logic for HostedGroups {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, nodes);
        link!(self -> nodes: rx);
        link!(nodes -> self: tx, led);
    }
}
