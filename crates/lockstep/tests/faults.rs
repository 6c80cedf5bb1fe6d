//! Faults that `check` reports in signals, expressions, statements, cells and instances, and their
//! messages.

use crate::common::{arm, big, case, design, faults, if_, TestBuilder};
use lockstep::design::check::check;
use lockstep::design::*;
use std::sync::Arc;

/// Asserts that the design has exactly this fault.
#[track_caller]
fn expect_fault(m: TestBuilder, message: &str) {
    assert_eq!(m.faults(), [message]);
}

#[track_caller]
fn expect_no_fault(m: TestBuilder) {
    assert_eq!(check(&m.design()), Ok(()));
}

/// Makes a module with an 8-bit output. `build` computes it from an 8-bit input.
fn expression(build: impl FnOnce(&mut TestBuilder, ExprId) -> ExprId) -> TestBuilder {
    let mut m = TestBuilder::new("top");
    let (a, out) = (m.input("a", 8), m.output("out", 8));
    let a = m.read(a);
    let value = build(&mut m, a);
    m.drive(out, value);
    m
}

#[test]
fn widths_of_expressions() {
    type Build = fn(&mut TestBuilder, ExprId) -> ExprId;
    let cases: [(Build, &str); 16] = [
        (
            |m, _| m.constant(256, 8),
            "the constant 256 doesn't fit into 8 bits",
        ),
        (
            |m, _| m.expr(ExprOp::Read(SignalId(0)), 7),
            "a: the signal and the expression that reads it must be equally wide but have 8 and 7 bits",
        ),
        (
            |m, a| m.expr(ExprOp::Unary(UnaryOp::Not, a), 9),
            "the operand and result of Not must be equally wide but have 8 and 9 bits",
        ),
        (
            |m, a| m.expr(ExprOp::Unary(UnaryOp::All, a), 8),
            "the result of All and one bit must be equally wide but have 8 and 1 bits",
        ),
        (
            |m, a| {
                let b = m.constant(0, 4);
                m.expr(ExprOp::Binary(BinaryOp::Add, a, b), 8)
            },
            "the operands of Add must be equally wide but have 8 and 4 bits",
        ),
        (
            |m, a| m.expr(ExprOp::Binary(BinaryOp::Xor, a, a), 4),
            "the left operand and the result of Xor must be equally wide but have 8 and 4 bits",
        ),
        (
            |m, a| m.expr(ExprOp::Binary(BinaryOp::Le, a, a), 8),
            "the result of Le and one bit must be equally wide but have 8 and 1 bits",
        ),
        (
            |m, a| m.expr(ExprOp::Binary(BinaryOp::Shl, a, a), 9),
            "the left operand and the result of Shl must be equally wide but have 8 and 9 bits",
        ),
        (
            |m, a| {
                let mux = ExprOp::Mux { cond: a, then: a, otherwise: a };
                m.expr(mux, 8)
            },
            "the condition of a Mux and one bit must be equally wide but have 8 and 1 bits",
        ),
        (
            |m, a| {
                let (cond, then) = (m.constant(0, 1), m.constant(0, 3));
                m.expr(ExprOp::Mux { cond, then, otherwise: a }, 8)
            },
            "the first choice and the result of a Mux must be equally wide but have 3 and 8 bits",
        ),
        (
            |m, a| {
                let (cond, otherwise) = (m.constant(0, 1), m.constant(0, 3));
                m.expr(ExprOp::Mux { cond, then: a, otherwise }, 8)
            },
            "the second choice and the result of a Mux must be equally wide but have 3 and 8 bits",
        ),
        (
            |m, a| m.slice(a, 1, 8),
            "the 8 bits from 1 up are not all in a word of 8 bits",
        ),
        (
            |m, a| m.slice(a, u32::MAX, 8),
            "the 8 bits from 4294967295 up are not all in a word of 8 bits",
        ),
        (
            |m, a| m.expr(ExprOp::BitAt { value: a, index: a }, 1),
            "a bit number of up to 255 in a word of 8 bits; the highest value of the index must be 7 \
             (make the index narrower or the word wider)",
        ),
        (
            |m, a| {
                let (index, bit) = (m.constant(8, 4), m.constant(1, 1));
                m.expr(ExprOp::ReplaceBit { value: a, index, bit }, 8)
            },
            "a bit number of up to 8 in a word of 8 bits; the highest value of the index must be 7 \
             (make the index narrower or the word wider)",
        ),
        (
            |m, a| {
                let index = m.constant(7, 4);
                m.expr(ExprOp::ReplaceBit { value: a, index, bit: a }, 8)
            },
            "the new bit of ReplaceBit and one bit must be equally wide but have 8 and 1 bits",
        ),
    ];
    for (build, message) in cases {
        let faults = expression(build).faults();
        assert_eq!(faults[0], format!("test.rs:1:5: module top: {message}"));
    }
}

