//! Tests of instances, hierarchical names and combinational loops.

use crate::common::generator::circuit;
use crate::common::{design, evaluator, flatten_error, ByName, TestBuilder, TestRandom};
use lockstep::design::*;
use lockstep::eval::Evaluator;
use lockstep::netlist::{flatten, DraftError, FlattenError};
use std::sync::Arc;

/// Makes a module with `y = a + 1` and the register `held` of `a`.
fn child() -> DesignModule {
    let mut m = TestBuilder::new("child");
    let (a, y, held) = (m.input("a", 8), m.output("y", 8), m.output("held", 8));
    let (d, q) = m.register("state", 8, 0);
    let (value, one) = (m.read(a), m.constant(1, 8));
    let sum = m.binary(BinaryOp::Add, value, one);
    m.drive(y, sum);
    m.connect(d, a);
    m.connect(held, q);
    m.module
}

/// Makes a chain of two children. The parent reads an output of the second child before it assigns
/// the input of the first, on which that output depends.
fn chain() -> Design {
    let child = child();
    let mut m = TestBuilder::new("chain");
    let (x, out, held) = (m.input("x", 8), m.output("out", 8), m.output("held", 8));
    let first = m.instance("nodes[0]", 0, &child);
    let second = m.instance("nodes[1]", 0, &child);
    m.connect(out, second[1]);
    m.connect(second[0], first[1]);
    m.connect(first[0], x);
    m.connect(held, second[2]);
    design(vec![child, m.module])
}

#[test]
fn a_combinational_path_through_children() {
    let mut evaluator = evaluator(&chain());
    evaluator.put("x", 5);
    evaluator.settle();
    assert_eq!(evaluator.at("out"), 7);
    assert_eq!(evaluator.at("held"), 0);
    evaluator.clock();
    assert_eq!(evaluator.at("held"), 6);
}

#[test]
fn signals_of_all_instances_have_names() {
    let mut evaluator = evaluator(&chain());
    evaluator.put("x", 5);
    evaluator.clock();
    let netlist = evaluator.netlist().clone();
    let paths: Vec<&str> = netlist.names.iter().map(|n| n.path.as_str()).collect();
    let top = ["x", "out", "held"];
    let pins = ["a", "y", "held"].map(|pin| [0, 1].map(|node| format!("nodes[{node}].{pin}")));
    let cells = ["d", "q"].map(|pin| [0, 1].map(|node| format!("nodes[{node}].state.{pin}")));
    let mut expected: Vec<&str> = pins.iter().chain(&cells).flatten().map(|s| s.as_str()).collect();
    expected.extend(top);
    expected.sort_unstable();
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected, "a pin and the port that it belongs to are one");
    assert_eq!(paths[..3], top, "the parent's own signals come first");
    let values = ["nodes[0].a", "nodes[1].a", "nodes[1].state.d", "nodes[1].state.q"];
    assert_eq!(values.map(|path| evaluator.at(path)), [5, 6, 6, 6]);
    let registers: Vec<&str> = netlist.registers.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(registers, ["nodes[0].state", "nodes[1].state"]);
}

#[test]
fn names_carry_types() {
    let state = Type::Enum(Arc::new(EnumType {
        name: "State".into(),
        width: 2,
        variants: vec!["Idle".into(), "Busy".into(), "Done".into()],
    }));
    let mut m = TestBuilder::new("typed");
    let input = m.typed("state", state.clone(), SignalKind::Input);
    let seen = m.typed("seen", state.clone(), SignalKind::Local);
    m.connect(seen, input);
    m.local("never_used", 3);
    let evaluator = m.evaluator();
    assert_eq!(evaluator.netlist().inputs[0].ty, state);
    assert_eq!(evaluator.netlist().names.get("seen").unwrap().ty, state);
    assert!(evaluator.netlist().names.get("never_used").is_none());
}

/// Nets are removed if nothing observable depends on them. Named nets remain.
#[test]
fn only_named_nets_stay() {
    let mut m = TestBuilder::new("unused");
    let (a, seen) = (m.input("a", 8), m.local("seen", 8));
    let scratch = m.signal("scratch", 8, SignalKind::Let);
    let a = m.read(a);
    let not = m.unary(UnaryOp::Not, a);
    m.drive(scratch, not);
    let sum = m.binary(BinaryOp::Add, a, a);
    m.drive(seen, sum);
    let evaluator = m.evaluator();
    assert_eq!(evaluator.netlist().nets.len(), 2, "the input and the sum");
}

