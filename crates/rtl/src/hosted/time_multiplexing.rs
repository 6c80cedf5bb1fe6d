//! The selection of the time-multiplexed node, and the start of phases.

use crate::shapes::neighbour;
use crate::tdma::{phases, PhaseClock, COUNT_BITS, PHASE_BITS};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Selects the time-multiplexed node ([`time_multiplexed`](hdl::cells::time_multiplexed)) of each clock cycle, in
/// ascending order. Also contains the phase clock, whose phases begin with a round of the nodes.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeSequencer<
    const LINKS: usize,
    const BITS: usize,
    const NODES: usize,
    const DIVIDER: usize,
> {
    pub clock: Signal<In, Clock>,
    /// The schedule must run.
    pub run: Signal<In, Bit>,
    /// Restarts the count of superframes at 0.
    pub reset: Signal<In, Bit>,
    /// Node `turn` sees a phase begin.
    pub begin: Signal<In, Bit>,
    /// Phase that node `turn` sees.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// Node whose clock cycle it is.
    pub turn: Signal<Out, Bits<BITS>>,
    /// Node `turn` is the first one, or the last one.
    pub first: Signal<Out, Bit>,
    pub last: Signal<Out, Bit>,
    /// The schedule is running.
    pub is_running: Signal<Out, Bit>,
    /// Number of superframes so far; wraps.
    pub superframe: Signal<Out, Bits<COUNT_BITS>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// High in phase 0.
    pub sync: Signal<Out, Bit>,
    divider: Parameter<Bits<DIVIDER>>,
    phases: PhaseClock<LINKS, DIVIDER>,
    count: Reg<Bits<BITS>>,
    /// The schedule must continue. The phase clock samples this only when a round of the nodes
    /// begins, so that a phase also begins with a round.
    goes_on: Reg<Bit>,
    superframes: Reg<Bits<COUNT_BITS>>,
}

impl<const LINKS: usize, const BITS: usize, const NODES: usize, const DIVIDER: usize>
    NodeSequencer<LINKS, BITS, NODES, DIVIDER>
{
    /// Makes the block; `divider` is the divider of the phase clock.
    ///
    /// # Panics
    /// If `divider` has too many bits.
    pub fn new(divider: u64) -> Self {
        assert!(divider < 1 << DIVIDER, "clock cycles of half a phase");
        NodeSequencer { divider: Parameter::new(divider.into()), ..Default::default() }
    }
}

impl<const LINKS: usize, const BITS: usize, const NODES: usize, const DIVIDER: usize> Logic
    for NodeSequencer<LINKS, BITS, NODES, DIVIDER>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases);
        dff_setup!(self, clock, count, goes_on, superframes);
        let turn = self.count.q.val();
        let first = turn == 0;
        self.count.d.next = turn + 1;
        if self.begin.val() & first & (self.phase.val() == 0) {
            self.superframes.d.next = self.superframes.q.val() + 1;
        }
        if self.reset.val() {
            self.superframes.d.next = 0.into();
        }
        // The schedule ends with a superframe, so that no node loses sync.
        let phase = self.phases.phase.val();
        let is_running = self.phases.sync.val() | phase.any();
        if turn == (NODES - 2) as u64 {
            self.goes_on.d.next =
                self.run.val() | (is_running & (phase != (phases(LINKS) - 1) as u64));
        }
        self.phases.enable.next = self.goes_on.q.val();
        self.phases.divider.next = self.divider.val();
        link!(phases -> self: phase_clock, sync);
        self.turn.next = turn;
        self.first.next = first;
        self.last.next = turn.all();
        self.is_running.next = is_running;
        self.superframe.next = self.superframes.q.val();
    }
}

/// Selects the next context of the core that `NODES` nodes share with their host, and reports
/// whether the current one is awake. The host's context follows the contexts of the nodes.
///
/// The contexts take turns in ascending order. When all nodes sleep, the host has every turn. The
/// nodes get turns again when one of them has work to do or is being watched.
#[derive(LogicBlock, Circuit, Default)]
pub struct ContextChoice<const BITS: usize, const NODES: usize, const CONTEXT_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Node whose clock cycle it is, outside the core.
    pub turn: Signal<In, Bits<BITS>>,
    /// Node `turn` has work to do.
    pub node_wake: Signal<In, Bit>,
    /// The host gets no turn.
    pub excluded: Signal<In, Bit>,
    /// Sleeping nodes get their turns even when all nodes sleep.
    pub in_full: Signal<In, Bit>,
    /// The host has work to do.
    pub host_wake: Signal<In, Bit>,
    /// Current context of the core.
    pub current: Signal<In, Bits<CONTEXT_BITS>>,
    /// The turn of `current` ends with an instruction.
    pub retired: Signal<In, Bit>,
    /// The turn of `current` ends because it sleeps.
    pub asleep: Signal<In, Bit>,
    /// Wakes the current context.
    pub wake: Signal<Out, Bit>,
    /// Next context.
    pub context: Signal<Out, Bits<CONTEXT_BITS>>,
    /// The current context is the host's.
    pub is_host: Signal<Out, Bit>,
    /// Node of the current context; valid if `is_host` is low.
    pub node: Signal<Out, Bits<BITS>>,
    /// No node has executed an instruction since the host's last turn.
    quiet: Reg<Bit>,
    /// Nodes that have work to do, beginning with node `turn`.
    awake: Reg<Bits<NODES>>,
}

