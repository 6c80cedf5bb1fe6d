//! The first hop of minimal rotation, by a table.

use super::hop_tree::DIM_BITS;
use super::{list, HopTree, RotationPlan};
use hdl::prelude::*;
use interconnect::routing::rotation::RotationRule;

/// Looks up the dimension that a packet crosses first (minimal-rotation-routing, definition).
/// Combinational.
#[derive(LogicBlock, Circuit)]
pub struct FirstHopTable {
    /// Per dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// Per dimension: crossed first; exactly one is high, unless nothing differs.
    pub choice: Vec<Signal<Out, Bit>>,
    tree: HopTree,
}

impl FirstHopTable {
    /// Makes the table for a cube of `dims` dimensions.
    ///
    /// # Panics
    /// If there are more than [`RotationPlan::TABLE_DIMS`].
    pub fn new(dims: usize) -> Self {
        assert!(dims <= RotationPlan::TABLE_DIMS, "a table is not so large");
        FirstHopTable {
            left: list(dims),
            choice: list(dims),
            tree: HopTree::new(dims),
        }
    }
}

/// Entry of the table for a header. The entry for 0 is never used.
fn entry(dims: usize, left: usize) -> u64 {
    let dim = RotationRule::Minimal.next_dim(dims as u32, left as u32);
    dim.unwrap_or_default().into()
}

impl Logic for FirstHopTable {
    #[kernel]
    fn update(&mut self) {
        let dims = self.left.len();
        for header in 0..self.tree.entries.len() {
            self.tree.entries[header].next = bits::<DIM_BITS>(entry(dims, header));
        }
        for d in 0..dims {
            self.tree.left[d].next = self.left[d].val();
            self.choice[d].next = self.tree.choice[d].val();
        }
    }
}
