//! Instructions in the making of segments, and what they cost.

use super::super::busy::{share, Pairs};

/// What it takes to skip a segment, and what it takes more to compute it, in
/// instructions.
const SKIP: f32 = 2.0;
const LOOK: f32 = 8.0;

/// Instructions in the making of groups.
pub struct Part {
    pub gates: Vec<usize>,
    /// The pairs of clock cycles in which they have something to do.
    pub busy: Pairs,
    /// They are always computed.
    pub always: bool,
}

impl Part {
    /// What it takes to compute it when it must be, in instructions.
    pub fn cost(&self) -> f32 {
        cost(self.busy, self.gates.len())
    }
}

/// The same of so many instructions that are `busy` together.
pub fn cost(busy: Pairs, size: usize) -> f32 {
    SKIP + share(busy) * (LOOK + size as f32)
}
