//! A circuit with a disabled clock behaves like the original circuit without that clock edge.

use crate::common::generator::circuit;
use crate::common::{design, ByName, TestBuilder, TestRandom};
use lockstep::design::*;
use lockstep::eval::Evaluator;
use std::collections::HashSet;

/// Returns the names of all signals that both circuits have.
fn shared_names(one: &Evaluator, other: &Evaluator) -> Vec<String> {
    let of = |evaluator: &Evaluator| -> HashSet<String> {
        let netlist = evaluator.netlist();
        netlist.names.iter().map(|n| n.path.clone()).collect()
    };
    of(one).intersection(&of(other)).cloned().collect()
}

/// The inputs of registers and memories differ because they are held there.
fn is_pin_of_a_cell(name: &str) -> bool {
    let (_, pin) = name.rsplit_once('.').unwrap_or(("", name));
    ["d", "we"].contains(&pin)
}

/// Makes a design with two instances of a random circuit.
fn nested(random: &mut TestRandom) -> Design {
    let child = circuit(random);
    let mut m = TestBuilder::new("top");
    for i in 0..2 {
        let pins = m.instance(&format!("part[{i}]"), 0, &child);
        let ports: Vec<DesignSignal> = child.ports().map(|(_, port)| port.clone()).collect();
        for (pin, port) in pins.into_iter().zip(ports) {
            let name = format!("{}_{i}", port.name);
            match port.kind {
                SignalKind::Input => {
                    let outside = m.input(&name, port.width());
                    m.connect(pin, outside);
                }
                _ => {
                    let outside = m.output(&name, port.width());
                    m.connect(outside, pin);
                }
            }
        }
    }
    design(vec![child, m.module])
}

#[test]
fn a_low_clock_enable_keeps_all_state() {
    let mut random = TestRandom(11);
    for round in 0..60 {
        let plain = nested(&mut random);
        let mut held = crate::common::evaluator(&plain.with_clock_enable("on"));
        let mut expected = crate::common::evaluator(&plain);
        let names = shared_names(&held, &expected);
        assert!(names.iter().any(|name| name.ends_with("ram.rd")));
        for clock in 0..40 {
            let ports = plain.top().ports();
            for (_, port) in ports.filter(|(_, p)| p.kind == SignalKind::Input) {
                let value = random.word(port.width());
                held.put_big(&port.name, &value);
                expected.put_big(&port.name, &value);
            }
            let on = random.below(3) > 0;
            held.put("on", on.into());
            held.settle();
            expected.settle();
            for name in names.iter().filter(|name| !is_pin_of_a_cell(name)) {
                let (seen, due) = (held.at_big(name), expected.at_big(name));
                assert_eq!(seen, due, "round {round}, clock cycle {clock}: {name}");
            }
            held.clock();
            if on {
                expected.clock();
            }
        }
    }
}

#[test]
#[should_panic(expected = "a circuit without state")]
fn clock_enable_rejects_a_circuit_without_state() {
    let mut m = TestBuilder::new("wire");
    let (a, y) = (m.input("a", 1), m.output("y", 1));
    m.connect(y, a);
    let _ = design(vec![m.module]).with_clock_enable("on");
}
