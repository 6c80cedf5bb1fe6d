//! The rule of minimal rotation behind the first hop.

use super::list;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The first of some dimensions that is still to be crossed (minimal-rotation-routing,
/// Lemma): an input looks to the right of its own dimension, round the word, as far as its
/// packets can go.
#[derive(LogicBlock, Circuit, Default)]
pub struct FirstOne {
    /// The dimension is still to be crossed; the first to look at first.
    pub left: Vec<Signal<In, Bit>>,
    /// It is the first one; of one at most.
    pub choice: Vec<Signal<Out, Bit>>,
    found: Signal<Local, Bit>,
}

impl FirstOne {
    /// Among so many.
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