/// All widths and values are at the limit of what is allowed.
#[test]
fn widths_that_fit() {
    expect_no_fault(expression(|m, a| {
        let (index, narrow) = (m.constant(7, 4), m.slice(a, 5, 3));
        let bit = m.expr(ExprOp::BitAt { value: a, index: narrow }, 1);
        let value = m.expr(ExprOp::ReplaceBit { value: a, index, bit }, 8);
        let highest = m.constant(255, 8);
        let shifted = m.binary(BinaryOp::Shr, value, narrow);
        m.binary(BinaryOp::And, shifted, highest)
    }));
    // The value of a constant signal stays below the width although its type does not.
    let mut m = TestBuilder::new("top");
    let (a, out) = (m.input("a", 8), m.output("out", 1));
    let index = m.signal("INDEX", 8, SignalKind::Constant(big(7)));
    let (value, index) = (m.read(a), m.read(index));
    let bit = m.expr(ExprOp::BitAt { value, index }, 1);
    m.drive(out, bit);
    expect_no_fault(m);
}

#[test]
fn widths_of_statements() {
    expect_fault(
        expression(|m, _| m.constant(0, 9)),
        "test.rs:1:5: module top: out: the signal and the value assigned to it must be equally \
         wide but have 8 and 9 bits",
    );

    let mut m = TestBuilder::new("top");
    let out = m.output("out", 8);
    let value = m.constant(0, 4);
    m.module.body = vec![m.assign_slice(out, 5, value)];
    expect_fault(
        m,
        "test.rs:1:5: module top: out: the 4 bits from 5 up are not all in a word of 8 bits",
    );

    let mut m = TestBuilder::new("top");
    let out = m.output("out", 8);
    let value = m.constant(0, 8);
    let then = vec![m.assign(out, value)];
    let otherwise = vec![m.assign(out, value)];
    m.module.body = vec![if_(value, then, otherwise)];
    expect_fault(
        m,
        "test.rs:1:5: module top: the condition of an if and one bit must be equally wide but \
         have 8 and 1 bits",
    );

    let mut m = TestBuilder::new("top");
    let out = m.output("out", 8);
    let value = m.constant(0, 8);
    let arms = vec![arm(&[256], vec![m.assign(out, value)])];
    m.module.body = vec![case(value, arms, vec![m.assign(out, value)])];
    expect_fault(
        m,
        "test.rs:1:5: module top: a case has the value 256, which doesn't fit the 8 bits of its \
         subject",
    );
}

#[test]
fn types() {
    let mut m = TestBuilder::new("top");
    m.input("a", 0);
    expect_fault(m, "module top: a: has no bits; a word has at least one bit");

    let mut m = TestBuilder::new("top");
    let ty = EnumType {
        name: "State".into(),
        width: 1,
        variants: vec!["A".into(), "B".into(), "C".into()],
    };
    m.typed("a", Type::Enum(Arc::new(ty)), SignalKind::Input);
    expect_fault(m, "module top: a: State has 3 variants, too many for 1 bits");

    let mut m = TestBuilder::new("top");
    let field = |name: &str, offset| FieldType { name: name.into(), offset, ty: Type::Bits(4) };
    let ty = StructType { name: "Pair".into(), fields: vec![field("low", 0), field("high", 5)] };
    m.typed("a", Type::Struct(Arc::new(ty)), SignalKind::Input);
    expect_fault(
        m,
        "module top: a: the field high of Pair begins at bit 5; fields are packed without gaps, \
         so it must begin at bit 4",
    );

    let mut m = TestBuilder::new("top");
    m.signal("A", 3, SignalKind::Constant(big(8)));
    expect_fault(m, "module top: A: the constant 8 doesn't fit into 3 bits");
}