/// Operands come before their users, even if a later child drives an earlier one.
#[test]
fn nets_are_in_topological_order() {
    let evaluator = evaluator(&chain());
    for (id, net) in evaluator.netlist().iter() {
        assert!(net.op.operands().into_iter().all(|operand| operand < id));
    }
}

/// Makes a module with `y = a` and no register.
fn wire(width: u32) -> DesignModule {
    let mut m = TestBuilder::new("wire");
    let (a, y) = (m.input("a", width), m.output("y", width));
    m.connect(y, a);
    m.module
}

fn loop_of(design: &Design) -> Vec<String> {
    match flatten_error(design) {
        FlattenError::Draft(DraftError::Loop(names)) => names,
        other => panic!("{other}"),
    }
}

#[test]
fn a_loop_through_children_is_named() {
    let child = child();
    let mut m = TestBuilder::new("ring");
    let (x, out) = (m.input("x", 8), m.output("out", 8));
    let pins: Vec<Vec<SignalId>> =
        (0..3).map(|i| m.instance(&format!("nodes[{i}]"), 0, &child)).collect();
    m.connect(pins[0][0], pins[1][1]);
    m.connect(pins[1][0], pins[0][1]);
    m.connect(pins[2][0], x);
    m.connect(out, pins[2][1]);
    let design = design(vec![child, m.module]);
    let mut names = loop_of(&design);
    names.sort_unstable();
    // The input of the register is the same wire as the input port.
    let on_loop = |node| ["a", "state.d", "y"].map(|name| format!("nodes[{node}].{name}"));
    assert_eq!(names, [on_loop(0), on_loop(1)].concat());
    let message = flatten_error(&design).to_string();
    assert!(message.starts_with("combinational loop through nodes["), "{message}");
}

#[test]
fn a_loop_of_wires_is_named() {
    let child = wire(4);
    let mut m = TestBuilder::new("ring");
    let pins = m.instance("wire", 0, &child);
    m.connect(pins[0], pins[1]);
    let mut names = loop_of(&design(vec![child, m.module]));
    names.sort_unstable();
    assert_eq!(names, ["wire.a", "wire.y"]);
}

/// Bits form a loop through a bundle without any operation.
#[test]
fn a_loop_of_slices_is_named() {
    let child = wire(2);
    let mut m = TestBuilder::new("twist");
    let pins = m.instance("wire", 0, &child);
    let y = m.read(pins[1]);
    let (low, high) = (m.slice(y, 0, 1), m.slice(y, 1, 1));
    m.module.body = vec![m.assign_slice(pins[0], 0, high), m.assign_slice(pins[0], 1, low)];
    let mut names = loop_of(&design(vec![child, m.module]));
    names.sort_unstable();
    assert_eq!(names, ["wire.a", "wire.y"]);
}

/// Four inverters are connected to one bundle `wires`, and each drives the next bit. As a word
/// `wires` depends on itself, but no single bit does.
#[test]
fn a_bundle_is_not_a_loop() {
    let mut inverter = TestBuilder::new("inverter");
    let (a, y) = (inverter.input("a", 1), inverter.output("y", 1));
    let value = inverter.read(a);
    let not = inverter.unary(UnaryOp::Not, value);
    inverter.drive(y, not);
    let inverter = inverter.module;

    let mut m = TestBuilder::new("bundle");
    let (x, wires) = (m.input("x", 1), m.local("wires", 5));
    let pins: Vec<Vec<SignalId>> =
        (0..4).map(|i| m.instance(&format!("nodes[{i}]"), 0, &inverter)).collect();
    let first = m.read(x);
    let stmt = m.assign_slice(wires, 0, first);
    m.module.body.push(stmt);
    for (i, pins) in pins.iter().enumerate() {
        let y = m.read(pins[1]);
        let stmt = m.assign_slice(wires, i as u32 + 1, y);
        m.module.body.push(stmt);
    }
    let all = m.read(wires);
    for (i, pins) in pins.iter().enumerate() {
        let bit = m.slice(all, i as u32, 1);
        m.drive(pins[0], bit);
    }
    let mut evaluator = evaluator(&design(vec![inverter, m.module]));
    for (x, expected) in [(0, 0b01010), (1, 0b10101)] {
        evaluator.put("x", x);
        evaluator.settle();
        assert_eq!(evaluator.at("wires"), expected);
    }
}

