//! Faults of the printer in expressions: inversion, precedence, literals.

use crate::rust_hdl_faults::source::KernelPorts;
use hdl::prelude::*;

/// Fault 1: `!x` of one bit prints as `~x`, which has the width of its context.
macro_rules! inversion {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub word: Signal<In, Bits<4>>,
            pub at: Signal<In, Bits<2>>,
            pub x: Signal<In, Bit>,
            pub o: Signal<Out, Bits<4>>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = self.word.val().replace_bit(self.at.val().index(), !self.x.val());
            }
        }
    };
}

#[test]
fn fault_1_inverted_bit_put_into_a_word() {
    inversion!(Ours, kernel);
    inversion!(Theirs, hdl_gen);
    let ports = KernelPorts { inputs: &[("word", 4), ("at", 2), ("x", 1)], output: ("o", 4) };
    let truth = ports.lowered(Ours::default);
    assert_eq!(truth, ports.in_rust(Theirs::default()));
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    // Bit 1 becomes !1 = 0. In Verilog ~1 is 32'hffff_fffe, and all higher bits are set.
    assert_eq!(truth.at(&[0, 1, 1]), 0);
    assert_eq!(printed.at(&[0, 1, 1]), 0b1100);
    for word in 0..16 {
        for at in 0..4 {
            let above = 0xe << at & 0xf;
            let replaced = |x: u64| word & !(1 << at) | (x ^ 1) << at;
            assert_eq!(truth.at(&[word, at, 0]), replaced(0));
            assert_eq!(truth.at(&[word, at, 1]), replaced(1));
            assert_eq!(printed.at(&[word, at, 1]), replaced(1) | above);
        }
    }
}

macro_rules! inverted_cast {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub x: Signal<In, Bit>,
            pub o: Signal<Out, Bits<8>>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = bit_cast::<8, 1>((!self.x.val()).into());
            }
        }
    };
}

#[test]
fn fault_1_inverted_bit_cast_to_a_word() {
    inverted_cast!(Ours, kernel);
    inverted_cast!(Theirs, hdl_gen);
    let ports = KernelPorts { inputs: &[("x", 1)], output: ("o", 8) };
    let truth = ports.lowered(Ours::default);
    assert_eq!(truth, ports.in_rust(Theirs::default()));
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    assert_eq!([truth.at(&[0]), truth.at(&[1])], [1, 0]);
    assert_eq!([printed.at(&[0]), printed.at(&[1])], [0xff, 0xfe]);
}

/// Fault 2: parentheses are missing, and `==` binds more tightly in Verilog than `&`.
macro_rules! precedence {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<3>>,
            pub b: Signal<In, Bits<3>>,
            pub o: Signal<Out, Bit>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = self.a.val() & self.b.val() == self.b.val();
            }
        }
    };
}

#[test]
fn fault_2_precedence() {
    precedence!(Ours, kernel);
    precedence!(Theirs, hdl_gen);
    let ports = KernelPorts { inputs: &[("a", 3), ("b", 3)], output: ("o", 1) };
    let truth = ports.lowered(Ours::default);
    assert_eq!(truth, ports.in_rust(Theirs::default()));
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    // (6 & 2) == 2 holds. 6 & (2 == 2) is 6 & 1, whose last bit is 0.
    assert_eq!(truth.at(&[6, 2]), 1);
    assert_eq!(printed.at(&[6, 2]), 0);
    for a in 0..8 {
        for b in 0..8 {
            assert_eq!(truth.at(&[a, b]), u64::from(a & b == b));
            assert_eq!(printed.at(&[a, b]), a & 1);
        }
    }
}

/// Fault 3: literals have 32 bits, and so does every expression around them.
macro_rules! sum {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub b: Signal<In, Bits<4>>,
            pub o: Signal<Out, Bit>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = self.a.val() + 1 == self.b.val();
            }
        }
    };
}

const TWO_NIBBLES: KernelPorts = KernelPorts { inputs: &[("a", 4), ("b", 4)], output: ("o", 1) };

#[test]
fn fault_3_a_sum_does_not_wrap() {
    sum!(Ours, kernel);
    sum!(Theirs, hdl_gen);
    let truth = TWO_NIBBLES.lowered(Ours::default);
    assert_eq!(truth, TWO_NIBBLES.in_rust(Theirs::default()));
    let printed = TWO_NIBBLES.printed(&Theirs::default());
    let printed = printed.expect("it compiles");
    assert_eq!([truth.at(&[15, 0]), printed.at(&[15, 0])], [1, 0]);
    assert_eq!(truth.differences(&printed), 1);
}

macro_rules! difference {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub b: Signal<In, Bits<4>>,
            pub o: Signal<Out, Bit>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = self.a.val() - self.b.val() > 3;
            }
        }
    };
}

#[test]
fn fault_3_a_difference_does_not_wrap() {
    difference!(Ours, kernel);
    difference!(Theirs, hdl_gen);
    let truth = TWO_NIBBLES.lowered(Ours::default);
    assert_eq!(truth, TWO_NIBBLES.in_rust(Theirs::default()));
    let printed = TWO_NIBBLES.printed(&Theirs::default());
    let printed = printed.expect("it compiles");
    // 0 - 13 is 3 in four bits, and almost 2^32 in 32 bits.
    assert_eq!([truth.at(&[0, 13]), printed.at(&[0, 13])], [0, 1]);
    // The results differ for differences of -13, -14 and -15, of which there are 3 + 2 + 1.
    assert_eq!(truth.differences(&printed), 6);
}
