//! Decides when a running machine is measured and gets new code.

use super::activity::GateActivity;
use super::activity_bits::ActivityBits;
use super::blackboard::ClockCycle;
use super::chunk::Chunk;
use super::engine::LaneEngine;
use super::segmented::SegmentedCode;

/// Schedule of activity measurements, each followed by new code that suits the activity.
///
/// The first chunk of lanes is measured for a while. Its activity is assumed for all chunks. A
/// machine that runs long is measured again at growing intervals because its activity may change.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Clock cycle of the next action.
    next: ClockCycle,
    observing: bool,
    /// Clock cycles between samples.
    sample_distance: u64,
}

/// Largest number of clock cycles between samples.
const MAX_SAMPLE_DISTANCE: u64 = 251;

/// Factor from the end of a measurement to the start of the next one, in clock cycles since the
/// creation of the machine.
const REMEASURE_FACTOR: u64 = 4;

impl Tuning {
    /// Schedules the first measurement after this many clock cycles.
    pub fn new(after: u64) -> Self {
        Tuning {
            next: after.max(1),
            observing: false,
            // The measurement takes as long as the machine ran before, within limits.
            sample_distance: (after / u64::from(ActivityBits::BITS)).clamp(2, MAX_SAMPLE_DISTANCE),
        }
    }

    /// Returns the number of clock cycles until the next action.
    pub fn left(&self, time: ClockCycle) -> u64 {
        (self.next - time).max(1)
    }

    /// Performs the action that is due, if any.
    pub fn tune(&mut self, engine: &LaneEngine, chunks: &mut [Chunk], time: ClockCycle) {
        if time < self.next {
            return;
        }
        self.observing ^= true;
        if self.observing {
            self.next = time + GateActivity::span(self.sample_distance);
            return chunks[0].start_activity_measurement(engine, self.sample_distance, time);
        }
        self.next = time.saturating_mul(REMEASURE_FACTOR);
        let Some(activity) = chunks[0].end_activity_measurement() else {
            return;
        };
        // If memory for new code is not available, the old code remains valid.
        if let Ok(segmented) = SegmentedCode::new(engine, Some(activity.all())) {
            for chunk in chunks {
                chunk.install_code(segmented.clone());
            }
        }
    }
}
