//! Reference, evaluator and Verilator agree on every output of the 3-cube in
//! every clock cycle of whole runs: the cube written as one `rust-hdl` block, and
//! the one that is composed of nodes.

use crate::machine::{cube, messages, run_on, timing, Small, CLOCKS, FOR_EVER};
use num_bigint::BigUint;
use phasecube::engine::agree::{all_alive, compare, Trace};
use phasecube::engine::{Engine, EvaluatorEngine, Reference, Verilator};
use phasecube::lower::lower;
use phasecube::machine::cube::{cube_array, Disturbance, MessageFate, Slip};
use phasecube::report::Probe;
use phasecube::rtl::tdma::Cube;
use phasecube::toolchain::{Effort, Toolchain};
use phasecube::traffic::Message;

fn trace(
    engine: &mut dyn Engine,
    acked: bool,
    disturbance: &Disturbance,
    messages: &[Message],
) -> (Vec<String>, Trace) {
    let mut probe = Probe::new(engine);
    let run = run_on::<3>(&mut probe, acked, disturbance.clone(), messages);
    let open = |fate: &MessageFate| *fate == MessageFate::UnderWay;
    assert!(!run.fates.iter().any(open));
    probe.into_trace()
}

/// The wanted outputs of a trace, in this order.
fn columns(wanted: &[String], names: &[String], trace: &Trace) -> Trace {
    let place = |name: &String| names.iter().position(|n| n == name).unwrap();
    let places: Vec<usize> = wanted.iter().map(place).collect();
    let pick = |cycle: &Vec<BigUint>| places.iter().map(|i| cycle[*i].clone()).collect();
    trace.iter().map(pick).collect()
}

fn agree(acked: bool, disturbance: Disturbance, messages: &[Message]) -> (Vec<String>, Trace) {
    let plan = timing(3, acked).plan();
    let circuit = || Cube::<3, CLOCKS, 4, 8>::new(plan, FOR_EVER);
    let design = lower(&circuit()).unwrap();
    let node = lower(&Small::<3>::new(plan, FOR_EVER)).unwrap();
    let composed = cube_array(cube(3), &node).unwrap().whole();
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let verilator = Verilator::new(&design, &tools, models.as_ref(), Effort::Quick);
    let mut verilator = verilator.unwrap_or_else(|e| panic!("{e}"));
    let mut evaluator = EvaluatorEngine::new(&design).unwrap();
    let mut composed = EvaluatorEngine::new(&composed).unwrap();
    let mut reference = Reference::new(circuit()).unwrap();

    let (outputs, expected) = trace(&mut reference, acked, &disturbance, messages);
    let others: [(&str, &mut dyn Engine); 3] = [
        ("evaluator", &mut evaluator),
        ("verilator", &mut verilator),
        ("composed", &mut composed),
    ];
    for (name, other) in others {
        let (names, found) = trace(other, acked, &disturbance, messages);
        let found = columns(&outputs, &names, &found);
        assert_eq!(expected.len(), found.len(), "clock cycles on {name}");
        compare(&outputs, ("reference", &expected), (name, &found))
            .unwrap_or_else(|e| panic!("{e}"));
    }
    (outputs, expected)
}

fn traffic() -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..8)
        .flat_map(|s| [(s, !s & 7), (s, 0), (s, s ^ 1)])
        .collect();
    messages(&pairs)
}

#[test]
fn with_answers() {
    let (outputs, trace) = agree(true, Disturbance::default(), &traffic());
    // Nothing is late or slips or clashes in a machine that works.
    let quiet = ["late", "muted", "slips", "clash", "out_reason"];
    let alive: Vec<usize> = (0..outputs.len())
        .filter(|i| !quiet.iter().any(|q| outputs[*i].starts_with(q)))
        .collect();
    let names: Vec<String> = alive.iter().map(|i| outputs[*i].clone()).collect();
    let values = |cycle: &Vec<BigUint>| alive.iter().map(|i| cycle[*i].clone()).collect();
    let trace: Trace = trace.iter().map(values).collect();
    all_alive(&names, &trace).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn without_answers() {
    agree(false, Disturbance::default(), &traffic());
}

#[test]
fn with_noise_and_a_slip() {
    let disturbance = Disturbance {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 6, t: 9 }],
        ..Disturbance::default()
    };
    agree(true, disturbance, &traffic());
}
