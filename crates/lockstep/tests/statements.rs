//! Meaning of statements, on cases small enough to verify by reading.

use crate::common::generator::module;
use crate::common::{arm, case, if_, interpreter, ByName, TestBuilder, TestRandom};
use lockstep::design::*;

#[test]
fn later_statements_see_earlier_assignments() {
    let mut m = TestBuilder::new("order");
    let (a, out) = (m.input("a", 8), m.output("out", 8));
    let early = m.output("early", 8);
    let one = m.constant(1, 8);
    m.connect(out, a);
    m.connect(early, out);
    for _ in 0..2 {
        let value = m.read(out);
        let sum = m.binary(BinaryOp::Add, value, one);
        m.drive(out, sum);
    }
    let mut evaluator = m.evaluator();
    evaluator.put("a", 254);
    evaluator.settle();
    assert_eq!(evaluator.at("early"), 254);
    assert_eq!(evaluator.at("out"), 0);
}

/// An expression created before an assignment but used after it has the new value.
#[test]
fn expressions_are_evaluated_where_they_are_used() {
    let mut m = TestBuilder::new("shared");
    let (out, before, after) = (m.output("out", 4), m.output("before", 4), m.output("after", 4));
    let (one, two) = (m.constant(1, 4), m.constant(2, 4));
    let shared = m.read(out);
    m.drive(out, one);
    m.drive(before, shared);
    m.drive(out, two);
    m.drive(after, shared);
    let evaluator = m.evaluator();
    assert_eq!((evaluator.at("before"), evaluator.at("after")), (1, 2));
}

#[test]
fn if_and_else() {
    let mut m = TestBuilder::new("if");
    let (a, b) = (m.input("a", 1), m.input("b", 1));
    let out = m.output("out", 4);
    let values: Vec<ExprId> = (0..4).map(|i| m.constant(i, 4)).collect();
    let (a, b) = (m.read(a), m.read(b));
    let inner = if_(b, vec![m.assign(out, values[3])], vec![]);
    let then = vec![m.assign(out, values[2]), inner];
    let otherwise = vec![m.assign(out, values[1])];
    m.module.body = vec![m.assign(out, values[0]), if_(a, then, otherwise)];
    let mut evaluator = m.evaluator();
    for (a, b, expected) in [(0, 0, 1), (0, 1, 1), (1, 0, 2), (1, 1, 3)] {
        evaluator.put("a", a);
        evaluator.put("b", b);
        evaluator.settle();
        assert_eq!(evaluator.at("out"), expected, "{a} {b}");
    }
}

#[test]
fn the_first_matching_arm_is_executed() {
    let mut m = TestBuilder::new("case");
    let (subject, out) = (m.input("subject", 3), m.output("out", 4));
    let subject = m.read(subject);
    let values: Vec<ExprId> = (0..16).map(|i| m.constant(i, 4)).collect();
    let arms = vec![
        arm(&[1, 2], vec![m.assign(out, values[11])]),
        arm(&[2, 3], vec![m.assign(out, values[12])]),
        arm(&[], vec![m.assign(out, values[13])]),
    ];
    let default = vec![m.assign(out, values[15])];
    m.module.body = vec![case(subject, arms, default)];
    let mut evaluator = m.evaluator();
    for (subject, expected) in [15, 11, 11, 12, 15, 15, 15, 15].into_iter().enumerate() {
        evaluator.put("subject", subject as u64);
        evaluator.settle();
        assert_eq!(evaluator.at("out"), expected, "{subject}");
    }
}

#[test]
fn slices_of_a_signal() {
    let mut m = TestBuilder::new("slices");
    let (a, out) = (m.input("a", 4), m.output("out", 100));
    let a = m.read(a);
    let zero = m.expr(ExprOp::Const(Type::Bits(96).mask()), 96);
    m.module.body =
        vec![m.assign_slice(out, 4, zero), m.assign_slice(out, 0, a), m.assign_slice(out, 62, a)];
    let mut evaluator = m.evaluator();
    evaluator.put("a", 0b1001);
    evaluator.settle();
    let expected =
        Type::Bits(100).mask() ^ crate::common::big(0b0110) ^ (crate::common::big(0b0110) << 62);
    assert_eq!(evaluator.at_big("out"), expected);
}

#[test]
fn a_let_and_a_constant() {
    let mut m = TestBuilder::new("let");
    let (a, out) = (m.input("a", 8), m.output("out", 8));
    let step = m.signal("STEP", 8, SignalKind::Constant(crate::common::big(7)));
    let sum = m.signal("sum", 8, SignalKind::Let);
    let (a, step) = (m.read(a), m.read(step));
    let value = m.binary(BinaryOp::Add, a, step);
    m.drive(sum, value);
    m.connect(out, sum);
    let mut evaluator = m.evaluator();
    evaluator.put("a", 3);
    evaluator.settle();
    assert_eq!(evaluator.at("out"), 10);
    assert!(evaluator.netlist().find("sum").is_none(), "a let has no name outside");
}

/// A chain of 300 nested ifs finds the lowest set bit of a word. Neither depth nor sharing may cost
/// more than the size of the body.
#[test]
fn deep_bodies() {
    let mut m = TestBuilder::new("deep");
    let (a, out) = (m.input("a", 300), m.output("out", 9));
    let a = m.read(a);
    let none = m.constant(300, 9);
    let mut body = vec![m.assign(out, none)];
    for i in (0..300).rev() {
        let (bit, number) = (m.slice(a, i, 1), m.constant(i.into(), 9));
        body = vec![if_(bit, vec![m.assign(out, number)], body)];
    }
    m.module.body = body;
    let mut evaluator = m.evaluator();
    for lowest in [0, 77, 299] {
        evaluator.put_big("a", &(crate::common::big(1) << lowest | crate::common::big(1) << 299));
        evaluator.settle();
        assert_eq!(evaluator.at("out"), lowest);
    }
    evaluator.put("a", 0);
    evaluator.settle();
    assert_eq!(evaluator.at("out"), 300);
}

#[test]
fn shared_expressions_cost_once() {
    let mut m = TestBuilder::new("shared");
    let (a, out, again) = (m.input("a", 64), m.output("out", 64), m.output("again", 64));
    let mut value = m.read(a);
    for _ in 0..63 {
        value = m.binary(BinaryOp::Add, value, value);
    }
    m.drive(out, value);
    m.drive(again, value);
    let mut evaluator = m.evaluator();
    assert_eq!(evaluator.netlist().nets.len(), 64);
    evaluator.put("a", 3);
    evaluator.settle();
    assert_eq!(evaluator.at("out"), 1 << 63);
    assert_eq!(evaluator.at("again"), 1 << 63);
}

// Random bodies have the same meaning in the netlist and in an interpreter that executes them
// statement by statement.

#[test]
fn netlist_and_interpreter_agree() {
    let mut random = TestRandom(2);
    for round in 0..400 {
        let module = module(&mut random);
        let mut evaluator = crate::common::evaluator(&crate::common::design(vec![module.clone()]));
        for _ in 0..20 {
            let mut inputs = vec![];
            for (id, port) in module.ports().filter(|(_, p)| p.kind == SignalKind::Input) {
                let value = random.word(port.width());
                evaluator.put_big(&port.name, &value);
                inputs.push((id, value));
            }
            evaluator.settle();
            let expected = interpreter::run(&module, &inputs);
            for (id, port) in module.ports() {
                let value = evaluator.at_big(&port.name);
                assert_eq!(value, expected[id.index()], "round {round}: {}", port.name);
            }
        }
    }
}
