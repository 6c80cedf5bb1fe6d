//! The lockstep engine matches the evaluator in every clock cycle, in every signal that both name.

use crate::cube::{cube, messages, timing, SmallCubeNode};
use crate::support::cube_runs;
use crate::support::lockstep_vs_evaluator::LockstepVsEvaluator;
use hdl::lower::lower;
use lockstep::lanes::{Backend, LaneOptions};
use phasecube::engine::{ByNode, EvaluatorEngine, NodeEngine};
use phasecube::machine::{EndReason, RunStats};
use phasecube::networks::tdma::cube::{cube_array, CubeFaults, DeadMode, DeadNode, Slip};
use phasecube::traffic::Message;

fn lockstep_vs_evaluator<const D: usize>(
    acked: bool,
    options: &LaneOptions,
) -> LockstepVsEvaluator {
    let node = lower(&SmallCubeNode::<D>::new(timing(D, acked).plan())).unwrap();
    LockstepVsEvaluator::new(&cube_array(cube(D), &node).unwrap(), options)
}

fn traffic(nodes: u32) -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..nodes).flat_map(|s| [(s, !s & (nodes - 1)), (s, 0)]).collect();
    messages(&pairs)
}

fn run<const D: usize>(
    engine: &mut dyn NodeEngine,
    acked: bool,
    disturbance: &CubeFaults,
) -> RunStats {
    let circuit = cube_runs::circuit(cube(D), timing(D, acked));
    let run = cube_runs::run_for(engine, &circuit, disturbance, &traffic(1 << D), 12);
    assert!(run.hops > 0);
    run
}

fn disturbed() -> CubeFaults {
    CubeFaults {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 6, t: 9 }],
        ..CubeFaults::default()
    }
}

fn options(backend: Backend, threads: usize) -> LaneOptions {
    LaneOptions { backend, threads, ..LaneOptions::default() }
}

#[test]
#[ignore = "thorough: every signal in every clock cycle"]
fn every_signal_of_the_3_cube_in_every_clock_cycle() {
    for (backend, threads, acked, disturbance) in [
        (Backend::Auto, 2, true, CubeFaults::default()),
        (Backend::Auto, 1, false, CubeFaults::default()),
        (Backend::Auto, 1, true, disturbed()),
        (Backend::Tape, 2, true, disturbed()),
    ] {
        let mut both = lockstep_vs_evaluator::<3>(acked, &options(backend, threads));
        run::<3>(&mut both, acked, &disturbance);
        assert!(both.compared > 1_000_000);
    }
}

#[test]
#[ignore = "thorough: every signal in every clock cycle"]
fn every_signal_of_the_4_cube_in_every_clock_cycle() {
    let mut both = lockstep_vs_evaluator::<4>(true, &options(Backend::Auto, 1));
    run::<4>(&mut both, true, &disturbed());
}

/// Runs with every kind of fault equal the evaluator's runs.
#[test]
#[ignore = "thorough: every signal in every clock cycle"]
fn faults_give_the_run_that_they_give_on_the_evaluator() {
    let node = lower(&SmallCubeNode::<3>::new(timing(3, true).plan())).unwrap();
    let array = cube_array(cube(3), &node).unwrap();
    let whole = array.whole();
    let dead = |mode| DeadNode { node: 5, mode };
    let modes = [DeadMode::Silent, DeadMode::High, DeadMode::Low, DeadMode::Hung];
    let mut faults: Vec<CubeFaults> =
        modes.map(|mode| CubeFaults { dead: vec![dead(mode)], ..disturbed() }).into();
    faults.push(CubeFaults { noise: 2e-2, ..disturbed() });
    for disturbance in faults {
        let simulate = |engine: &mut dyn NodeEngine| {
            let circuit = cube_runs::circuit(cube(3), timing(3, true));
            cube_runs::run(engine, &circuit, &disturbance, &traffic(8))
        };
        let mut evaluator = EvaluatorEngine::new(&whole).unwrap();
        let wanted = simulate(&mut ByNode::new(&mut evaluator, 8));
        let mut lockstep = array.lockstep(&LaneOptions::default()).unwrap();
        assert_eq!(simulate(&mut lockstep), wanted, "{disturbance:?}");
        assert!(wanted.figure("silences") + wanted.figure("refused") > 0);
    }
}

/// The lanes form several chunks, so that links cross between chunks.
#[test]
#[ignore = "thorough: many runs"]
fn runs_do_not_depend_on_backend_and_threads() {
    let node = lower(&SmallCubeNode::<10>::new(timing(10, true).plan())).unwrap();
    let array = cube_array(cube(10), &node).unwrap();
    let disturbance = CubeFaults { noise: 1e-4, ..disturbed() };
    let runs = [(Backend::Auto, 1), (Backend::Auto, 2), (Backend::Tape, 3)].map(|(b, threads)| {
        let mut engine = array.lockstep(&options(b, threads)).unwrap();
        let circuit = cube_runs::circuit(cube(10), timing(10, true));
        let run = cube_runs::run_for(&mut engine, &circuit, &disturbance, &traffic(1 << 10), 2);
        assert_eq!(run.end, EndReason::Limit { periods: 2 });
        run
    });
    assert!(runs[0].figure("retries") > 0 && runs[0].figure("slips") > 0);
    assert_eq!(runs[1], runs[0]);
    assert_eq!(runs[2], runs[0]);
}
