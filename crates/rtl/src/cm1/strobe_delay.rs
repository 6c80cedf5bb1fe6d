//! The delay line between the strobes of the heart's columns.
use hdl::prelude::*;

/// Passes a strobe from column to column of the heart, two bit-times each.
#[derive(LogicBlock, Circuit, Default)]
pub struct StrobeDelay<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// Strobe of column 0.
    pub strobe: Signal<In, Bit>,
    /// Strobes of all columns, column 0 lowest.
    pub column: Signal<Out, Bits<C>>,
    between: Reg<Bits<C>>,
    before: Reg<Bits<C>>,
}

impl<const C: usize> Logic for StrobeDelay<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, between, before);
        self.column.next = (self.before.q.val() << 1).replace_bit(0, self.strobe.val());
        self.between.d.next = self.column.val();
        self.before.d.next = self.between.q.val();
    }
}
