//! Segments under construction and their cost.

use super::super::activity_bits::{active_share, ActivityBits};

/// Cost of skipping a segment, and additional cost of computing it, in instructions.
const SKIP_COST: f32 = 2.0;
const COMPUTE_COST: f32 = 8.0;

/// Instructions of a group under construction.
pub struct SegmentPart {
    pub gates: Vec<usize>,
    /// Pairs of clock cycles in which some instruction is active.
    pub busy: ActivityBits,
    /// True if the instructions are always computed.
    pub always: bool,
}

impl SegmentPart {
    /// Returns the average cost in instructions per clock cycle.
    pub fn cost(&self) -> f32 {
        cost(self.busy, self.gates.len())
    }
}

/// Returns the average cost of `size` instructions with this common activity.
pub fn cost(busy: ActivityBits, size: usize) -> f32 {
    SKIP_COST + active_share(busy) * (COMPUTE_COST + size as f32)
}
