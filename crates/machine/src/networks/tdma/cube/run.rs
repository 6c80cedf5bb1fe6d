//! Inputs and results of a run of the TDMA cube.

use super::clocks::NodeClock;
use super::driver::{CubeDriver, CubeFaults};
use super::ledger::{BufferNumbers, CubeCounters};
use crate::format_count::format_count;
use crate::networks::tdma::PhaseTiming;
use crate::{
    drive, format_percent, ratio, Delivery, EndReason, JsonEntry, MessageEvent, NodeEvent,
    RunControl, RunError, RunStats, Trap,
};
use engine::NodeEngine;
use interconnect::routing::compiled::NodeProgram;
use interconnect::routing::tdma::{PhaseSchedule, Routing};
use interconnect::routing::Schedule;
use interconnect::traffic::{Message, MessageList};
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

// Complete runs of the TDMA cube.

impl<'a> CubeMachine<'a> {
    /// Returns the driver of the machine with these messages.
    pub fn driver(self, messages: Arc<MessageList>) -> CubeDriver<'a> {
        CubeDriver::new(self, messages)
    }

    /// Sends all messages and runs until each is accounted for.
    ///
    /// # Errors
    /// If the circuit does not settle, or the schedule stalls.
    pub fn run(self, messages: &[Message]) -> Result<CubeRun, RunError> {
        self.run_with(messages, &mut |_, _| {})
    }

    /// Runs as [`run`](Self::run). After each phase it reports the number of completed phases and
    /// of messages in flight.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with(
        self,
        messages: &[Message],
        progress: &mut dyn FnMut(u64, usize),
    ) -> Result<CubeRun, RunError> {
        let control = RunControl {
            period: self.schedule.period().into(),
            deadlock_after: Some(self.deadlock_after),
            limit: self.limit,
            stop: self.stop.clone(),
            progress,
            print_line: &mut |_| {},
        };
        let mut driver = self.driver(Arc::new(messages.into()));
        let ran = drive(&mut driver, control)?;
        Ok(driver.run(&ran))
    }
}

// Statistics of a run of the cube, in phases and superframes, and in the terms common to all
// networks.

impl CubeRun {
    /// Returns the phases that had begun at the last hop. A delivered message arrived by a hop.
    fn phases_used(&self) -> u64 {
        self.last_hop.map_or(0, |t| u64::from(t) + 1)
    }

    /// Returns the pairs of phases that had begun at the last hop.
    pub fn pairs(&self) -> u64 {
        self.phases_used().div_ceil(2)
    }

    /// Returns the superframes, or rounds of a programmed order, that had begun at the last hop.
    pub fn superframes(&self, schedule: &PhaseSchedule) -> u64 {
        schedule.superframes(self.phases_used())
    }

    /// Returns the number of messages that were lost or dropped although no node on their route is
    /// dead.
    ///
    /// With adaptive routing the route is not known in advance. A message may be sent to any dead
    /// node, also in desperation, before the link is known to be down. Its fate is then unknown. A
    /// message is dropped when all nodes nearer to its destination are dead: the destination
    /// itself, or several nodes.
    pub fn needless_losses(
        &self,
        schedule: &PhaseSchedule,
        routing: Routing,
        messages: &MessageList,
        disturbance: &CubeFaults,
    ) -> u64 {
        let dead = &disturbance.dead;
        let is_dead = |node: u32| dead.iter().any(|d| d.node == node);
        let needless = |(place, delivery): &(usize, &Delivery)| {
            use Delivery::{Lost, Undelivered, Unknown};
            let message = messages.get(*place);
            let [source, destination] = [message.source, message.destination];
            let excused = match routing {
                Routing::ECube => schedule.route_includes(source, destination, is_dead),
                Routing::Adaptive => match delivery {
                    Unknown => !dead.is_empty(),
                    _ => is_dead(source) || is_dead(destination) || dead.len() > 1,
                },
            };
            matches!(delivery, Lost { .. } | Undelivered | Unknown) && !excused
        };
        self.deliveries.iter().enumerate().filter(needless).count() as u64
    }

