//! Faults that `check` reports for signals that are read too early, keep their old value, or are
//! undriven.

use crate::common::{arm, case, if_, TestBuilder};
use lockstep::design::check::check;
use lockstep::design::*;

/// Asserts that the design has exactly this fault.
#[track_caller]
fn expect_fault(m: TestBuilder, message: &str) {
    assert_eq!(m.faults(), [message]);
}

#[track_caller]
fn expect_no_fault(m: TestBuilder) {
    assert_eq!(check(&m.design()), Ok(()));
}

#[test]
fn reading_before_assigning() {
    for kind in [SignalKind::Local, SignalKind::Let] {
        let mut m = TestBuilder::new("top");
        let (s, out) = (m.signal("s", 1, kind), m.output("out", 1));
        let zero = m.constant(0, 1);
        m.connect(out, s);
        m.drive(s, zero);
        expect_fault(
            m,
            "test.rs:1:5: module top: s: is read before it has been assigned on every path; \
             assign it further up, for instance a default value at the top",
        );
    }

    // The signal is assigned in one branch only.
    let mut m = TestBuilder::new("top");
    let (a, s, out) = (m.input("a", 1), m.local("s", 1), m.output("out", 1));
    let a = m.read(a);
    m.module.body = vec![if_(a, vec![m.assign(s, a)], vec![])];
    m.connect(out, s);
    m.drive(s, a);
    assert!(m.faults()[0].starts_with("test.rs:2:5: module top: s: is read before"));

    // The signal is never assigned.
    let mut m = TestBuilder::new("top");
    let (s, out) = (m.local("s", 1), m.output("out", 1));
    m.connect(out, s);
    assert!(m.faults()[0].starts_with("test.rs:1:5: module top: s: is read before"));
}

/// Makes a module that reads `s` after only bits 0 to 2 are assigned. `build` makes the expression.
fn partly_assigned(build: impl FnOnce(&mut TestBuilder, ExprId) -> ExprId) -> TestBuilder {
    let mut m = TestBuilder::new("top");
    let (s, out) = (m.local("s", 4), m.output("out", 2));
    let bits = m.constant(0, 3);
    let last = m.constant(0, 1);
    let read = m.read(s);
    let value = build(&mut m, read);
    let stmts = vec![m.assign_slice(s, 0, bits), m.assign(out, value), m.assign_slice(s, 3, last)];
    m.module.body = stmts;
    m
}

#[test]
fn reading_is_checked_bit_by_bit() {
    expect_no_fault(partly_assigned(|m, s| m.slice(s, 1, 2)));
    expect_no_fault(partly_assigned(|m, s| m.expr(ExprOp::Resize(s), 2)));
    expect_no_fault(partly_assigned(|m, value| {
        let index = m.constant(2, 2);
        let bit = m.expr(ExprOp::BitAt { value, index }, 1);
        m.expr(ExprOp::Resize(bit), 2)
    }));
    let message = "test.rs:2:5: module top: s: bit 3 is read before it has been assigned on every \
                   path; assign it further up, for instance a default value at the top";
    expect_fault(partly_assigned(|m, s| m.slice(s, 2, 2)), message);
    expect_fault(
        partly_assigned(|m, value| {
            let index = m.slice(value, 0, 2);
            let bit = m.expr(ExprOp::BitAt { value, index }, 1);
            m.expr(ExprOp::Resize(bit), 2)
        }),
        message,
    );
    // One operand needs two assigned bits, the other needs all bits.
    expect_fault(
        partly_assigned(|m, s| {
            let (low, any) = (m.slice(s, 0, 2), m.unary(UnaryOp::Any, s));
            m.binary(BinaryOp::Shl, low, any)
        }),
        message,
    );
}

