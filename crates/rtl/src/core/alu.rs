//! The soft core's arithmetic unit, without shifts.
use hdl::prelude::*;

/// One adder for sums, differences, addresses and comparisons, and the bitwise operations.
/// Combinational.
///
/// Subtraction inverts `b` and sets the carry in. There is no carry out: the comparisons use the
/// signs.
#[derive(LogicBlock, Circuit, Default)]
pub struct Alu {
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    /// Invert `b` and set the carry in; also required for `less` and `equal`.
    pub subtract: Signal<In, Bit>,
    /// `less` compares unsigned words.
    pub without_sign: Signal<In, Bit>,
    /// Selects `word`: 0 `b`, 1 exclusive or, 2 or, 3 and.
    pub bitwise: Signal<In, Bits<2>>,
    pub sum: Signal<Out, Bits<32>>,
    pub word: Signal<Out, Bits<32>>,
    /// `a < b`; valid when subtracting.
    pub less: Signal<Out, Bit>,
    /// `a == b`; valid when subtracting, with the exclusive or selected.
    pub equal: Signal<Out, Bit>,
}

impl Logic for Alu {
    #[kernel]
    fn update(&mut self) {
        let a = self.a.val();
        let subtract = self.subtract.val();
        let b = if subtract {
            !self.b.val()
        } else {
            self.b.val()
        };
        // The lowest bit of the adder injects the carry in.
        let carry = subtract.resized::<33>();
        let wide = ((a.resized::<33>() << 1) | 1) + ((b.resized::<33>() << 1) | carry);
        let sum = wide.get_bits::<32>(1);
        self.sum.next = sum;
        // This form maps to one LUT per bit.
        let bitwise = self.bitwise.val();
        let low = if bitwise.get_bit(0) { a ^ b } else { b };
        let high = if bitwise.get_bit(0) { a & b } else { a | b };
        let word = if bitwise.get_bit(1) { high } else { low };
        self.word.next = word;
        self.equal.next = word.all();
        // `b` is inverted, so equal bits here mean that the signs differ.
        let signs_differ = a.get_bit(31) == b.get_bit(31);
        self.less.next = if signs_differ {
            a.get_bit(31) ^ self.without_sign.val()
        } else {
            sum.get_bit(31)
        };
    }
}
