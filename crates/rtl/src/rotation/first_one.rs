//! The rule of minimal rotation after the first hop.

use super::list;
use hdl::prelude::*;

/// Finds the first dimension that is still to be crossed (minimal-rotation-routing, Lemma). An
/// input searches to the right of its own dimension, cyclically, as far as its packets can go.
#[derive(LogicBlock, Circuit, Default)]
pub struct FirstOne {
    /// The dimension is still to be crossed; in the order of the search.
    pub left: Vec<Signal<In, Bit>>,
    /// The dimension is the first one; at most one is high.
    pub choice: Vec<Signal<Out, Bit>>,
    found: Signal<Local, Bit>,
}

impl FirstOne {
    /// Makes the search over `dims` dimensions.
    pub fn new(dims: usize) -> Self {
        FirstOne {
            left: list(dims),
            choice: list(dims),
            ..Default::default()
        }
    }
}

impl Logic for FirstOne {
    #[kernel]
    fn update(&mut self) {
        self.found.next = false;
        for r in 0..self.left.len() {
            let left = self.left[r].val();
            self.choice[r].next = left & !self.found.val();
            self.found.next = self.found.val() | left;
        }
    }
}
