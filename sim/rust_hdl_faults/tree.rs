//! Losses of the syntax tree: guards, inclusive ranges, methods, functions and catch-all patterns.

use crate::rust_hdl_faults::source::{assert_compile_time_case, assert_refused, tree, KernelPorts};
use hdl::prelude::*;
use rust_hdl::prelude::ast::{
    VerilogExpression as Expression, VerilogOp, VerilogStatement as Statement,
};

#[word]
enum GuardState {
    Idle,
    Busy,
}

/// `GuardState::Idle if c => ..`.
macro_rules! guard {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub busy: Signal<In, Bit>,
            pub c: Signal<In, Bit>,
            pub o: Signal<Out, Bits<2>>,
            state: Signal<Local, GuardState>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.state.next = GuardState::Idle;
                if self.busy.val() {
                    self.state.next = GuardState::Busy;
                }
                match self.state.val() {
                    GuardState::Idle if self.c.val() => {
                        self.o.next = 1.into();
                    }
                    GuardState::Busy => {
                        self.o.next = 2.into();
                    }
                    _ => {
                        self.o.next = 3.into();
                    }
                }
            }
        }
    };
}

#[test]
fn a_match_guard_is_lost() {
    guard!(Ours, kernel);
    guard!(Theirs, hdl_gen);
    let ports = KernelPorts { inputs: &[("busy", 1), ("c", 1)], output: ("o", 2) };
    let truth = ports.lowered(Ours::default);
    assert_eq!(truth, ports.in_rust(Theirs::default()));
    let tree = tree(&Theirs::default());
    let Statement::Match(found) = &tree[2] else {
        panic!("{tree:?}");
    };
    let labels: Vec<&str> = found.cases.iter().map(|c| c.condition.as_str()).collect();
    assert_eq!(labels, ["GuardState$Idle", "GuardState$Busy", "default"]);
    assert!(!format!("{found:?}").contains("\"c\""), "{found:?}");
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    assert_eq!([truth.at(&[0, 0]), printed.at(&[0, 0])], [3, 1]);
    assert_eq!(truth.differences(&printed), 1);
}

/// `for i in 0..=3`.
macro_rules! inclusive {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub o: Signal<Out, Bit>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = false;
                for i in 0..=3 {
                    self.o.next = self.o.val() ^ self.a.val().get_bit(i);
                }
            }
        }
    };
}

#[test]
fn an_inclusive_range_loses_its_end() {
    inclusive!(Ours, kernel);
    inclusive!(Theirs, hdl_gen);
    let ports = KernelPorts { inputs: &[("a", 4)], output: ("o", 1) };
    let truth = ports.lowered(Ours::default);
    assert_eq!(truth, ports.in_rust(Theirs::default()));
    let tree = tree(&Theirs::default());
    let Statement::Loop(found) = &tree[1] else {
        panic!("{tree:?}");
    };
    assert_eq!([found.from.as_usize(), found.to.as_usize()], [0, 3]);
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    // The parity of four bits, and of three.
    assert_eq!([truth.at(&[8]), printed.at(&[8])], [1, 0]);
    assert_eq!(truth.differences(&printed), 8);
}

/// The index is a `usize`, so seven plus one is eight.
#[derive(LogicBlock, Circuit, Default)]
pub struct Indexed {
    pub a: Signal<In, Bits<3>>,
    pub o: Signal<Out, Bit>,
}

impl Logic for Indexed {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val().index() + 1 == 8;
    }
}

/// The printer's 32-bit literals happen to hide this fault. A comparison of two indices shows it.
#[derive(LogicBlock, Circuit, Default)]
pub struct IndexComparison {
    pub a: Signal<In, Bits<3>>,
    pub b: Signal<In, Bits<3>>,
    pub o: Signal<Out, Bit>,
}

impl Logic for IndexComparison {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val().index() + self.b.val().index() < self.a.val().index();
    }
}

#[test]
fn index_is_erased() {
    let tree = tree(&Indexed::default());
    let [Statement::Assignment(_, Expression::Binary(sum, VerilogOp::Eq, eight))] = &tree[..]
    else {
        panic!("{tree:?}");
    };
    assert!(matches!(&**eight, Expression::Literal(l) if l.as_usize() == 8));
    let Expression::Binary(a, VerilogOp::Add, one) = &**sum else {
        panic!("{sum:?}");
    };
    assert!(matches!(&**a, Expression::Signal(name) if name == "a"));
    assert!(matches!(&**one, Expression::Literal(l) if l.as_usize() == 1));

    let ports = KernelPorts { inputs: &[("a", 3), ("b", 3)], output: ("o", 1) };
    // A sum of indices is never smaller than one of them. A 3-bit sum wraps around.
    let truth = ports.in_rust(IndexComparison::default());
    let printed = ports.printed(&IndexComparison::default()).expect("it compiles");
    assert_eq!([truth.at(&[7, 1]), printed.at(&[7, 1])], [0, 1]);

    assert_compile_time_case(
        "types/conversions.rs",
        "self.o.next = self.a.val().index() + 1 == 8;",
        "cannot add",
    );
}

fn bits_reversed(x: Bits<4>) -> Bits<4> {
    x ^ 15
}

/// A function of a word that is not marked as part of a circuit.
macro_rules! function {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub b: Signal<Out, Bits<4>>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.b.next = bits_reversed(self.a.val());
            }
        }
    };
}

#[test]
fn a_function_whose_name_begins_with_bits_vanishes() {
    function!(Ours, kernel);
    function!(Theirs, hdl_gen);
    let text = "a function cannot take a word: `sim::rust_hdl_faults::tree::bits_reversed`";
    assert_refused(&Ours::default(), text);
    let tree = tree(&Theirs::default());
    let [Statement::Assignment(_, Expression::Cast(inner, 4))] = &tree[..] else {
        panic!("{tree:?}");
    };
    assert!(matches!(&**inner, Expression::Signal(name) if name == "a"));
    let ports = KernelPorts { inputs: &[("a", 4)], output: ("b", 4) };
    let truth = ports.in_rust(Theirs::default());
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    for a in 0..16 {
        assert_eq!([truth.at(&[a]), printed.at(&[a])], [a ^ 15, a]);
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct CatchAll {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
}

impl Logic for CatchAll {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val();
        match self.a.val().index() {
            0 => self.o.next = self.a.val() + 1,
            _other => self.o.next = self.a.val() + 2,
        }
    }
}

#[test]
fn a_catch_all_is_a_case_label() {
    let tree = tree(&CatchAll::default());
    let Statement::Match(found) = &tree[1] else {
        panic!("{tree:?}");
    };
    assert_eq!(found.cases[1].condition, "_other");
    let ports = KernelPorts { inputs: &[("a", 4)], output: ("o", 4) };
    assert_eq!(ports.in_rust(CatchAll::default()).at(&[5]), 7);
    let error = ports.printed(&CatchAll::default());
    let error = error.expect_err("nothing is called so").to_string();
    assert!(error.contains("_other"), "{error}");
    assert_compile_time_case(
        "macros/patterns.rs",
        "_other => self.o.next = self.a.val() + 2,",
        "`_other` would bind a name",
    );
}
