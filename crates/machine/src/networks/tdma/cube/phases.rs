//! Skips the clock cycles of a cube run in which no host has work.

use crate::networks::tdma::PhaseTiming;
use crate::RunError;
use engine::{EngineError, NodeEngine, NodePortId, SharedPortId};
use interconnect::routing::tdma::PhaseSchedule;
use rtl::tdma::{ReceiveResult, SendResult};
use std::ops::Range;

/// Clock cycles from the rising phase clock until a node begins its phase.
const NODE_DELAY: u64 = 4;

/// Additional clock cycles with an individual clock and a delay of zero: `PhaseClockDelay`, the
/// synchroniser, and a missed edge.
const NODE_CLOCK_DELAY: u64 = 6;

/// Position of a machine in its phase, and the clock cycles that it can run without observation.
pub(super) struct PhaseTracker {
    phase_clock: SharedPortId,
    was_high: bool,
    /// Clock cycles since the phase clock rose. `None` before the first rise.
    in_phase: Option<u64>,
    /// Clock cycles from the rise until the last node has begun the phase.
    settled: u64,
    /// Clock cycles of a phase in which hosts can have work: until the frame window opens, and from
    /// the answer slot on.
    work: [Range<u64>; 2],
    /// Clock cycles of a phase.
    phase: u64,
}

/// Event in a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhaseEvent {
    Nothing,
    /// The phase clock rises, and some nodes have not begun the phase.
    Rises,
    /// All nodes have begun the phase. With one common clock this is the rise of the phase clock.
    Begins,
}

impl PhaseTracker {
    /// Creates the tracker. `delay` is the maximum delay of the phase clock in clock cycles, for
    /// nodes with individual clocks, or `None` if all nodes share one clock.
    pub fn new(engine: &mut dyn NodeEngine, timing: &PhaseTiming, delay: Option<u64>) -> Self {
        let settled = delay.map_or(0, |delay| delay + NODE_CLOCK_DELAY);
        PhaseTracker {
            phase_clock: engine.shared_port("phase_clock"),
            was_high: false,
            in_phase: None,
            settled,
            work: timing
                .host_windows()
                .map(|moves| moves.start..moves.end + NODE_DELAY + settled + 1),
            phase: u64::from(timing.clock_cycles()),
        }
    }

    /// Returns the event of this clock cycle. Must be called once in each clock cycle in which
    /// [`advance`](Self::advance) ends.
    ///
    /// # Errors
    /// If a phase should have begun earlier.
    pub fn poll_event(&mut self, engine: &mut dyn NodeEngine) -> Result<PhaseEvent, RunError> {
        let high = engine.get_shared(self.phase_clock) == 1;
        let rises = high && !self.was_high;
        self.was_high = high;
        if rises {
            self.in_phase = Some(0);
        } else if self.in_phase.is_some_and(|clock| clock > self.phase) {
            return Err(RunError::LostSync("the phase clock has stopped"));
        }
        Ok(match self.in_phase == Some(self.settled) {
            true => PhaseEvent::Begins,
            false if rises => PhaseEvent::Rises,
            false => PhaseEvent::Nothing,
        })
    }

    /// True if hosts can have work in this clock cycle.
    pub fn in_service(&self) -> bool {
        self.in_phase.is_none_or(|clock| self.work_at(clock).is_some())
    }

    /// Returns the range of clock cycles with work for hosts that contains this one.
    fn work_at(&self, clock: u64) -> Option<&Range<u64>> {
        self.work.iter().find(|work| work.contains(&clock))
    }

    /// Returns the next clock cycle in which hosts can have work again, or the end of the phase.
    fn next_work(&self, clock: u64) -> u64 {
        let starts = self.work.iter().filter(|work| !work.is_empty());
        let next = starts.map(|work| work.start).find(|start| *start > clock);
        next.unwrap_or(self.phase)
    }

    /// True if some nodes have begun a phase that [has not begun](PhaseEvent::Begins) at all nodes.
    pub fn is_beginning(&self) -> bool {
        self.in_phase.is_some_and(|clock| clock < self.settled)
    }

    /// True after the frames of the phase.
    pub fn is_after_frames(&self) -> bool {
        let [_, slot] = &self.work;
        self.in_phase.is_some_and(|clock| clock >= slot.start)
    }

