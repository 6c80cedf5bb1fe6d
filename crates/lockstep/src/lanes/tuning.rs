//! Decides when a running machine is measured and gets new code.

use super::activity::Activity;
use super::blackboard::Time;
use super::busy::Pairs;
use super::chunk::Chunk;
use super::engine::Engine;
use super::segmented::Segmented;

/// Schedule of activity measurements, each followed by new code that suits the activity.
///
/// The first chunk of lanes is measured for a while. Its activity is assumed for all chunks. A
/// machine that runs long is measured again at growing intervals because its activity may change.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Clock cycle of the next action.
    next: Time,
    observing: bool,
    /// Clock cycles between samples.
    apart: u64,
}

/// Largest number of clock cycles between samples.
const APART: u64 = 251;

/// Factor from the end of a measurement to the start of the next one, in clock cycles since the
/// creation of the machine.
const LATER: u64 = 4;

impl Tuning {
    /// Schedules the first measurement after this many clock cycles.
    pub fn new(after: u64) -> Self {
        Tuning {
            next: after.max(1),
            observing: false,
            // The measurement takes as long as the machine ran before, within limits.
            apart: (after / u64::from(Pairs::BITS)).clamp(2, APART),
        }
    }

    /// Returns the number of clock cycles until the next action.
    pub fn left(&self, time: Time) -> u64 {
        (self.next - time).max(1)
    }

    /// Performs the action that is due, if any.
    pub fn tune(&mut self, engine: &Engine, chunks: &mut [Chunk], time: Time) {
        if time < self.next {
            return;
        }
        self.observing ^= true;
        if self.observing {
            self.next = time + Activity::span(self.apart);
            return chunks[0].observe(engine, self.apart, time);
        }
        self.next = time.saturating_mul(LATER);
        let Some(activity) = chunks[0].observed() else {
            return;
        };
        // If memory for new code is not available, the old code remains valid.
        if let Ok(segmented) = Segmented::new(engine, Some(activity.all())) {
            for chunk in chunks {
                chunk.adopt(segmented.clone());
            }
        }
    }
}
