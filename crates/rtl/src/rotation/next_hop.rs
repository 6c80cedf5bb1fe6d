//! The first hop of minimal rotation, by comparing rotations.

use super::{list, FirstHop, RotationPlan, Scheme};
use hdl::prelude::*;
use interconnect::routing::rotation::RotationRule;

/// Finds the dimension that a packet crosses first (minimal-rotation-routing, definition). It is
/// the bit that is leftmost in the least rotation of the header; of equal rotations the shortest
/// leftward one counts.
///
/// Each clock cycle compares one rotation with the least so far, so a header of k bits takes k
/// clock cycles. The choice is stored as a bit that rotates with the header. After k rotations it
/// is back at its position.
#[derive(LogicBlock, Circuit, Default)]
pub struct MinimalRotation {
    pub clock: Signal<In, Clock>,
    /// A header is present; stable until `decided`.
    pub present: Signal<In, Bit>,
    /// Per dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// The choice for the present header is valid.
    pub decided: Signal<Out, Bit>,
    /// Per dimension: crossed first; holds until the next header is present.
    pub choice: Vec<Signal<Out, Bit>>,
    /// Header, rotated to the left.
    turned: Vec<Reg<Bit>>,
    least: Vec<Reg<Bit>>,
    /// Leftmost 1 of the least rotation, rotated with the header.
    leader: Vec<Reg<Bit>>,
    /// Element `k`: `k + 1` rotations have been compared.
    done: Vec<Reg<Bit>>,
    now: Vec<Signal<Local, Bit>>,
    less: Signal<Local, Bit>,
    equal: Signal<Local, Bit>,
    seen: Signal<Local, Bit>,
}

impl MinimalRotation {
    /// Makes the block for headers of `dims` bits.
    pub fn new(dims: usize) -> Self {
        MinimalRotation {
            left: list(dims),
            choice: list(dims),
            turned: list(dims),
            least: list(dims),
            leader: list(dims),
            done: list(dims),
            now: list(dims),
            ..Default::default()
        }
    }
}

/// Position of a bit after a rotation to the left by one.
fn next(dims: usize, d: usize) -> usize {
    (d + 1) % dims
}

impl Logic for MinimalRotation {
    #[kernel]
    fn update(&mut self) {
        let dims = self.left.len();
        let present = self.present.val();
        let first = !self.done[0].q.val();
        let decided = present & self.done[dims - 1].q.val();
        let works = present & !decided;
        for d in 0..dims {
            self.now[d].next = if first { self.left[d].val() } else { self.turned[d].q.val() };
        }
        self.less.next = first;
        self.equal.next = true;
        for below in 0..dims {
            let d = dims - 1 - below;
            let now = self.now[d].val();
            let least = self.least[d].q.val();
            self.less.next = self.less.val() | (self.equal.val() & least & !now);
            self.equal.next = self.equal.val() & !(least ^ now);
        }
        let less = self.less.val();
        self.seen.next = false;
        for below in 0..dims {
            let d = dims - 1 - below;
            let to = next(dims, d);
            clock!(self, clock, turned[d], least[d], leader[d]);
            let now = self.now[d].val();
            let leads = now & !self.seen.val();
            self.seen.next = self.seen.val() | now;
            self.turned[to].d.next = self.turned[to].q.val();
            self.least[d].d.next = self.least[d].q.val();
            self.leader[to].d.next = self.leader[to].q.val();
            if works {
                self.turned[to].d.next = now;
                self.leader[to].d.next = self.leader[d].q.val();
                if less {
                    self.least[d].d.next = now;
                    self.leader[to].d.next = leads;
                }
            }
            self.choice[d].next = self.leader[d].q.val();
        }
        for d in 0..dims {
            clock!(self, clock, done[d]);
            if d > 0 {
                self.done[d].d.next = present & self.done[d - 1].q.val();
            } else {
                self.done[d].d.next = present;
            }
        }
        self.decided.next = decided;
    }
}

// The first hop of minimal rotation, by any of the methods.

