//! Published Verilog equals the circuit. Verilator's model of it has the same outputs as the
//! evaluator of the circuit, in every clock cycle.

use hdl::verilog::publish;
use lockstep::design::Design;
use num_bigint::BigUint;
use phasecube::engine::{CircuitEngine, EnginePort, EvaluatorEngine};
use phasecube::kit::{clock_cycles, default_stimulus, publication, CatalogEntry};
use phasecube::toolchain::{PortSpec, Toolchain};
use std::collections::BTreeSet;

/// A port of the published top. It stands for one port of the circuit, or for a family of them,
/// element 0 lowest.
struct PortFamily {
    port: EnginePort,
    of: Vec<EnginePort>,
}

/// Returns the ports of a circuit as published, without their names.
fn families(ports: &[EnginePort]) -> Vec<PortFamily> {
    let family = |name: &str| name.split('[').next().unwrap().to_owned();
    let mut published: Vec<PortFamily> = vec![];
    for port in ports {
        let name = family(&port.name);
        match published.last_mut().filter(|last| last.port.name == name) {
            Some(last) => {
                last.port.width += port.width;
                last.of.push(port.clone());
            }
            None => published.push(PortFamily {
                port: EnginePort {
                    name,
                    ..port.clone()
                },
                of: vec![port.clone()],
            }),
        }
    }
    published
}

fn equal(design: &Design) {
    let verilog = publish(design, &publication()).verilog;
    let mut evaluator = EvaluatorEngine::new(design).unwrap();
    let mut ports = families(evaluator.ports());
    let names = &verilog.top_module().ports;
    assert_eq!(ports.len(), names.len());
    for (published, name) in ports.iter_mut().zip(names) {
        published.port.name = name.clone();
    }
    let clock = verilog.top_module().clock.clone().unwrap();
    let mut specs = vec![PortSpec::input(&clock, 1)];
    specs.extend(
        ports
            .iter()
            .map(|PortFamily { port, .. }| match port.input {
                true => PortSpec::input(&port.name, port.width as usize),
                false => PortSpec::output(&port.name, port.width as usize),
            }),
    );
    let (inputs, outputs): (Vec<PortFamily>, Vec<PortFamily>) = ports
        .into_iter()
        .partition(|published| published.port.input);
    let of_inputs: Vec<EnginePort> = inputs.iter().map(|input| input.port.clone()).collect();
    let mut stimulus = default_stimulus(design, &of_inputs);
    let stimulus: Vec<Vec<BigUint>> = (0..clock_cycles(design))
        .map(|_| stimulus.next_cycle().to_vec())
        .collect();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let tools = Toolchain::open().unwrap();
    let text = verilog.to_string();
    let model = tools.verilate(&text, verilog.top(), &specs, Some(&clock), models.as_ref());
    let found = model.unwrap().run(&stimulus).unwrap();
    let mut seen = vec![BTreeSet::new(); outputs.len()];
    for (time, (values, found)) in stimulus.iter().zip(&found).enumerate() {
        for (input, value) in inputs.iter().zip(values) {
            let mut rest = value.clone();
            for port in &input.of {
                let mask = (BigUint::from(1u32) << port.width) - 1u32;
                evaluator.set(evaluator.port(&port.name), &(&rest & mask));
                rest >>= port.width;
            }
        }
        evaluator.settle().unwrap();
        for ((output, found), seen) in outputs.iter().zip(found).zip(&mut seen) {
            let mut value = BigUint::ZERO;
            for port in output.of.iter().rev() {
                value = (value << port.width) | evaluator.get(evaluator.port(&port.name));
            }
            assert_eq!(value, *found, "{} in clock cycle {time}", output.port.name);
            seen.insert(value);
        }
        evaluator.clock().unwrap();
    }
    // Agreement on constants proves little.
    let moving = seen.iter().filter(|seen| seen.len() > 1).count();
    assert!(
        2 * moving > seen.len(),
        "{moving} of {} outputs change",
        seen.len()
    );
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn the_router_of_a_chip() {
    equal(&CatalogEntry::CM1_ROUTER.design(3).unwrap());
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn the_link() {
    equal(&CatalogEntry::LINK.design(1).unwrap());
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn the_node_of_the_torus() {
    equal(&CatalogEntry::TORUS_NODE.design(2).unwrap());
    equal(&CatalogEntry::TORUS_NODE.design(3).unwrap());
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn the_switch_of_minimal_rotation() {
    equal(&CatalogEntry::ROTATION_SWITCH.design(3).unwrap());
    equal(&CatalogEntry::ROTATION_SWITCH.design(9).unwrap());
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn the_byte_channel() {
    equal(&CatalogEntry::BYTE_CHANNEL.design(1).unwrap());
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn nodes_of_tdma_machines() {
    equal(&CatalogEntry::NODE.design(4).unwrap());
    equal(&CatalogEntry::METACUBE_NODE.design(6).unwrap());
}