#[test]
fn signal_kinds_that_can_be_assigned_and_read() {
    let assign = |kind: SignalKind| {
        let mut m = TestBuilder::new("top");
        let target = m.signal("s", 1, kind);
        let value = m.constant(0, 1);
        m.drive(target, value);
        m
    };
    expect_fault(
        assign(SignalKind::Input),
        "test.rs:1:5: module top: s: is an input port and can't be assigned",
    );
    expect_fault(
        assign(SignalKind::Constant(big(0))),
        "test.rs:1:5: module top: s: is a constant and can't be assigned",
    );

    let mut m = TestBuilder::new("top");
    let (d, q) = m.register("r", 1, 0);
    m.connect(d, q);
    m.connect(q, q);
    expect_fault(
        m,
        "test.rs:2:5: module top: r.q: is an output of a cell or child and can't be assigned",
    );

    let mut m = TestBuilder::new("top");
    let (d, q) = m.register("r", 1, 0);
    let out = m.output("out", 1);
    m.connect(d, q);
    m.connect(out, d);
    expect_fault(
        m,
        "test.rs:2:5: module top: r.d: is an input of a cell or child and can't be read; read \
         what is assigned to it",
    );
}

#[test]
fn duplicate_names() {
    let mut m = TestBuilder::new("top");
    m.input("a", 1);
    m.input("a", 1);
    expect_fault(m, "module top: a: is the name of two signals; names must be unique");

    let mut m = TestBuilder::new("top");
    m.input("clock", 1);
    let (d, q) = m.register("r", 1, 0);
    m.connect(d, q);
    expect_fault(m, "module top: clock: is the name of two signals; names must be unique");

    let mut m = TestBuilder::new("top");
    let (d, q) = m.register("r", 1, 0);
    m.connect(d, q);
    let child = TestBuilder::new("child").module;
    m.instance("r", 0, &child);
    assert_eq!(
        faults(&design(vec![child, m.module])),
        ["module top: r: is the name of two cells or instances; names must be unique"]
    );

    let twice = design(vec![TestBuilder::new("m").module, TestBuilder::new("m").module]);
    assert_eq!(faults(&twice), ["two modules are called m; names of modules must be unique"]);
}

/// Makes a parent of `wire`, and `change` makes its pins faulty.
fn parent(change: impl FnOnce(&mut DesignModule)) -> Vec<String> {
    let mut child = TestBuilder::new("wire");
    let (a, y) = (child.input("a", 4), child.output("y", 4));
    child.connect(y, a);
    let mut m = TestBuilder::new("top");
    let x = m.input("x", 4);
    let pins = m.instance("w", 0, &child.module);
    m.connect(pins[0], x);
    change(&mut m.module);
    faults(&design(vec![child.module, m.module]))
}

#[test]
fn pins_of_instances() {
    assert_eq!(
        parent(|m| {
            m.instances[0].pins.pop();
        }),
        [
            "module top: the instance w has 1 pins but its module wire has 2 ports (a, y)",
            "module top: w.y: is a pin of no cell and no instance; a signal of the module itself \
             must be a Local",
        ]
    );
    assert_eq!(
        parent(|m| m.signals[2].ty = Type::Bits(5)),
        ["module top: w.y: has 5 bits but the port y of the module wire of w has 4; they must be \
          equally wide"]
    );
    assert_eq!(
        parent(|m| m.instances[0].pins.swap(0, 1)),
        [
            "module top: w.y: is PinOut but the pin for a of the instance w must be PinIn",
            "module top: w.a: is PinIn but the pin for y of the instance w must be PinOut",
        ]
    );
    assert_eq!(
        parent(|m| {
            let mut again = m.instances[0].clone();
            again.name = "v".into();
            m.instances.push(again);
        }),
        ["module top: w.y: is driven by more than one cell or instance"]
    );
    assert_eq!(
        parent(|m| m.instances[0].module = ModuleId(1)),
        ["module top: the instance w is of module number 1, this is number 1; children must stand \
          before their parents"]
    );
    assert_eq!(
        parent(|m| m.instances[0].pins[0] = SignalId(9)),
        ["module top: the instance w has a pin that is not a signal"]
    );
}

#[test]
fn registers() {
    let mut m = TestBuilder::new("top");
    let (d, q) = m.register("r", 4, 16);
    m.connect(d, q);
    expect_fault(m, "module top: r.q: the initial value 16 doesn't fit into 4 bits");

    let mut m = TestBuilder::new("top");
    let (d, _) = m.register("r", 4, 1);
    m.module.signals[d.index()].ty = Type::Bits(3);
    let zero = m.constant(0, 3);
    m.drive(d, zero);
    expect_fault(
        m,
        "module top: r.d: has 3 bits and r.q of the same cell r has 4; they must be equally wide",
    );
}