/// Chooses the dimension that a packet of the processor crosses first, and computes the remaining
/// header. The method is a [`FirstHopTable`] or a [`MinimalRotation`]. Where a switch has failed,
/// it is a [`HopTree`] whose table comes from pins.
#[derive(LogicBlock, Circuit, Default)]
pub struct FirstHopChoice {
    pub clock: Signal<In, Clock>,
    /// Per dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// A header that is not 0 is present; stable until `decided`.
    pub heading: Signal<In, Bit>,
    /// Where a switch has failed, per header: the dimension that is crossed first.
    pub first: Vec<Signal<In, Bits<DIM_BITS>>>,
    /// The choice for the present header is valid.
    pub decided: Signal<Out, Bit>,
    /// Per dimension: crossed first; at most one is high.
    pub choice: Vec<Signal<Out, Bit>>,
    /// Per dimension: still to be crossed after the first hop.
    pub crossed: Vec<Signal<Out, Bit>>,
    tables: Vec<FirstHopTable>,
    rotations: Vec<MinimalRotation>,
    trees: Vec<HopTree>,
    chosen: Vec<Signal<Local, Bit>>,
}

impl FirstHopChoice {
    /// Makes the method that the plan selects. The plan must be for minimal rotation.
    ///
    /// # Panics
    /// If a table would be too large.
    pub fn new(plan: RotationPlan) -> Self {
        let dims = plan.dims;
        let found = |first| usize::from(plan.scheme() == Scheme::Minimal && plan.first == first);
        let rewired = usize::from(plan.rewired);
        FirstHopChoice {
            left: list(dims),
            first: list(rewired << dims),
            choice: list(dims),
            crossed: list(dims),
            chosen: list(dims),
            tables: (0..found(FirstHop::Table)).map(|_| FirstHopTable::new(dims)).collect(),
            rotations: (0..found(FirstHop::Serial)).map(|_| MinimalRotation::new(dims)).collect(),
            trees: (0..rewired).map(|_| HopTree::new(dims)).collect(),
            ..Default::default()
        }
    }
}

impl Logic for FirstHopChoice {
    #[kernel]
    fn update(&mut self) {
        let dims = self.left.len();
        self.decided.next = true;
        for t in 0..self.tables.len() {
            for d in 0..dims {
                self.tables[t].left[d].next = self.left[d].val();
                self.chosen[d].next = self.tables[t].choice[d].val();
            }
        }
        for t in 0..self.rotations.len() {
            clock!(self, clock, rotations[t]);
            self.rotations[t].present.next = self.heading.val();
            link!(rotations[t] -> self: decided);
            for d in 0..dims {
                self.rotations[t].left[d].next = self.left[d].val();
                self.chosen[d].next = self.rotations[t].choice[d].val();
            }
        }
        for t in 0..self.trees.len() {
            for header in 0..self.first.len() {
                self.trees[t].entries[header].next = self.first[header].val();
            }
            for d in 0..dims {
                self.trees[t].left[d].next = self.left[d].val();
                self.chosen[d].next = self.trees[t].choice[d].val();
            }
        }
        for d in 0..dims {
            self.choice[d].next = self.chosen[d].val();
            self.crossed[d].next = self.left[d].val() & !self.chosen[d].val();
        }
    }
}

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
        FirstHopTable { left: list(dims), choice: list(dims), tree: HopTree::new(dims) }
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

// A combinational table of first hops.

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
    nodes: Vec<Signal<Local, Bits<DIM_BITS>>>,
    any: Signal<Local, Bit>,
}

impl HopTree {
    /// Makes the tree for a cube of `dims` dimensions, up to eight.
    pub fn new(dims: usize) -> Self {
        HopTree {
            left: list(dims),
            entries: list(1 << dims),
            choice: list(dims),
            nodes: list(2 << dims),
            ..Default::default()
        }
    }
}

/// Header bit that selects at an element of the tree; the highest bit at the root.
fn bit_at(dims: usize, node: usize) -> usize {
    dims - 1 - node.ilog2() as usize
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
        self.nodes[0].next = 0.into();
        for header in 0..headers {
            self.nodes[headers + header].next = self.entries[header].val();
        }
        for below in 0..(headers - 1) {
            let n = headers - 1 - below;
            if self.left[bit_at(dims, n)].val() {
                self.nodes[n].next = self.nodes[2 * n + 1].val();
            } else {
                self.nodes[n].next = self.nodes[2 * n].val();
            }
        }
        self.any.next = false;
        for d in 0..dims {
            self.any.next = self.any.val() | self.left[d].val();
        }
        for d in 0..dims {
            let here = self.nodes[1].val() == bits::<DIM_BITS>(dim(d));
            self.choice[d].next = here & self.any.val();
        }
    }
}

// The rule of minimal rotation after the first hop.

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
        FirstOne { left: list(dims), choice: list(dims), ..Default::default() }
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

// Thacker's rule.

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
        GroupEnd { left: list(dims), choice: list(dims), ..Default::default() }
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
