//! Reference, evaluator, Verilator and lockstep agree on every output of small cubes
//! in every clock cycle of whole runs: the cube written as one `rust-hdl` block, and
//! the one that is composed of nodes.

use crate::lockstep_whole::LockstepWhole;
use crate::machine::{cube, messages, run_on, timing, Small, CLOCKS};
use crate::whole_runs::{self, alive_but, Outputs};
use phasecube::engine::{Engine, EvaluatorEngine, Reference};
use phasecube::lower::{lower, Circuit};
use phasecube::machine::cube::{cube_array, Disturbance, Slip};
use phasecube::machine::Fate;
use phasecube::report::Probe;
use phasecube::rtl::tdma::Cube;
use phasecube::traffic::Message;

fn trace(
    engine: &mut dyn Engine,
    acked: bool,
    disturbance: &Disturbance,
    messages: &[Message],
) -> Outputs {
    let mut probe = Probe::new(engine);
    let run = run_on::<3>(&mut probe, acked, disturbance.clone(), messages);
    let open = |fate: &Fate| *fate == Fate::UnderWay;
    assert!(!run.fates.iter().any(open));
    probe.into_trace()
}

fn agree(acked: bool, disturbance: Disturbance, messages: &[Message]) -> Outputs {
    let plan = timing(3, acked).plan();
    let node = lower(&Small::<3>::new(plan)).unwrap();
    let composed = cube_array(cube(3), &node).unwrap().whole();
    let mut composed = EvaluatorEngine::new(&composed).unwrap();
    let block = || Cube::<3, CLOCKS, 4, 8>::new(plan);
    whole_runs::agree(block, &mut composed, |engine| {
        trace(engine, acked, &disturbance, messages)
    })
}

fn disturbed() -> Disturbance {
    Disturbance {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 6, t: 9 }],
        ..Disturbance::default()
    }
}

fn traffic() -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..8)
        .flat_map(|s| [(s, !s & 7), (s, 0), (s, s ^ 1)])
        .collect();
    messages(&pairs)
}

/// The reference shows no signal but the outputs of the block; they are compared.
fn lockstep_is_reference<const D: usize>(
    block: impl Circuit,
    acked: bool,
    disturbance: &Disturbance,
    messages: &[Message],
) {
    let node = lower(&Small::<D>::new(timing(D, acked).plan())).unwrap();
    let mut reference = Reference::new(block).unwrap();
    let mut lockstep = LockstepWhole::new(&cube_array(cube(D), &node).unwrap());
    whole_runs::same(
        &mut reference,
        &mut [("lockstep", &mut lockstep)],
        |engine| {
            let mut probe = Probe::new(engine);
            run_on::<D>(&mut probe, acked, disturbance.clone(), messages);
            probe.into_trace()
        },
    );
}

#[test]
fn lockstep_and_reference_on_the_3_cube() {
    let block = Cube::<3, CLOCKS, 4, 8>::new(timing(3, true).plan());
    let messages = &traffic()[..12];
    lockstep_is_reference::<3>(block, true, &disturbed(), messages);
}

#[test]
fn lockstep_and_reference_on_the_4_cube() {
    let block = Cube::<4, CLOCKS, 4, 8>::new(timing(4, true).plan());
    let pairs: Vec<(u32, u32)> = (0..16).map(|s| (s, !s & 15)).collect();
    lockstep_is_reference::<4>(block, true, &Disturbance::default(), &messages(&pairs));
}

#[test]
fn with_answers() {
    let outputs = agree(true, Disturbance::default(), &traffic());
    // Nothing is late or slips or clashes in a machine that works.
    let quiet = ["late", "muted", "slips", "clash", "out_reason"];
    alive_but(&outputs, &quiet);
}

#[test]
fn without_answers() {
    agree(false, Disturbance::default(), &traffic());
}

#[test]
fn with_noise_and_a_slip() {
    agree(true, disturbed(), &traffic());
}
