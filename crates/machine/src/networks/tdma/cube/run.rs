//! Inputs and results of a run of the TDMA cube.

use super::buffer_numbers::BufferNumbers;
use super::clocks::NodeClock;
use super::faults::CubeFaults;
use super::ledger::CubeCounters;
use crate::networks::tdma::PhaseTiming;
use crate::{Delivery, EndReason, MessageEvent, NodeEvent, Trap};
use engine::NodeEngine;
use interconnect::routing::compiled::NodeProgram;
use interconnect::routing::tdma::{PhaseSchedule, Routing};
use rtl::tdma::MachineNode;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Superframes, or rounds of a programmed order, without a movement after which no further movement
/// is possible. A link may wait for 64 timeouts, with at least one in a superframe. Before that it
/// may wait for the 64 phases after which a node that does not decide becomes silent. Both may
/// happen once more behind a message that was dropped.
pub const DEADLOCK_AFTER: u64 = 192;

/// Result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubeRun {
    /// Fate of each message, in order.
    pub deliveries: Vec<Delivery>,
    /// Log of the messages, if it was kept.
    pub events: Vec<MessageEvent>,
    /// Log of the nodes.
    pub notes: Vec<NodeEvent>,
    pub counters: CubeCounters,
    /// Phase of the last hop, counted from the start.
    pub last_hop: Option<u32>,
    pub end: EndReason,
    /// Cores that have halted, by node.
    pub traps: Vec<Trap>,
    /// Phases that were over.
    pub phases: u64,
    pub clock_cycles: u64,
    /// Slips that the nodes counted.
    pub slips: u64,
    /// Bit-times in which both ends drove the wire, summed over all links. They are counted only if
    /// nodes slip or have individual clocks.
    pub clashes: u64,
}

/// Machine in an engine, and the parameters of its run.
pub struct CubeMachine<'a> {
    pub(super) engine: &'a mut dyn NodeEngine,
    /// Schedule, which also defines the nodes. The default is superframes. A programmed order is
    /// written before the first phase.
    pub schedule: PhaseSchedule,
    /// Number of counts of cross edges that nodes distinguish. By default all counts.
    pub counts: u32,
    /// Program of each node, if the schedule is compiled.
    pub programs: Option<Arc<[NodeProgram]>>,
    /// Routing of the nodes. The default is e-cube.
    pub routing: Routing,
    pub(super) timing: PhaseTiming,
    pub(super) faults: CubeFaults,
    /// Clock of each node, if the nodes have individual clocks.
    pub clocks: Option<Vec<NodeClock>>,
    /// Superframes without a movement after which the machine is deadlocked. The default is
    /// [`DEADLOCK_AFTER`].
    pub deadlock_after: u64,
    /// Maximum number of superframes. The run ends when the last phase of the last one begins.
    pub limit: u64,
    /// For each message, the phase from which its host has it, counted from the start. Messages
    /// past the end of the list are available from the first phase.
    pub releases: Vec<u64>,
    /// Keeps the event log, which has an entry for every frame. The default is true.
    pub keep_events: bool,
    /// Stop request from another thread. The run ends at the beginning of the next phase.
    pub stop: Arc<AtomicBool>,
}

impl<'a> CubeMachine<'a> {
    /// Creates the machine for an engine that runs a [`cube_array`](super::cube_array) of this
    /// timing. If the order of the schedule is programmed, the engine runs a
    /// [`programmed_array`](super::programmed_array).
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        schedule: impl Into<PhaseSchedule>,
        timing: PhaseTiming,
        disturbance: CubeFaults,
    ) -> Self {
        CubeMachine {
            engine,
            schedule: schedule.into(),
            counts: MachineNode::MAX_COUNTS,
            programs: None,
            routing: Routing::default(),
            timing,
            faults: disturbance,
            clocks: None,
            deadlock_after: DEADLOCK_AFTER,
            limit: u64::MAX,
            releases: vec![],
            keep_events: true,
            stop: Arc::default(),
        }
    }

    /// Returns the numbering of the buffers of its nodes.
    pub(super) fn buffer_numbers(&self) -> BufferNumbers {
        let shape = self.schedule.shape();
        BufferNumbers::new(shape, self.counts, self.routing, self.programs.is_some())
    }

    /// Sets the clock inputs of nodes with individual clocks. Returns the largest delay in clock
    /// cycles, or `None` if all nodes share one clock.
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
