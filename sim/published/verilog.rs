//! Published Verilog is the circuit: what Verilator makes of it does what the evaluator
//! makes of the circuit itself, on every output in every clock cycle.

use lockstep::rtl::Design;
use num_bigint::BigUint;
use phasecube::engine::{Engine, EvaluatorEngine, Port, Stimulus};
use phasecube::rtl::catalog::Catalogued;
use phasecube::toolchain::{PortSpec, Toolchain};
use phasecube::verilog::{publish, Publication};
use std::collections::BTreeSet;

const CLOCK_CYCLES: usize = 4_000;

fn equal(design: &Design) {
    let verilog = publish(design, &Publication::default()).verilog;
    let mut evaluator = EvaluatorEngine::new(design).unwrap();
    let ports: Vec<Port> = evaluator.ports().to_vec();
    // Ports of their top are no families: they have one name in both.
    let names = &verilog.top_module().ports;
    assert_eq!(ports.len(), names.len());
    let clock = verilog.top_module().clock.clone().unwrap();
    let mut specs = vec![PortSpec::input(&clock, 1)];
    specs.extend(
        ports
            .iter()
            .zip(names)
            .map(|(port, name)| match port.input {
                true => PortSpec::input(name, port.width as usize),
                false => PortSpec::output(name, port.width as usize),
            }),
    );
    let inputs: Vec<Port> = ports.iter().filter(|port| port.input).cloned().collect();
    let mut stimulus = Stimulus::new(&inputs, 1);
    let stimulus: Vec<Vec<BigUint>> = (0..CLOCK_CYCLES)
        .map(|_| stimulus.next_cycle().to_vec())
        .collect();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let tools = Toolchain::open().unwrap();
    let text = verilog.to_string();
    let model = tools.verilate(&text, verilog.top(), &specs, Some(&clock), models.as_ref());
    let found = model.unwrap().run(&stimulus).unwrap();
    let outputs: Vec<&Port> = ports.iter().filter(|port| !port.input).collect();
    let mut seen = vec![BTreeSet::new(); outputs.len()];
    for (time, (values, found)) in stimulus.iter().zip(&found).enumerate() {
        for (port, value) in inputs.iter().zip(values) {
            evaluator.set(evaluator.port(&port.name), value);
        }
        evaluator.settle().unwrap();
        for ((port, found), seen) in outputs.iter().zip(found).zip(&mut seen) {
            let value = evaluator.get(evaluator.port(&port.name));
            assert_eq!(value, *found, "{} in clock cycle {time}", port.name);
            seen.insert(value);
        }
        evaluator.clock().unwrap();
    }
    // Agreement on constants would say little.
    let moving = seen.iter().filter(|seen| seen.len() > 1).count();
    assert!(
        2 * moving > seen.len(),
        "{moving} of {} outputs change",
        seen.len()
    );
}

#[test]
fn the_router_of_a_chip() {
    equal(&Catalogued::Cm1Router.design(3).unwrap());
}

#[test]
fn the_link() {
    equal(&Catalogued::Link.design(1).unwrap());
}

#[test]
fn the_node_of_the_torus() {
    equal(&Catalogued::TorusNode.design(2).unwrap());
    equal(&Catalogued::TorusNode.design(3).unwrap());
}

#[test]
fn the_byte_channel() {
    equal(&Catalogued::ByteChannel.design(1).unwrap());
}
