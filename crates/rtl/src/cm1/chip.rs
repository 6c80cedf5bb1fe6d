//! The chip of which a CM-1 is an array.

use super::{PetitPlan, ProcessorLines, Router, Strobes};
use hdl::prelude::*;

/// A chip in a machine: its router and the ends of its cube wires, where incoming bits can be
/// inverted.
#[derive(LogicBlock, Circuit, Default)]
pub struct Chip<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// Inverts the bits that arrive on these wires.
    pub flip: Signal<In, Bits<C>>,
    /// Ports of [`Router`], from here on.
    pub cube_in: Signal<In, Bits<C>>,
    pub cube_out: Signal<Out, Bits<C>>,
    pub lines: ProcessorLines,
    pub strobes: Strobes<C>,
    router: Router<C>,
}

impl<const C: usize> Chip<C> {
    /// Makes a chip with this number of rows.
    ///
    /// # Panics
    /// Under the conditions of [`Router::new`].
    pub fn new(rows: usize, plan: PetitPlan) -> Self {
        Chip {
            router: Router::new(rows, plan),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Chip<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, router);
        self.router.cube_in.next = self.cube_in.val() ^ self.flip.val();
        link!(self, router, cube_out, lines, strobes);
    }
}
