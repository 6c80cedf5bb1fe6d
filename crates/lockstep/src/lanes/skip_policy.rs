//! Decides for a chunk whether skipping idle segments pays off.

use super::segmented::SegmentedCode;
use super::segments::Mask;

/// Number of clock cycles between decisions.
const DECISION_CYCLES: u32 = 16;

/// Number of periods without skipping before it is tried again.
const RETRY_PERIODS: u32 = 8;

/// Choice between skipping idle segments and computing all of them. The code that computes all is
/// shorter because it does not detect changes. Results are the same.
#[derive(Clone, Debug, Default)]
pub struct SkipPolicy {
    /// Remaining clock cycles in which everything is computed.
    all_left: u32,
    cycles: u32,
    /// Work done in these clock cycles, in instructions.
    work: u64,
}

impl SkipPolicy {
    pub fn should_skip(&mut self) -> bool {
        match self.all_left {
            0 => true,
            _ => {
                self.all_left -= 1;
                false
            }
        }
    }

    /// Records which segments were computed in a clock cycle.
    pub fn record_cycle(&mut self, done: Mask, segmented: &SegmentedCode) {
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
        if self.cycles == DECISION_CYCLES {
            if self.work > u64::from(DECISION_CYCLES) * u64::from(segmented.all) {
                self.all_left = RETRY_PERIODS * DECISION_CYCLES;
            }
            (self.cycles, self.work) = (0, 0);
        }
    }
}
