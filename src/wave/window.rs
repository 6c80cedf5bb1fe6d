//! When a machine is looked at.

use super::{Moment, Subject};
use crate::engine::{NodeEngine, SharedPort};
use std::ops::Range;

/// The steps in which a machine is looked at.
///
/// Until the first step begins it is looked at in every clock cycle, and from then
/// on only inside the window: all steps of a machine are equally long.
#[derive(Clone, Debug)]
pub struct Window {
    steps: Range<u64>,
    /// Clock cycles of a step.
    clock_cycles: u64,
    /// High when a step begins.
    mark: SharedPort,
    /// The clock cycle in which the first step began.
    start: Option<u64>,
}

impl Window {
    /// From the beginning of the first step of the range to its end.
    pub fn new(engine: &mut dyn NodeEngine, subject: &Subject, steps: Range<u64>) -> Self {
        Window {
            mark: engine.shared_port(subject.mark),
            clock_cycles: subject.clock_cycles,
            steps,
            start: None,
        }
    }

    /// The first clock cycle from `clock` on in which the machine is looked at.
    pub fn next_look(&self, clock: u64) -> Option<u64> {
        let Some(start) = self.start else {
            return Some(clock);
        };
        let begin = |t: u64| t.saturating_mul(self.clock_cycles).saturating_add(start);
        let next = clock.max(begin(self.steps.start));
        (next < begin(self.steps.end)).then_some(next)
    }

    /// In which step this clock cycle is; `None` outside the window.
    pub fn moment(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Option<Moment> {
        if self.start.is_none() && engine.get_shared(self.mark) == 1 {
            self.start = Some(clock);
        }
        let since = clock - self.start?;
        let t = since / self.clock_cycles;
        self.steps.contains(&t).then_some(Moment {
            clock,
            t,
            in_step: since % self.clock_cycles,
        })
    }
}