#[test]
fn latches() {
    let branch = |kind: SignalKind| {
        let mut m = TestBuilder::new("top");
        let a = m.input("a", 1);
        let s = m.signal("s", 1, kind);
        let a = m.read(a);
        m.module.body = vec![if_(a, vec![m.assign(s, a)], vec![])];
        m
    };
    for kind in [SignalKind::Output, SignalKind::Local] {
        expect_fault(
            branch(kind),
            "test.rs:1:5: module top: s: bit 0 isn't assigned on every path, so it keeps its old \
             value: a latch; assign it on the other paths too, or a default value at the top",
        );
    }
    expect_no_fault(branch(SignalKind::Let));
    expect_no_fault(branch(SignalKind::Variable));

    // All arms assign, but not the default.
    let mut m = TestBuilder::new("top");
    let (a, out) = (m.input("a", 2), m.output("out", 2));
    let a = m.read(a);
    let arms = vec![arm(&[0, 1], vec![m.assign(out, a)]), arm(&[2, 3], vec![m.assign(out, a)])];
    m.module.body = vec![case(a, arms, vec![])];
    assert!(m.faults()[0].contains("module top: out: bit 0 isn't assigned on every path"));

    // The default assigns, but not all arms.
    let mut m = TestBuilder::new("top");
    let (a, out) = (m.input("a", 2), m.output("out", 2));
    let a = m.read(a);
    let default = vec![m.assign(out, a)];
    m.module.body = vec![case(a, vec![arm(&[0], vec![])], default)];
    assert!(m.faults()[0].contains("module top: out: bit 0 isn't assigned on every path"));

    // One bit of three is missing in one branch.
    let mut m = TestBuilder::new("top");
    let (a, out) = (m.input("a", 1), m.output("out", 3));
    let a = m.read(a);
    let then =
        vec![m.assign_slice(out, 0, a), m.assign_slice(out, 1, a), m.assign_slice(out, 2, a)];
    let otherwise = vec![m.assign_slice(out, 2, a), m.assign_slice(out, 0, a)];
    m.module.body = vec![if_(a, then, otherwise)];
    assert!(m.faults()[0].contains("module top: out: bit 1 isn't assigned on every path"));
}

#[test]
fn every_branch_assigns() {
    let mut m = TestBuilder::new("top");
    let (a, out) = (m.input("a", 1), m.output("out", 2));
    let a = m.read(a);
    let then = vec![m.assign_slice(out, 1, a), m.assign_slice(out, 0, a)];
    let arms = vec![arm(&[0], vec![m.assign_slice(out, 0, a)])];
    let otherwise = vec![m.assign_slice(out, 1, a), case(a, arms, vec![m.assign_slice(out, 0, a)])];
    m.module.body = vec![if_(a, then, otherwise)];
    expect_no_fault(m);
    // A local that is neither assigned nor read is accepted.
    let mut m = TestBuilder::new("top");
    m.local("unused", 1);
    expect_no_fault(m);
}

#[test]
fn undriven() {
    let mut m = TestBuilder::new("top");
    m.output("out", 1);
    m.register("r", 1, 0);
    assert_eq!(
        m.faults(),
        [
            "module top: out: is never assigned: undriven",
            "module top: r.d: is never assigned: undriven",
        ]
    );
}

#[test]
fn lets() {
    let mut m = TestBuilder::new("top");
    let s = m.signal("s", 1, SignalKind::Let);
    let zero = m.constant(0, 1);
    m.drive(s, zero);
    m.drive(s, zero);
    expect_fault(
        m,
        "test.rs:2:5: module top: s: is a let and assigned 2 times; a let is assigned once",
    );

    let mut m = TestBuilder::new("top");
    let s = m.signal("s", 2, SignalKind::Let);
    let zero = m.constant(0, 1);
    m.module.body = vec![m.assign_slice(s, 0, zero)];
    expect_fault(
        m,
        "test.rs:1:5: module top: s: is a let and must be assigned as a whole, not a part of it",
    );

    // A `let` of a branch does not exist after the branch, with or without `mut`.
    for kind in [SignalKind::Let, SignalKind::Variable] {
        let mut m = TestBuilder::new("top");
        let (a, out) = (m.input("a", 1), m.output("out", 1));
        let s = m.signal("s", 1, kind);
        let a = m.read(a);
        m.module.body = vec![if_(a, vec![m.assign(s, a)], vec![])];
        m.connect(out, s);
        assert!(m.faults()[0].starts_with("test.rs:2:5: module top: s: is read before"));
    }
}
