//! The soft core's accumulator with its shifter.
use hdl::prelude::*;

/// The working register of the core.
///
/// The next value has this priority: 0 or 1 (`sets`), the old value (`holds`), otherwise the
/// computed value. The computed value is a sum (`adds`), a bitwise result, or the old value shifted
/// by one bit.
#[derive(LogicBlock, Circuit, Default)]
pub struct Accumulator {
    pub clock: Signal<In, Clock>,
    pub sets: Signal<In, Bit>,
    /// Value of bit 0 when `sets` is high.
    pub less: Signal<In, Bit>,
    pub holds: Signal<In, Bit>,
    pub adds: Signal<In, Bit>,
    pub sum: Signal<In, Bits<32>>,
    /// Bitwise result; zero when shifting.
    pub word: Signal<In, Bits<32>>,
    pub shifts: Signal<In, Bit>,
    /// Shift right.
    pub right: Signal<In, Bit>,
    /// Keep the sign when shifting right.
    pub arithmetic: Signal<In, Bit>,
    /// Mask of bits 0 and 1 of the computed value to clear.
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
