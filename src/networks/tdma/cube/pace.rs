//! How a run of the cube skips the clock cycles in which no host has work.

use crate::engine::{EngineError, NodeEngine, NodePort, SharedPort};
use crate::machine::RunError;
use crate::networks::tdma::PhaseTiming;
use std::ops::Range;

/// Clock cycles after the rising phase clock in which a node begins its phase.
const NODE_DELAY: u64 = 4;

/// Clock cycles that it takes longer with a clock of its own, with a delay of zero: the way,
/// the synchroniser, and an edge that is missed.
const OWN_CLOCK_DELAY: u64 = 6;

/// Where a machine is in its phase, and how far it can go without a look at it.
pub(super) struct Pace {
    phase_clock: SharedPort,
    was_high: bool,
    /// Clock cycles since the phase clock rose; `None` before the first time.
    in_phase: Option<u64>,
    /// Clock cycles from there until the last node has begun the phase.
    settled: u64,
    /// The clock cycles of a phase in which hosts can have work: until the frame window
    /// opens, and from the answer slot on.
    work: [Range<u64>; 2],
    /// Clock cycles of a phase.
    phase: u64,
}

/// What happens in a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Nothing,
    /// The phase clock rises; some nodes have not begun the phase.
    Rises,
    /// All nodes have begun the phase, or the phase clock rises and all have one clock.
    Begins,
}

impl Pace {
    /// `delay` are the clock cycles by which nodes that have clocks of their own begin a
    /// phase later than those that have one clock; none, if these are all.
    pub fn new(engine: &mut dyn NodeEngine, timing: &PhaseTiming, delay: Option<u64>) -> Self {
        let settled = delay.map_or(0, |delay| delay + OWN_CLOCK_DELAY);
        Pace {
            phase_clock: engine.shared_port("phase_clock"),
            was_high: false,
            in_phase: None,
            settled,
            work: timing
                .moves()
                .map(|moves| moves.start..moves.end + NODE_DELAY + settled + 1),
            phase: u64::from(timing.clock_cycles()),
        }
    }

    /// What happens in this clock cycle; to be asked in each that
    /// [`advance`](Self::advance) ends in, once.
    ///
    /// # Errors
    /// If a phase should have begun before.
    pub fn look(&mut self, engine: &mut dyn NodeEngine) -> Result<Moment, RunError> {
        let high = engine.get_shared(self.phase_clock) == 1;
        let rises = high && !self.was_high;
        self.was_high = high;
        if rises {
            self.in_phase = Some(0);
        } else if self.in_phase.is_some_and(|clock| clock > self.phase) {
            return Err(RunError::OutOfStep("the phase clock stands still"));
        }
        Ok(match self.in_phase == Some(self.settled) {
            true => Moment::Begins,
            false if rises => Moment::Rises,
            false => Moment::Nothing,
        })
    }

    /// Hosts can have work in this clock cycle.
    pub fn in_service(&self) -> bool {
        self.in_phase
            .is_none_or(|clock| self.work_at(clock).is_some())
    }

    /// The clock cycles in which hosts can have work, if this one is among them.
    fn work_at(&self, clock: u64) -> Option<&Range<u64>> {
        self.work.iter().find(|work| work.contains(&clock))
    }

    /// The clock cycle after this one in which hosts can have work again, or the end of the
    /// phase.
    fn next_work(&self, clock: u64) -> u64 {
        let starts = self.work.iter().filter(|work| !work.is_empty());
        let next = starts.map(|work| work.start).find(|start| *start > clock);
        next.unwrap_or(self.phase)
    }

    /// Some nodes have begun a phase that [has not begun](Moment::Begins) for all.
    pub fn is_beginning(&self) -> bool {
        self.in_phase.is_some_and(|clock| clock < self.settled)
    }

    /// The frames of the phase are over.
    pub fn is_after_frames(&self) -> bool {
        let [_, slot] = &self.work;
        self.in_phase.is_some_and(|clock| clock >= slot.start)
    }

    /// Goes on to the next clock cycle in which something is to be looked at, no
    /// further than `at_most`, and at least one; how many clock cycles it was. `idle` are
    /// ports that are zero at all nodes as long as no host has anything to do, if none has.
    ///
    /// # Errors
    /// As [`NodeEngine::clock`].
    pub fn advance(
        &mut self,
        engine: &mut dyn NodeEngine,
        idle: Option<[NodePort; 3]>,
        at_most: u64,
    ) -> Result<u64, EngineError> {
        let mut done = 0;
        if let Some(clock) = self.in_phase {
            // The last clock cycle of a phase is looked at, to see the next begin.
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
