//! Losses of the syntax tree: the meaning of names.

use crate::rust_hdl_faults::source::{tree, KernelPorts};
use hdl::prelude::*;
use rust_hdl::prelude::ast::{VerilogExpression as Expression, VerilogStatement as Statement};

const TOP: u64 = 9;

/// A constant.
macro_rules! constant {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub o: Signal<Out, Bits<4>>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = self.a.val() + TOP;
            }
        }
    };
}

#[test]
fn a_constant_is_a_signal_of_that_name() {
    constant!(Ours, kernel);
    constant!(Theirs, hdl_gen);
    let ports = KernelPorts { inputs: &[("a", 4)], output: ("o", 4) };
    let truth = ports.lowered(Ours::default);
    assert_eq!(truth, ports.in_rust(Theirs::default()));
    assert_eq!(truth.at(&[8]), 1);
    let tree = tree(&Theirs::default());
    let [Statement::Assignment(_, Expression::Binary(_, _, top))] = &tree[..] else {
        panic!("{tree:?}");
    };
    assert!(matches!(&**top, Expression::Signal(name) if name == "TOP"));
    let error = ports.printed(&Theirs::default());
    let error = error.expect_err("nothing is called so").to_string();
    assert!(error.contains("TOP"), "{error}");
}

mod tx {
    use hdl::prelude::*;

    #[word]
    pub enum State {
        Idle,
        Busy,
    }
}

mod rx {
    use hdl::prelude::*;

    #[word]
    pub enum State {
        Busy,
        Idle,
    }
}

/// Two enums called `State`, with variants in different orders.
macro_rules! states {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub t: Signal<In, Bit>,
            pub r: Signal<In, Bit>,
            pub o: Signal<Out, Bits<2>>,
            tx: Signal<Local, tx::State>,
            rx: Signal<Local, rx::State>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.tx.next = tx::State::Idle;
                self.rx.next = rx::State::Idle;
                if self.t.val() {
                    self.tx.next = tx::State::Busy;
                }
                if self.r.val() {
                    self.rx.next = rx::State::Busy;
                }
                self.o.next = 0.into();
                if self.tx.val() == tx::State::Busy {
                    self.o.next = 1.into();
                }
                match self.rx.val() {
                    rx::State::Busy => {
                        self.o.next = self.o.val() + 2;
                    }
                    rx::State::Idle => {}
                }
            }
        }
    };
}

#[test]
fn enums_of_one_name_share_their_constants() {
    states!(Ours, kernel);
    states!(Theirs, hdl_gen);
    let ports = KernelPorts { inputs: &[("t", 1), ("r", 1)], output: ("o", 2) };
    let truth = ports.lowered(Ours::default);
    assert_eq!(truth, ports.in_rust(Theirs::default()));
    for (t, r) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        assert_eq!(truth.at(&[t, r]), t + 2 * r);
    }
    // The tree has a path that the types do not know.
    let tree = tree(&Theirs::default());
    let Statement::Assignment(_, Expression::Signal(idle)) = &tree[0] else {
        panic!("{tree:?}");
    };
    assert_eq!(idle, "tx$State$Idle");
    // The types have the same names for different values.
    let names = |descriptor: TypeDescriptor| match descriptor.kind {
        TypeKind::Enum(variants) => (descriptor.name, variants),
        other => panic!("{other:?}"),
    };
    let (tx_name, tx_variants) = names(tx::State::descriptor());
    let (rx_name, rx_variants) = names(rx::State::descriptor());
    assert_eq!([tx_name.as_str(), rx_name.as_str()], ["State", "State"]);
    assert_eq!(tx_variants, ["State::Idle", "State::Busy"]);
    assert_eq!(rx_variants, ["State::Busy", "State::Idle"]);
    let printed = generate_verilog_unchecked(&Theirs::default());
    for line in [
        "localparam State$Idle = 0;",
        "localparam State$Idle = 1;",
        "localparam State$Busy = 0;",
        "localparam State$Busy = 1;",
        "tx = tx$State$Idle;",
    ] {
        assert!(printed.contains(line), "{line} is not in {printed}");
    }
    let error = ports.printed(&Theirs::default());
    let error = error.expect_err("nothing is called so").to_string();
    assert!(error.contains("State$Idle"), "{error}");
}
