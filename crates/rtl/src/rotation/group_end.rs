//! Thacker's rule.

use super::list;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The rightmost 1 of the leftmost group of 1s (minimal-rotation-routing, the scheme that
/// the note begins with): the same rule at every node.
#[derive(LogicBlock, Circuit, Default)]
pub struct GroupEnd {
    /// By dimension: it is still to be crossed.
    pub left: Vec<Signal<In, Bit>>,
    /// It is crossed next; of one at most.
    pub choice: Vec<Signal<Out, Bit>>,
    found: Signal<Local, Bit>,
}

impl GroupEnd {
    /// On a cube of so many dimensions.
    pub fn new(dims: usize) -> Self {
        GroupEnd {
            left: list(dims),
            choice: list(dims),
            ..Default::default()
        }
    }
}

impl Logic for GroupEnd {
    #[kernel]
    fn update(&mut self) {
        let dims = self.left.len();
        self.found.next = false;
        for below in 0..dims {
            let d = dims - 1 - below;
            let ends = if d > 0 {
                self.left[d].val() & !self.left[d - 1].val()
            } else {
                self.left[d].val()
            };
            self.choice[d].next = ends & !self.found.val();
            self.found.next = self.found.val() | ends;
        }
    }
}