    /// Returns the superframes of a programmed order that had begun at the last hop. `None` if the
    /// order has no superframes.
    fn superframes_begun(&self, schedule: &PhaseSchedule) -> Option<u64> {
        let links = u64::from(schedule.shape().links());
        let in_superframes = schedule.consists_of_superframes();
        in_superframes.then(|| self.pairs().div_ceil(links))
    }

    /// Returns the hops as a share of all possible hops in the superframes that had begun at the
    /// last hop. An order without superframes is measured by its pairs of phases. Returns `None`
    /// without a hop.
    pub fn wire_utilisation(&self, schedule: &PhaseSchedule) -> Option<f64> {
        let all = self.superframes(schedule) * u64::from(schedule.period());
        let phases = match (schedule.order(), self.superframes_begun(schedule)) {
            (None, _) => all,
            // An order may end before the end of its last superframe.
            (_, Some(begun)) => all.min(begun * 2 * u64::from(schedule.shape().links())),
            (_, None) => 2 * self.pairs(),
        };
        ratio(
            self.counters.hops,
            phases * u64::from(schedule.shape().nodes() / 2),
        )
    }

    /// Converts the run into the statistics common to all networks. With `disturbance`, a message
    /// that is lost although no node on its route is dead counts as unexcused. `None` means that
    /// the machine may lose messages.
    pub fn run_stats(
        self,
        schedule: &PhaseSchedule,
        routing: Routing,
        timing: PhaseTiming,
        messages: &MessageList,
        disturbance: Option<&CubeFaults>,
    ) -> RunStats {
        let superframes = self.superframes(schedule);
        let (length, figures) = match schedule.order() {
            None => (
                format_count(superframes, "superframe"),
                vec![JsonEntry::new("superframes", superframes)],
            ),
            // An order is as long as its messages need, so pairs are more informative than rounds.
            Some(order) => {
                let (pairs, begun) = (self.pairs(), self.superframes_begun(schedule));
                let begun_text = begun.map(|begun| format_count(begun, "superframe") + ", ");
                (
                    format!(
                        "{}{} in an order of {}, {} with a NAK",
                        begun_text.unwrap_or_default(),
                        format_count(pairs, "phase pair"),
                        order.len(),
                        format_count(self.counters.naks, "frame")
                    ),
                    vec![
                        JsonEntry::new("superframes", begun),
                        JsonEntry::new("phase_pairs", pairs),
                    ],
                )
            }
        };
        let bit_times = self.phases * u64::from(timing.bit_times());
        let wire_utilisation = self.wire_utilisation(schedule);
        let needless = |disturbance| self.needless_losses(schedule, routing, messages, disturbance);
        let unexcused = disturbance.map_or(0, needless);
        let counters = self.counters;
        let hops = counters.hops;
        let line = format!(
            "{length}, {}, {} clock cycles, {bit_times} bit-times; \
             wires used {}",
            format_count(hops, "hop"),
            self.clock_cycles,
            format_percent(wire_utilisation)
        );
        RunStats {
            deliveries: self.deliveries,
            hops,
            duplicated: counters.duplicated,
            undetected: counters.undetected,
            mixed: 0,
            unexcused,
            periods: superframes,
            bit_times,
            wire_utilisation,
            entries: [
                figures,
                vec![
                    JsonEntry::count("refused", counters.naks, "frames with a NAK (full buffer)"),
                    JsonEntry::count("silences", counters.timeouts, "frames with a timeout"),
                    JsonEntry::count("retries", counters.retries, "frames sent again"),
                    JsonEntry::count(
                        "late",
                        counters.late,
                        "phases in which a node missed its deadline",
                    ),
                    JsonEntry::count("slips", self.slips, "slips of a node"),
                    JsonEntry::count(
                        "clashes",
                        self.clashes,
                        "bit-times in which both ends drove a wire",
                    ),
                ],
            ]
            .concat(),
            summary_lines: vec![line],
            traps: self.traps,
            events: self.events,
            notes: self.notes,
            held_messages: vec![],
            programs: None,
        }
    }
}
