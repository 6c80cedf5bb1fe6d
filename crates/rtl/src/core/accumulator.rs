//! The soft core's working register, with its shifter.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// The word that the core computes with.
///
/// At the rising clock edge it becomes, the first that is asked for: 0 or 1
/// (`sets`), what it was (`holds`), else what is computed: a sum (`adds`) or a
/// bitwise result, or itself shifted by one bit.
#[derive(LogicBlock, Circuit, Default)]
pub struct Accumulator {
    pub clock: Signal<In, Clock>,
    pub sets: Signal<In, Bit>,
    /// What `sets` makes of bit 0.
    pub less: Signal<In, Bit>,
    pub holds: Signal<In, Bit>,
    pub adds: Signal<In, Bit>,
    pub sum: Signal<In, Bits<32>>,
    /// The bitwise result; zero when shifting.
    pub word: Signal<In, Bits<32>>,
    pub shifts: Signal<In, Bit>,
    /// Shift to the right.
    pub right: Signal<In, Bit>,
    /// Keep the sign on the way to the right.
    pub arithmetic: Signal<In, Bit>,
    /// Bits 0 and 1 of what is computed that are zero.
    pub cleared: Signal<In, Bits<2>>,
    pub value: Signal<Out, Bits<32>>,
    a: Reg<Bits<32>>,
}

impl Logic for Accumulator {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, a);
        let a = self.a.q.val();
        let shifts = self.shifts.val();
        let right = self.right.val();
        let zero = bits::<32>(0);
        let left_by_one = if shifts & !right { a << 1 } else { zero };
        let sign = (a.get_bit(31) & self.arithmetic.val()).resized::<32>();
        let right_by_one = if shifts & right {
            (a >> 1) | (sign << 31)
        } else {
            zero
        };
        let computed = if self.adds.val() {
            self.sum.val()
        } else {
            self.word.val() | left_by_one | right_by_one
        };
        if self.sets.val() {
            self.a.d.next = self.less.val().resized();
        } else if !self.holds.val() {
            self.a.d.next = computed & !self.cleared.val().resized::<32>();
        }
        self.value.next = a;
    }
}
