//! The first hop of minimal rotation, by any of the methods.

use super::hop_tree::DIM_BITS;
use super::{list, FirstHop, FirstHopTable, HopTree, MinimalRotation, RotationPlan, Scheme};
use hdl::prelude::*;

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
