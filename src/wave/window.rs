//! When a machine is looked at.

use crate::engine::{NodeEngine, SharedPort};
use std::ops::Range;

/// The time of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// The output of the shared circuit that rises when a phase begins; in a machine
    /// without phases, a petit cycle.
    pub mark: &'static str,
    /// Clock cycles from one to the next.
    pub period: u64,
    /// Phases in a superframe; `None` in a machine without.
    pub superframe: Option<u64>,
}

/// The phases in which a machine is looked at.
///
/// Until the first phase begins it is looked at in every clock cycle, and from then
/// on only inside the window: the beat of a machine never changes.
#[derive(Clone, Debug)]
pub struct Window {
    beat: Beat,
    phases: Range<u64>,
    mark: SharedPort,
    /// The clock cycle in which the first phase began.
    start: Option<u64>,
}

/// A clock cycle of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Counted from the start.
    pub clock: u64,
    /// The phase, counted from the start.
    pub t: u64,
    /// Clock cycles of the phase that are over.
    pub in_phase: u64,
}

impl Window {
    /// From the beginning of the first phase of the range to its end.
    pub fn new(engine: &mut dyn NodeEngine, beat: Beat, phases: Range<u64>) -> Self {
        Window {
            mark: engine.shared_port(beat.mark),
            beat,
            phases,
            start: None,
        }
    }

    pub fn beat(&self) -> Beat {
        self.beat
    }

    /// The first clock cycle from `clock` on in which the machine is looked at.
    pub fn next_look(&self, clock: u64) -> Option<u64> {
        let Some(start) = self.start else {
            return Some(clock);
        };
        let begin = |t: u64| t.saturating_mul(self.beat.period).saturating_add(start);
        let next = clock.max(begin(self.phases.start));
        (next < begin(self.phases.end)).then_some(next)
    }

    /// Where in the schedule this clock cycle is; `None` outside the window.
    pub fn moment(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Option<Moment> {
        if self.start.is_none() && engine.get_shared(self.mark) == 1 {
            self.start = Some(clock);
        }
        let since = clock - self.start?;
        let t = since / self.beat.period;
        self.phases.contains(&t).then_some(Moment {
            clock,
            t,
            in_phase: since % self.beat.period,
        })
    }
}
