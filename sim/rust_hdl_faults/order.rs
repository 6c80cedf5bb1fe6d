//! Losses of the syntax tree: when a value is assigned, kept and read.

use crate::rust_hdl_faults::source::{assert_refused, tree, KernelPorts};
use hdl::prelude::*;
use rust_hdl::prelude::ast::{VerilogBlockOrConditional, VerilogStatement as Statement};

/// A path that assigns nothing.
macro_rules! latch {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<2>>,
            pub c: Signal<In, Bit>,
            pub o: Signal<Out, Bits<2>>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                if self.c.val() {
                    self.o.next = self.a.val();
                }
            }
        }
    };
}

#[test]
fn a_path_that_assigns_nothing_is_a_latch() {
    latch!(Ours, kernel);
    latch!(Theirs, hdl_gen);
    let text = "o: bit 0 isn't assigned on every path, so it keeps its old value: a latch";
    assert_refused(&Ours::default(), text);
    let tree = tree(&Theirs::default());
    let [Statement::If(found)] = &tree[..] else {
        panic!("{tree:?}");
    };
    let otherwise = &found.otherwise;
    assert!(matches!(otherwise, VerilogBlockOrConditional::None));
    // The first input counts fastest and c is set last, so that the previous value reappears when c
    // falls.
    let ports = KernelPorts { inputs: &[("c", 1), ("a", 2)], output: ("o", 2) };
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    for a in 1..4 {
        assert_eq!(printed.at(&[0, a]), a - 1, "kept from the row before");
        assert_eq!(printed.at(&[1, a]), a);
    }
}

macro_rules! through {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub i: Signal<In, Bits<2>>,
            pub o: Signal<Out, Bits<2>>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = self.i.val();
            }
        }
    };
}

/// The input of a child is written, read and written again.
macro_rules! reread {
    ($name:ident, $child:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<2>>,
            pub o: Signal<Out, Bits<2>>,
            child: $child,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.child.i.next = self.a.val();
                self.o.next = self.child.i.val();
                self.child.i.next = self.a.val() + 1;
            }
        }
    };
}

#[test]
fn the_input_of_a_child_is_read_settled() {
    through!(OurChild, kernel);
    through!(TheirChild, hdl_gen);
    reread!(Ours, OurChild, kernel);
    reread!(Theirs, TheirChild, hdl_gen);
    let text = "child.i: is an input of a cell or child and can't be read";
    assert_refused(&Ours::default(), text);
    let ports = KernelPorts { inputs: &[("a", 2)], output: ("o", 2) };
    let truth = ports.in_rust(Theirs::default());
    let printed = ports.printed(&Theirs::default()).expect("it compiles");
    for a in 0..4 {
        assert_eq!([truth.at(&[a]), printed.at(&[a])], [(a + 1) % 4, a]);
    }
}
