//! Reference, evaluator and Verilator agree on every output of the 3-cube in
//! every clock cycle of whole runs.

use crate::machine::{circuit, messages, run_on};
use phasecube::engine::agree::{all_alive, compare, Trace};
use phasecube::engine::{Engine, EvaluatorEngine, Reference, Verilator};
use phasecube::lower::lower;
use phasecube::machine::cube::{Disturbance, MessageFate, Slip};
use phasecube::report::Probe;
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

fn agree(acked: bool, disturbance: Disturbance, messages: &[Message]) -> (Vec<String>, Trace) {
    let design = lower(&circuit::<3>(acked)).unwrap();
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let verilator = Verilator::new(&design, &tools, models.as_ref(), Effort::Quick);
    let mut verilator = verilator.unwrap_or_else(|e| panic!("{e}"));
    let mut evaluator = EvaluatorEngine::new(&design).unwrap();
    let mut reference = Reference::new(circuit::<3>(acked)).unwrap();

    let (outputs, expected) = trace(&mut reference, acked, &disturbance, messages);
    let others: [&mut dyn Engine; 2] = [&mut evaluator, &mut verilator];
    for other in others {
        let name = other.name();
        let (_, found) = trace(other, acked, &disturbance, messages);
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
    let values =
        |cycle: &Vec<num_bigint::BigUint>| alive.iter().map(|i| cycle[*i].clone()).collect();
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
