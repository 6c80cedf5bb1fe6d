//! Thacker's rule.

use super::list;
use hdl::prelude::*;

/// Finds the rightmost 1 of the leftmost group of 1s (minimal-rotation-routing, the scheme that the
/// note begins with). The rule is the same at every node.
#[derive(LogicBlock, Circuit, Default)]
pub struct GroupEnd {
    /// Per dimension: still to be crossed.
    pub left: Vec<Signal<In, Bit>>,
    /// Per dimension: crossed next; at most one is high.
    pub choice: Vec<Signal<Out, Bit>>,
    found: Signal<Local, Bit>,
}

impl GroupEnd {
    /// Makes the rule for a cube of `dims` dimensions.
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
