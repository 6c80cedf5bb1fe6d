//! Decides for a chunk whether it pays to skip what has not changed.

use super::segmented::Segmented;
use super::segments::Mask;

/// Clock cycles after which the better way is chosen again.
const PERIOD: u32 = 16;

/// Periods in which all is computed before skipping is tried again.
const PATIENCE: u32 = 8;

/// Whether a chunk of lanes skips segments, or computes all of them in code that
/// does not look for changes and so is shorter. Results are the same.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Clock cycles left in which all is computed.
    all_left: u32,
    cycles: u32,
    /// What was done in these clock cycles.
    work: u64,
}

impl Pace {
    pub fn skips(&mut self) -> bool {
        match self.all_left {
            0 => true,
            _ => {
                self.all_left -= 1;
                false
            }
        }
    }

    /// Takes down which segments were computed in a clock cycle.
    pub fn count(&mut self, done: Mask, segmented: &Segmented) {
        let weights = &segmented.weights;
        self.work += u64::from(segmented.always);
        let mut left = done;
        while left != 0 {
            let segment = left.trailing_zeros() as usize;
            left &= left - 1;
            // Bits of memories have no weight.
            self.work += u64::from(weights.get(segment).copied().unwrap_or(0));
        }
        self.cycles += 1;
        if self.cycles == PERIOD {
            if self.work > u64::from(PERIOD) * u64::from(segmented.all) {
                self.all_left = PATIENCE * PERIOD;
            }
            (self.cycles, self.work) = (0, 0);
        }
    }
}
