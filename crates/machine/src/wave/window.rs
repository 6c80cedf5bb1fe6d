//! Time window in which a machine is observed.

use super::{SimTime, WaveSubject};
use engine::{NodeEngine, SharedPortId};
use std::ops::Range;

/// Steps in which a machine is observed.
///
/// Until the first step begins, the machine is observed in every clock cycle. After that it is
/// observed only inside the window, because all steps of a machine have the same length.
#[derive(Clone, Debug)]
pub struct Window {
    steps: Range<u64>,
    /// Clock cycles per step.
    clock_cycles: u64,
    /// Output of the shared circuit that is high when a step begins.
    mark: SharedPortId,
    /// Clock cycle in which the first step began.
    start: Option<u64>,
}

impl Window {
    /// Window from the beginning of the first step of the range to its end.
    pub fn new(engine: &mut dyn NodeEngine, subject: &WaveSubject, steps: Range<u64>) -> Self {
        Window {
            mark: engine.shared_port(subject.mark),
            clock_cycles: subject.clock_cycles,
            steps,
            start: None,
        }
    }

    /// First clock cycle from `clock` on in which the machine is observed.
    pub fn next_look(&self, clock: u64) -> Option<u64> {
        let Some(start) = self.start else {
            return Some(clock);
        };
        let begin = |t: u64| t.saturating_mul(self.clock_cycles).saturating_add(start);
        let next = clock.max(begin(self.steps.start));
        (next < begin(self.steps.end)).then_some(next)
    }

    /// Step of this clock cycle, or `None` outside the window.
    pub fn time_at(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Option<SimTime> {
        if self.start.is_none() && engine.get_shared(self.mark) == 1 {
            self.start = Some(clock);
        }
        let since = clock - self.start?;
        let t = since / self.clock_cycles;
        self.steps.contains(&t).then_some(SimTime {
            clock,
            t,
            in_step: since % self.clock_cycles,
        })
    }
}
