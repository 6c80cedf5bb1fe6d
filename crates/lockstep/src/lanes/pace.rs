//! Decides for a chunk whether skipping idle segments pays off.

use super::segmented::Segmented;
use super::segments::Mask;

/// Number of clock cycles between decisions.
const PERIOD: u32 = 16;

/// Number of periods without skipping before it is tried again.
const PATIENCE: u32 = 8;

/// Choice between skipping idle segments and computing all of them. The code that computes all is
/// shorter because it does not detect changes. Results are the same.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Remaining clock cycles in which everything is computed.
    all_left: u32,
    cycles: u32,
    /// Work done in these clock cycles, in instructions.
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

    /// Records which segments were computed in a clock cycle.
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