    /// Advances to the next clock cycle that must be observed, by 1 to `at_most` clock cycles.
    /// Returns the number of clock cycles. `idle` are ports that are zero at all nodes while no
    /// host has work, or `None` if some host has work.
    ///
    /// # Errors
    /// As [`NodeEngine::clock`].
    pub fn advance(
        &mut self,
        engine: &mut dyn NodeEngine,
        idle: Option<[NodePortId; 3]>,
        at_most: u64,
    ) -> Result<u64, EngineError> {
        let mut done = 0;
        if let Some(clock) = self.in_phase {
            // The last clock cycle of a phase is observed, to detect the next rise.
            let at_most = at_most.min(self.phase.saturating_sub(clock + 1));
            match (self.work_at(clock), idle) {
                (None, _) => {
                    done = at_most.min(self.next_work(clock) - clock);
                    engine.clocks(done)?;
                }
                (Some(work), Some(ports)) => {
                    let end = match self.is_beginning() {
                        true => self.settled,
                        false => work.end,
                    };
                    done = engine.clocks_until(at_most.min(end - clock), &ports)?;
                }
                (Some(_), None) => {}
            }
        }
        if done == 0 {
            engine.clock()?;
            done = 1;
        }
        self.in_phase = self.in_phase.map(|clock| clock + done);
        Ok(done)
    }
}

/// Report of a node on a phase that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhaseReport {
    /// Dimension in which the node took part.
    pub dim: u32,
    pub sent: SendResult,
    /// Buffer from which the node sent. With a pool, the slot from which it sent or into which it
    /// received.
    pub slot: u32,
    pub received: ReceiveResult,
    /// True if the node missed the deadline in a phase in which it could have sent.
    pub missed_deadline: bool,
}

impl PhaseReport {
    /// Returns the report of a node that did nothing.
    pub fn nothing(dim: u32) -> Self {
        PhaseReport {
            dim,
            sent: SendResult::Nothing,
            slot: 0,
            received: ReceiveResult::Nothing,
            missed_deadline: false,
        }
    }
}

/// Reads the reports of all nodes on a phase.
pub(super) struct PhaseReporter {
    phase: NodePortId,
    muted: NodePortId,
    sent: NodePortId,
    sent_slot: NodePortId,
    received: NodePortId,
    missed_deadline: NodePortId,
    /// For each node, the last phase in which it took part. `None` if it was out of sync.
    last_phases: Vec<Option<u32>>,
}

impl PhaseReporter {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        PhaseReporter {
            phase: engine.port("node_phase"),
            muted: engine.port("muted"),
            sent: engine.port("sent"),
            sent_slot: engine.port("sent_slot"),
            received: engine.port("received"),
            missed_deadline: engine.port("missed_deadline"),
            last_phases: vec![None; engine.nodes()],
        }
    }

    /// Returns the reports of the nodes for the phase that is over. A node that is out of sync took
    /// no part in it. A node that missed its beginning still shows the previous phase.
    pub fn reports(
        &mut self,
        engine: &mut dyn NodeEngine,
        schedule: &PhaseSchedule,
    ) -> Vec<PhaseReport> {
        let [mut phases, mut muted] = [vec![], vec![]];
        engine.get_all(self.phase, &mut phases);
        engine.get_all(self.muted, &mut muted);
        let mut reports = vec![];
        let mut takes_part = vec![];
        for (i, last) in self.last_phases.iter_mut().enumerate() {
            let phase = phases[i] as u32;
            let now = (muted[i] == 0).then_some(phase);
            takes_part.push(now.is_some() && now != *last);
            *last = now;
            reports.push(PhaseReport::nothing(schedule.link(phase)));
        }
        for node in nodes_at(engine, [self.sent, self.received, self.missed_deadline]) {
            if takes_part[node] {
                let mut get = |port| engine.get(port, node);
                reports[node] = PhaseReport {
                    dim: reports[node].dim,
                    sent: decode_sent(get(self.sent)),
                    slot: get(self.sent_slot) as u32,
                    received: decode_received(get(self.received)),
                    missed_deadline: get(self.missed_deadline) == 1,
                };
            }
        }
        reports
    }
}

/// Lists the nodes at which one of these ports is not zero, in order.
fn nodes_at(engine: &mut dyn NodeEngine, ports: [NodePortId; 3]) -> Vec<usize> {
    let [mut all, mut nodes] = [vec![], vec![]];
    for port in ports {
        engine.nonzero(port, &mut nodes);
        all.extend(&nodes);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Decodes the value of the port `sent`.
fn decode_sent(code: u64) -> SendResult {
    use SendResult::*;
    [Nothing, Timeout, Nak, Accepted][code as usize]
}

/// Decodes the value of the port `received`.
fn decode_received(code: u64) -> ReceiveResult {
    use ReceiveResult::*;
    let kinds = [Nothing, Damaged, Spoiled, Repeat, Nak, Stored, Overwrote];
    kinds[code as usize]
}

/// True if the receiver has the message, from this frame or an earlier one.
pub(super) fn has_message(received: ReceiveResult) -> bool {
    use ReceiveResult::{Overwrote, Repeat, Stored};
    matches!(received, Stored | Overwrote | Repeat)
}

/// Results of the frames of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameCounts {
    /// Frames sent again after a timeout.
    pub retries: u64,
    /// Frames answered with a NAK because the receiver's buffer was full.
    pub naks: u64,
    /// Frames without a valid answer.
    pub timeouts: u64,
    /// Phases in which a node missed the deadline for its decision to send.
    pub missed_deadlines: u64,
}
