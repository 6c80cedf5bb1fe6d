//! A combinational table of first hops.

use super::list;
use hdl::prelude::*;

/// Bits of a dimension in a table.
pub(super) const DIM_BITS: usize = 3;

/// Reads a table in the same clock cycle, with a multiplexer tree. The bits of a header select, and
/// the entries are the leaves. A block RAM would answer one clock cycle later.
#[derive(LogicBlock, Circuit, Default)]
pub struct HopTree {
    /// Per dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// Per header: the dimension that is crossed first; any value for header 0.
    pub entries: Vec<Signal<In, Bits<DIM_BITS>>>,
    /// Per dimension: crossed first; exactly one is high, unless nothing differs.
    pub choice: Vec<Signal<Out, Bit>>,
    /// Tree of values: the root is element 1, and the children of element n are 2n and 2n + 1.
    places: Vec<Signal<Local, Bits<DIM_BITS>>>,
    any: Signal<Local, Bit>,
}

impl HopTree {
    /// Makes the tree for a cube of `dims` dimensions, up to eight.
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

/// Header bit that selects at an element of the tree; the highest bit at the root.
fn bit_at(dims: usize, place: usize) -> usize {
    dims - 1 - place.ilog2() as usize
}

/// Number of a dimension as in a table.
fn dim(d: usize) -> u64 {
    d as u64
}

impl Logic for HopTree {
    #[kernel]
    fn update(&mut self) {
        let dims = self.left.len();
        let headers = self.entries.len();
        // Element 0 is unused.
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