impl<const BITS: usize, const NODES: usize, const CONTEXT_BITS: usize> Logic
    for ContextChoice<BITS, NODES, CONTEXT_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, quiet, awake);
        let current = self.current.val();
        let is_host = current == NODES as u64;
        let node = current.resized::<BITS>();
        let awake = self.awake.q.val();
        let retired = self.retired.val();
        if is_host & (retired | self.asleep.val()) {
            self.quiet.d.next = true;
        } else if retired & !is_host {
            self.quiet.d.next = false;
        }
        let nodes_sleep = self.quiet.q.val() & is_host & !awake.any();
        let excluded = self.excluded.val();
        let last = current == (NODES - 1) as u64;
        self.context.next = if nodes_sleep & !excluded & !self.in_full.val() {
            bits::<CONTEXT_BITS>(NODES as u64)
        } else if is_host | (last & excluded) {
            bits::<CONTEXT_BITS>(0)
        } else {
            current + 1
        };
        // A decision of a node is visible here after the node's next clock cycle. The core returns
        // to the node later than that, because all other contexts have had a clock cycle by then.
        let node_index = node - self.turn.val();
        self.wake.next =
            if is_host { self.host_wake.val() } else { awake.get_bit(node_index.index()) };
        self.awake.d.next = (awake >> 1).replace_bit(NODES - 1, self.node_wake.val());
        self.is_host.next = is_host;
        self.node.next = node;
    }
}

// The wires between time-multiplexed nodes.

/// Position of the other end in the history of clock cycles; `0` is the latest one.
const fn history_index(nodes: usize, node: usize, other: usize) -> usize {
    (nodes + node - other - 1) % nodes
}

/// The wires between time-multiplexed nodes ([`time_multiplexed`](hdl::cells::time_multiplexed)). Each clock cycle
/// belongs to one node, in ascending order.
///
/// A wire joins two nodes. The node with the higher number sees a pull of the other one in the same
/// clock cycle of the nodes. In the opposite direction a pull takes one clock cycle of the nodes.
/// The same holds for `clash`.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct TimeMultiplexedWires<const LINKS: usize, const BITS: usize, const NODES: usize> {
    pub clock: Signal<In, Clock>,
    /// Node whose clock cycle it is.
    pub node: Signal<In, Bits<BITS>>,
    /// The node pulls its wires low, link 0 lowest.
    pub pull: Signal<In, Bits<LINKS>>,
    /// The node holds its wires, pulled or not.
    pub holds: Signal<In, Bits<LINKS>>,
    /// Levels of the node's wires.
    pub level: Signal<Out, Bits<LINKS>>,
    /// Both ends hold the wire at once.
    pub clash: Signal<Out, Bits<LINKS>>,
    /// Wires pulled and held in the last clock cycles, the latest first.
    #[default(std::array::from_fn(|_| Default::default()))]
    pulled: [Reg<Bits<LINKS>>; NODES],
    #[default(std::array::from_fn(|_| Default::default()))]
    held: [Reg<Bits<LINKS>>; NODES],
    others: Signal<Local, Bits<LINKS>>,
    holders: Signal<Local, Bits<LINKS>>,
}

impl<const LINKS: usize, const BITS: usize, const NODES: usize> Logic
    for TimeMultiplexedWires<LINKS, BITS, NODES>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, pulled[0], held[0]);
        self.pulled[0].d.next = self.pull.val();
        self.held[0].d.next = self.holds.val();
        for i in 1..NODES {
            clock!(self, clock, pulled[i], held[i]);
            self.pulled[i].d.next = self.pulled[i - 1].q.val();
            self.held[i].d.next = self.held[i - 1].q.val();
        }
        self.others.next = 0.into();
        self.holders.next = 0.into();
        for node in 0..NODES {
            if self.node.val() == node as u64 {
                for link in 0..LINKS {
                    let history = history_index(NODES, node, neighbour(LINKS, BITS, node, link));
                    let pulled = self.pulled[history].q.val().get_bit(link);
                    let held = self.held[history].q.val().get_bit(link);
                    self.others.next = self.others.val().replace_bit(link, pulled);
                    self.holders.next = self.holders.val().replace_bit(link, held);
                }
            }
        }
        self.level.next = !(self.pull.val() | self.others.val());
        self.clash.next = self.holds.val() & self.holders.val();
    }
}
