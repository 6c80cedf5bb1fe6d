//! The first hop of minimal rotation, in whichever way it is found.

use super::hop_tree::DIM_BITS;
use super::{list, FirstHop, FirstHopTable, HopTree, MinimalRotation, RotationPlan, Scheme};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Which dimension a packet of the processor crosses first, and what is then left: by one of
/// a [`FirstHopTable`], a [`MinimalRotation`] and, where a switch has failed, a [`HopTree`]
/// whose table are pins.
#[derive(LogicBlock, Circuit, Default)]
pub struct FirstHopChoice {
    pub clock: Signal<In, Clock>,
    /// By dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// There is a header, and it is not 0; it stays as it is until it is decided.
    pub heading: Signal<In, Bit>,
    /// Where a switch has failed, by header: the dimension that is crossed first.
    pub first: Vec<Signal<In, Bits<DIM_BITS>>>,
    /// It has been decided, of the header that is there.
    pub decided: Signal<Out, Bit>,
    /// By dimension: it is crossed first; of one at most.
    pub choice: Vec<Signal<Out, Bit>>,
    /// By dimension: it is still to be crossed then.
    pub crossed: Vec<Signal<Out, Bit>>,
    tables: Vec<FirstHopTable>,
    rotations: Vec<MinimalRotation>,
    trees: Vec<HopTree>,
    chosen: Vec<Signal<Local, Bit>>,
}

impl FirstHopChoice {
    /// As the plan wants it, which is one of minimal rotation.
    ///
    /// # Panics
    /// If there is a table that is too large.
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
            tables: (0..found(FirstHop::Table))
                .map(|_| FirstHopTable::new(dims))
                .collect(),
            rotations: (0..found(FirstHop::Serial))
                .map(|_| MinimalRotation::new(dims))
                .collect(),
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
            link!(self, rotations[t], decided);
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