/// Makes a read-write memory of four words of eight bits, and `change` makes it faulty.
fn memory(change: impl FnOnce(&mut DesignModule)) -> Vec<String> {
    let mut m = TestBuilder::new("top");
    let read_data = m.signal("rd", 8, SignalKind::PinOut);
    let [read_address, address, data, enable] = [("ra", 2), ("wa", 2), ("wd", 8), ("we", 1)]
        .map(|(name, width)| m.signal(name, width, SignalKind::PinIn));
    let kind = CellKind::Memory {
        read_address,
        read_data,
        asynchronous: false,
        write: Some(WritePort { address, data, enable, disjoint: false }),
        init: vec![big(255); 4],
    };
    m.cell("ram", kind);
    change(&mut m.module);
    for id in [read_address, address, data, enable] {
        let zero = m.constant(0, m.module.signal(id).width());
        m.drive(id, zero);
    }
    let faults = check(&m.design()).err().unwrap_or_default();
    faults.iter().map(|f| f.to_string()).collect()
}

#[test]
fn checks() {
    let check_of = |width| {
        let mut m = TestBuilder::new("top");
        let holds = m.signal("claim.holds", width, SignalKind::PinIn);
        let goal = CheckGoal::Assert;
        m.cell("claim", CellKind::Check { holds, goal });
        let zero = m.constant(0, width);
        m.drive(holds, zero);
        let faults = check(&m.design()).err().unwrap_or_default();
        faults.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(check_of(1), [""; 0]);
    assert_eq!(
        check_of(2),
        ["module top: claim.holds: has 2 bits; the bit of the check claim must have one"]
    );
}

#[test]
fn memories() {
    assert_eq!(memory(|_| {}), [""; 0]);
    let init = |m: &mut DesignModule, words: Vec<u64>| match &mut m.cells[0].kind {
        CellKind::Memory { init, .. } => *init = words.into_iter().map(big).collect(),
        _ => unreachable!(),
    };
    assert_eq!(
        memory(|m| init(m, vec![0; 5])),
        ["module top: ra: the memory ram has 4 words and is initialised with 5"]
    );
    assert_eq!(
        memory(|m| init(m, vec![0, 256])),
        ["module top: rd: the initial word 256 doesn't fit into 8 bits"]
    );
    assert_eq!(
        memory(|m| m.signals[2].ty = Type::Bits(3)),
        ["module top: wa: has 3 bits and ra of the same cell ram has 2; they must be equally wide"]
    );
    assert_eq!(
        memory(|m| m.signals[3].ty = Type::Bits(9)),
        ["module top: wd: has 9 bits and rd of the same cell ram has 8; they must be equally wide"]
    );
    assert_eq!(
        memory(|m| m.signals[4].ty = Type::Bits(2)),
        ["module top: we: has 2 bits; the write enable of ram must have one"]
    );
    assert_eq!(
        memory(|m| {
            m.signals[1].ty = Type::Bits(40);
            m.signals[2].ty = Type::Bits(40);
        }),
        ["module top: ra: the address of the memory ram has 40 bits; at most 28 are possible"]
    );
}

#[test]
fn clocks() {
    let mut child = TestBuilder::new("child");
    let (d, q) = child.register("r", 1, 0);
    child.connect(d, q);
    let mut m = TestBuilder::new("top");
    m.instance("c", 0, &child.module);
    m.module.clock = None;
    assert_eq!(
        faults(&design(vec![child.module.clone(), m.module])),
        ["module top: the instance c needs a clock but the module has no clock pin"]
    );
    child.module.clock = None;
    expect_fault(child, "module child: the cell r needs a clock but the module has no clock pin");
}

#[test]
fn dangling_ids_are_reported() {
    let mut m = TestBuilder::new("top");
    let out = m.output("out", 1);
    m.drive(out, ExprId(3));
    expect_fault(m, "module top: a statement has a signal or an expression that doesn't exist");
    let mut m = TestBuilder::new("top");
    m.expr(ExprOp::Resize(ExprId(0)), 1);
    assert!(
        m.faults()[0].contains("expression 0 reads a signal that doesn't exist or an expression")
    );
    let mut nowhere = design(vec![TestBuilder::new("top").module]);
    nowhere.top = ModuleId(1);
    assert_eq!(faults(&nowhere), ["the top module is number 1 of 1"]);
}
