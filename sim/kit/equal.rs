//! The kit's Verilog equals the project's own circuit: the same outputs in every clock cycle, for
//! the parameter DIMS at 1, 2, 4 and 12.

use crate::kit::directory::TOOLS;
use hdl::lower::{lower, Circuit};
use num_bigint::BigUint;
use phasecube::engine::{CircuitEngine, EnginePort, EvaluatorEngine, Stimulus};
use phasecube::kit::pin_mux;
use phasecube::rtl::tdma::{PhaseSequencer, PinMux};
use phasecube::toolchain::PortSpec;
use phasecube::traffic::SplitMix64;
use std::collections::BTreeSet;

const CYCLES: usize = 10_000;

/// Returns the inputs and outputs, named as in the project's circuits.
fn ports(dims: usize) -> Vec<PortSpec> {
    vec![
        PortSpec::input("clock", 1),
        PortSpec::input("dim", 4),
        PortSpec::input("drive", 1),
        PortSpec::input("tx", 1),
        PortSpec::input("level", dims),
        PortSpec::input("phase_clock", 1),
        PortSpec::input("sync", 1),
        PortSpec::input("sides", dims),
        PortSpec::output("rx", 1),
        PortSpec::output("pull", dims),
        PortSpec::output("begin_out", 1),
        PortSpec::output("phase", 5),
        PortSpec::output("dim_out", 4),
        PortSpec::output("transmit", 1),
        PortSpec::output("muted", 1),
    ]
}

/// Returns mux and counter side by side, with DIMS set from outside.
fn both(dims: usize) -> String {
    let top = dims - 1;
    format!(
        "module kit_{dims} (input clock, input [3:0] dim, input drive, input tx, input [{top}:0] level,
            input phase_clock, input sync, input [{top}:0] sides, output rx, output [{top}:0] pull,
            output begin_out, output [4:0] phase, output [3:0] dim_out, output transmit, output muted);
            wire [{top}:0] pin_tx;
            tdma_pin_mux #(.DIMS({dims})) mux (.clock(clock), .dim(dim), .drive(drive), .tx(tx),
                .rx(rx), .pin_tx(pin_tx), .pin_rx(level));
            assign pull = ~pin_tx;
            tdma_phase_counter #(.DIMS({dims})) counter (.clock(clock), .phase_clock(phase_clock),
                .sync(sync), .address(sides), .phase_begin(begin_out), .phase(phase),
                .dim(dim_out), .transmit(transmit), .muted(muted));
        endmodule\n"
    )
}

/// Returns phase clock and sync of a schedule of `phases` phases. One tick in 30 is lost, and one
/// in 30 is doubled.
fn schedule(phases: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let (mut phase, mut level, mut left) = (phases - 2, 0, 1);
    move |random| {
        left -= 1;
        if left == 0 {
            left = 1 + random.below(4);
            level = 1 - level;
            if level == 1 {
                let step = [0, 2].get(random.below(60) as usize).copied();
                phase = (phase + step.unwrap_or(1)) % phases;
            }
        }
        vec![level, u64::from(phase == 0)]
    }
}

fn evaluator(block: &impl Circuit) -> EvaluatorEngine {
    EvaluatorEngine::new(&lower(block).unwrap()).unwrap()
}

/// Runs one clock cycle of a circuit. Returns its outputs in this order.
fn cycle(
    engine: &mut dyn CircuitEngine,
    inputs: &[(&str, &BigUint)],
    outputs: &[&str],
) -> Vec<BigUint> {
    for (name, value) in inputs {
        engine.set(engine.port(name), value);
    }
    engine.settle().unwrap();
    let values = outputs.iter().map(|name| engine.get(engine.port(name)));
    let values = values.collect();
    engine.clock().unwrap();
    values
}

fn equal<const DIMS: usize>() {
    let specs = ports(DIMS);
    let inputs = specs[1..].iter().filter(|spec| spec.input);
    let inputs: Vec<EnginePort> = inputs
        .map(|spec| EnginePort {
            name: spec.name.clone(),
            width: spec.width as u32,
            input: true,
        })
        .collect();
    let mut stimulus = Stimulus::new(&inputs, DIMS as u64)
        .script(&["phase_clock", "sync"], schedule(2 * DIMS as u64));
    let stimulus: Vec<Vec<BigUint>> = (0..CYCLES)
        .map(|_| stimulus.next_cycle().to_vec())
        .collect();

    let kit = pin_mux::files(4);
    let rtl = &kit
        .iter()
        .find(|file| file.name == pin_mux::RTL)
        .unwrap()
        .text;
    let top = format!("kit_{DIMS}");
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let text = both(DIMS) + rtl;
    let model = TOOLS.verilate(&text, &top, &specs, Some("clock"), models.as_ref());
    let found = model.unwrap().run(&stimulus).unwrap();

    let mut mux = evaluator(&PinMux::<DIMS>::default());
    let mut sequencer = evaluator(&PhaseSequencer::<DIMS>::default());
    let mut seen = vec![BTreeSet::new(); specs.iter().filter(|spec| !spec.input).count()];
    let (mut was_muted, mut slips) = (BigUint::from(1u32), 0u32);
    for (time, (values, found)) in stimulus.iter().zip(&found).enumerate() {
        let named = |names: &[&'static str]| -> Vec<(&'static str, &BigUint)> {
            let value = |name: &str| inputs.iter().position(|port| port.name == name).unwrap();
            names
                .iter()
                .map(|name| (*name, &values[value(name)]))
                .collect()
        };
        let mut expected = cycle(
            &mut mux,
            &named(&["dim", "drive", "tx", "level"]),
            &["rx", "pull"],
        );
        expected.extend(cycle(
            &mut sequencer,
            &named(&["phase_clock", "sync", "sides"]),
            &["begin", "phase", "dim", "transmit", "muted", "slips"],
        ));
        // The kit does not count slips. A rising edge of `muted` is one.
        let expected_slips = expected.pop().unwrap();
        assert_eq!(found, &expected, "clock cycle {time} of {DIMS} dimensions");
        let muted = found.last().unwrap().clone();
        slips += u32::from(muted > was_muted);
        was_muted = muted;
        assert_eq!(BigUint::from(slips), expected_slips);
        for (seen, value) in seen.iter_mut().zip(found) {
            seen.insert(value.clone());
        }
    }
    // Agreement on constants proves little. With one dimension, `dim` is constant.
    let outputs = specs.iter().filter(|spec| !spec.input);
    for (spec, seen) in outputs.zip(seen) {
        let constant = DIMS == 1 && spec.name == "dim_out";
        assert_eq!(seen.len() < 2, constant, "{}", spec.name);
    }
    assert!(slips > 10, "{slips} slips");
}

#[test]
fn for_one_dimension() {
    equal::<1>();
}

#[test]
fn for_two_dimensions() {
    equal::<2>();
}

#[test]
fn for_four_dimensions() {
    equal::<4>();
}

#[test]
fn for_twelve_dimensions() {
    equal::<12>();
}
