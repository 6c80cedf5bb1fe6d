//! Segments under construction and their cost.

use super::super::busy::{share, Pairs};

/// Cost of skipping a segment, and additional cost of computing it, in instructions.
const SKIP: f32 = 2.0;
const LOOK: f32 = 8.0;

/// Instructions of a group under construction.
pub struct Part {
    pub gates: Vec<usize>,
    /// Pairs of clock cycles in which some instruction is active.
    pub busy: Pairs,
    /// True if the instructions are always computed.
    pub always: bool,
}

impl Part {
    /// Returns the average cost in instructions per clock cycle.
    pub fn cost(&self) -> f32 {
        cost(self.busy, self.gates.len())
    }
}

/// Returns the average cost of `size` instructions with this common activity.
pub fn cost(busy: Pairs, size: usize) -> f32 {
    SKIP + share(busy) * (LOOK + size as f32)
}
