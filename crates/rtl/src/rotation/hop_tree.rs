//! A table of first hops that is read at once.

use super::list;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Bits of a dimension in a table.
pub(super) const DIM_BITS: usize = 3;

/// Reads a table in the same clock cycle: a tree of choices by the bits of a header, the
/// entries its leaves. A block RAM would answer one clock cycle later.
#[derive(LogicBlock, Circuit, Default)]
pub struct HopTree {
    /// By dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// By header: the dimension that is crossed first; of 0 any.
    pub entries: Vec<Signal<In, Bits<DIM_BITS>>>,
    /// It is crossed first; of one, unless nothing differs.
    pub choice: Vec<Signal<Out, Bit>>,
    /// The root in place 1, below place n the places 2n and 2n + 1.
    places: Vec<Signal<Local, Bits<DIM_BITS>>>,
    any: Signal<Local, Bit>,
}

impl HopTree {
    /// On a cube of so many dimensions, up to eight.
    pub fn new(dims: usize) -> Self {
        HopTree {
            left: list(dims),
            entries: list(1 << dims),
            choice: list(dims),
            places: list(2 << dims),
            ..Default::default()
        }
    }
}

/// The bit of a header that is looked at in a place of the tree: the highest at the root.
fn bit_at(dims: usize, place: usize) -> usize {
    dims - 1 - place.ilog2() as usize
}

/// A dimension as a table has it.
fn dim(d: usize) -> u64 {
    d as u64
}

impl Logic for HopTree {
    #[kernel]
    fn update(&mut self) {
        let dims = self.left.len();
        let headers = self.entries.len();
        // Nothing has place 0.
        self.places[0].next = 0.into();
        for header in 0..headers {
            self.places[headers + header].next = self.entries[header].val();
        }
        for below in 0..(headers - 1) {
            let n = headers - 1 - below;
            if self.left[bit_at(dims, n)].val() {
                self.places[n].next = self.places[2 * n + 1].val();
            } else {
                self.places[n].next = self.places[2 * n].val();
            }
        }
        self.any.next = false;
        for d in 0..dims {
            self.any.next = self.any.val() | self.left[d].val();
        }
        for d in 0..dims {
            let here = self.places[1].val() == bits::<DIM_BITS>(dim(d));
            self.choice[d].next = here & self.any.val();
        }
    }
}
