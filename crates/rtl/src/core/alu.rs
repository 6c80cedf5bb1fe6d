//! The soft core's arithmetic, without its shifts.

use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// One adder for sums, differences, addresses and comparisons, and the bitwise
/// operations. Combinational.
///
/// To subtract, `b` is inverted and a carry goes in. There is no carry out: the
/// comparisons look at the signs.
#[derive(LogicBlock, Circuit, Default)]
pub struct Alu {
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    /// Invert `b` and let a carry in; for `less` and `equal`, too.
    pub subtract: Signal<In, Bit>,
    /// `less` compares words without sign.
    pub without_sign: Signal<In, Bit>,
    /// What `word` is: 0 `b`, 1 exclusive or, 2 or, 3 and.
    pub bitwise: Signal<In, Bits<2>>,
    pub sum: Signal<Out, Bits<32>>,
    pub word: Signal<Out, Bits<32>>,
    /// `a < b`, when subtracting.
    pub less: Signal<Out, Bit>,
    /// `a == b`, when subtracting and at the exclusive or.
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
        // One adder with a bit below for the carry in.
        let carry = subtract.resized::<33>();
        let wide = ((a.resized::<33>() << 1) | 1) + ((b.resized::<33>() << 1) | carry);
        let sum = wide.get_bits::<32>(1);
        self.sum.next = sum;
        // One LUT for each bit, if it is said like this.
        let bitwise = self.bitwise.val();
        let low = if bitwise.get_bit(0) { a ^ b } else { b };
        let high = if bitwise.get_bit(0) { a & b } else { a | b };
        let word = if bitwise.get_bit(1) { high } else { low };
        self.word.next = word;
        self.equal.next = word.all();
        // `b` is inverted: bits that are equal here were different.
        let signs_differ = a.get_bit(31) == b.get_bit(31);
        self.less.next = if signs_differ {
            a.get_bit(31) ^ self.without_sign.val()
        } else {
            sum.get_bit(31)
        };
    }
}
