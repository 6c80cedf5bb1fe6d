//! What goes into a run of the TDMA cube, and what it leaves.

use super::clocks::NodeClock;
use super::disturbance::Disturbance;
use super::ledger::Counters;
use super::registers::Registers;
use crate::engine::NodeEngine;
use crate::machine::{End, Event, Fate, Note, Trap};
use crate::networks::tdma::PhaseTiming;
use crate::routing::compiled::NodeProgram;
use crate::routing::tdma::{PhaseSchedule, Routing};
use crate::rtl::tdma::MachineNode;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Superframes, or rounds of a programmed order, without a move after which nothing can
/// move any more. A link may wait for 64 silences, one a superframe at least, before that for the 64 phases after which a node
/// that does not decide falls silent, and that once more behind a message that was
/// given up.
pub const STUCK_AFTER: u64 = 192;

/// What a run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubeRun {
    /// For each message, in order.
    pub fates: Vec<Fate>,
    /// The log of the messages, if it was to be kept.
    pub events: Vec<Event>,
    /// That of the nodes.
    pub notes: Vec<Note>,
    pub counters: Counters,
    /// The phase of the last hop, counted from the start.
    pub last_hop: Option<u32>,
    pub end: End,
    /// The cores that have halted, by node.
    pub traps: Vec<Trap>,
    /// Phases that were over.
    pub phases: u64,
    pub clock_cycles: u64,
    /// Slips that the nodes counted.
    pub slips: u64,
    /// Bit-times, summed over all links, in which both ends held the wire; only
    /// looked at if nodes slip or have clocks of their own.
    pub clashes: u64,
}

/// The machine in an engine, and how it is to be run.
pub struct CubeMachine<'a> {
    pub(super) engine: &'a mut dyn NodeEngine,
    /// Of the nodes that there are: superframes, unless told otherwise. One that is
    /// programmed is written before the first phase.
    pub schedule: PhaseSchedule,
    /// Different counts of cross edges that nodes tell apart: all, unless told otherwise.
    pub counts: u32,
    /// What each node does, if the schedule is compiled.
    pub programs: Option<Arc<[NodeProgram]>>,
    /// How the nodes route: e-cube, unless told otherwise.
    pub routing: Routing,
    pub(super) timing: PhaseTiming,
    pub(super) disturbance: Disturbance,
    /// Of each node, if they have clocks of their own.
    pub clocks: Option<Vec<NodeClock>>,
    /// Superframes without a move after which the machine is stuck:
    /// [`STUCK_AFTER`], unless told otherwise.
    pub stuck_after: u64,
    /// The run ends in any case when the last phase of so many superframes begins.
    pub limit: u64,
    /// Of each message the phase, counted from the start, from which its host has
    /// it; past the end of the list, from the first.
    pub releases: Vec<u64>,
    /// Whether to keep the event log, as it does unless told not to: it has a line
    /// for every frame.
    pub keep_events: bool,
    /// The run ends at the beginning of the next phase when somebody sets this.
    pub stop: Arc<AtomicBool>,
}

impl<'a> CubeMachine<'a> {
    /// The engine runs a [`cube_array`](super::cube_array) of this timing, or, if the order
    /// of the schedule is to be programmed, a [`programmed_array`](super::programmed_array).
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        schedule: impl Into<PhaseSchedule>,
        timing: PhaseTiming,
        disturbance: Disturbance,
    ) -> Self {
        CubeMachine {
            engine,
            schedule: schedule.into(),
            counts: MachineNode::MAX_COUNTS,
            programs: None,
            routing: Routing::default(),
            timing,
            disturbance,
            clocks: None,
            stuck_after: STUCK_AFTER,
            limit: u64::MAX,
            releases: vec![],
            keep_events: true,
            stop: Arc::default(),
        }
    }

    /// How the registers of its nodes are numbered.
    pub(super) fn registers(&self) -> Registers {
        let shape = self.schedule.shape();
        Registers::new(shape, self.counts, self.routing, self.programs.is_some())
    }

    /// Tells the nodes what their clocks are, if they have clocks of their own; clock cycles
    /// by which the last of them is late.
    pub(super) fn set_clocks(&mut self) -> Option<u64> {
        let clocks = self.clocks.as_ref()?;
        let [delay, slower, start] =
            ["delay", "slower", "start"].map(|port| self.engine.port(port));
        for (node, clock) in clocks.iter().enumerate() {
            self.engine.set(delay, node, clock.delay);
            self.engine.set(slower, node, clock.slower);
            self.engine.set(start, node, clock.start);
        }
        clocks.iter().map(|clock| clock.delay).max()
    }
}
