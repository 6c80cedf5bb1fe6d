use crate::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// What the ALU does bit by bit.
#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
pub enum Bitwise {
    /// `b` as it is.
    Pass,
    Xor,
    Or,
    And,
}

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
    pub bitwise: Signal<In, Bitwise>,
    pub sum: Signal<Out, Bits<32>>,
    /// The bitwise result.
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
        let carry = bit_cast::<33, 1>(subtract.into());
        let wide = ((bit_cast::<33, 32>(a) << 1) | 1) + ((bit_cast::<33, 32>(b) << 1) | carry);
        let sum = wide.get_bits::<32>(1);
        self.sum.next = sum;
        self.word.next = b;
        match self.bitwise.val() {
            Bitwise::Pass => {}
            Bitwise::Xor => self.word.next = a ^ b,
            Bitwise::Or => self.word.next = a | b,
            Bitwise::And => self.word.next = a & b,
        }
        self.equal.next = self.word.val().all();
        // `b` is inverted: bits that are equal here were different.
        let signs_differ = a.get_bit(31) == b.get_bit(31);
        self.less.next = if signs_differ {
            a.get_bit(31) ^ self.without_sign.val()
        } else {
            sum.get_bit(31)
        };
    }
}