/// One child concatenates the bundle and another one splits it.
#[test]
fn a_bundle_between_children_is_not_a_loop() {
    let mut join = TestBuilder::new("join");
    let (low, high) = (join.input("low", 1), join.input("high", 1));
    let both = join.output("both", 2);
    let (low, high) = (join.read(low), join.read(high));
    join.module.body = vec![join.assign_slice(both, 0, low), join.assign_slice(both, 1, high)];
    let mut split = TestBuilder::new("split");
    let both = split.input("both", 2);
    let (low, high) = (split.output("low", 1), split.output("high", 1));
    let both = split.read(both);
    let (low_bit, high_bit) = (split.slice(both, 0, 1), split.slice(both, 1, 1));
    split.drive(low, low_bit);
    split.drive(high, high_bit);

    let mut m = TestBuilder::new("top");
    let (x, out) = (m.input("x", 1), m.output("out", 1));
    let joined = m.instance("join", 0, &join.module);
    let halves = m.instance("split", 1, &split.module);
    m.connect(joined[0], x);
    m.connect(halves[0], joined[2]);
    let low = m.read(halves[1]);
    let not = m.unary(UnaryOp::Not, low);
    m.drive(joined[1], not);
    m.connect(out, halves[2]);
    let mut evaluator = evaluator(&design(vec![join.module, split.module, m.module]));
    for x in [0, 1] {
        evaluator.put("x", x);
        evaluator.settle();
        assert_eq!(evaluator.at("out"), 1 - x);
    }
}

#[test]
fn two_signals_of_one_hierarchical_name() {
    let mut child = TestBuilder::new("child");
    let (a, inner) = (child.input("a", 1), child.local("inner", 1));
    let value = child.read(a);
    let not = child.unary(UnaryOp::Not, value);
    child.drive(inner, not);
    let mut m = TestBuilder::new("top");
    let (x, clash) = (m.input("x", 1), m.local("child.inner", 1));
    let pins = m.instance("child", 0, &child.module);
    m.connect(pins[0], x);
    m.connect(clash, x);
    let message = flatten_error(&design(vec![child.module, m.module])).to_string();
    assert_eq!(
        message,
        "two different signals are called child.inner; rename one of them or its instance"
    );
}

#[test]
fn a_faulty_design_is_not_flattened() {
    let mut m = TestBuilder::new("faulty");
    m.output("out", 1);
    let message = flatten_error(&m.design()).to_string();
    assert_eq!(message, "module faulty: out: is never assigned: undriven");
}

/// A module that is made of a netlist has the same outputs on random inputs.
#[test]
fn modules_of_netlists_behave_as_their_netlists() {
    for seed in 0..40 {
        let mut random = TestRandom(seed);
        let netlist = flatten(&design(vec![circuit(&mut random)])).unwrap();
        let module = netlist.to_module("again", "");
        let again = flatten(&Design::from(module)).unwrap();
        let mut engines = [&netlist, &again].map(|netlist| Evaluator::new(netlist.clone()));
        for clock in 0..30 {
            for (a, b) in netlist.inputs.iter().zip(&again.inputs) {
                let value = random.word(netlist.width(a.net));
                engines[0].set_big(a.net, &value);
                engines[1].set_big(b.net, &value);
            }
            engines.iter_mut().for_each(Evaluator::settle);
            for (a, b) in netlist.outputs.iter().zip(&again.outputs) {
                let values = [engines[0].get_big(a.net), engines[1].get_big(b.net)];
                assert_eq!(values[0], values[1], "seed {seed}, clock cycle {clock}, {}", a.path);
            }
            engines.iter_mut().for_each(Evaluator::clock);
        }
    }
}

#[test]
fn a_module_is_replaced_in_all_its_instances() {
    let mut other = child();
    other.name = "other".into();
    // The other child adds 2.
    let one = other.exprs.iter_mut().find(|expr| expr.op == ExprOp::Const(1u8.into()));
    one.unwrap().op = ExprOp::Const(2u8.into());
    let replaced = chain().with_module("child", &other.into());
    assert!(replaced.modules.iter().all(|module| module.name != "child"));
    let mut engine = Evaluator::new(flatten(&replaced).unwrap());
    engine.put("x", 10);
    engine.settle();
    assert_eq!(engine.at("out"), 14);
}

#[test]
#[should_panic(expected = "the ports of `child`")]
fn a_module_is_not_replaced_by_one_with_other_ports() {
    let mut other = child();
    other.signals[0].name = "b".into();
    let _ = chain().with_module("child", &other.into());
}
