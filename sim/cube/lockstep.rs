//! The lockstep engine tells the same story as the evaluator: in every clock
//! cycle, in every signal that both name.

use crate::machine::{cube, messages, timing, Small, FOR_EVER};
use crate::twins::Twins;
use lockstep::lanes::{Backend, Options};
use phasecube::engine::NodeEngine;
use phasecube::lower::lower;
use phasecube::machine::cube::{cube_array, CubeMachine, CubeRun, Disturbance, RunEnd, Slip};
use phasecube::traffic::Message;

fn twins<const D: usize>(acked: bool, options: &Options) -> Twins {
    let node = lower(&Small::<D>::new(timing(D, acked).plan(), FOR_EVER)).unwrap();
    Twins::new(&cube_array(cube(D), &node).unwrap(), options)
}

fn traffic(nodes: u32) -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..nodes)
        .flat_map(|s| [(s, !s & (nodes - 1)), (s, 0)])
        .collect();
    messages(&pairs)
}

fn run<const D: usize>(
    engine: &mut dyn NodeEngine,
    acked: bool,
    disturbance: &Disturbance,
) -> CubeRun {
    let timing = timing(D, acked);
    let mut machine = CubeMachine::new(engine, cube(D), timing, disturbance.clone());
    machine.limit = 12;
    let run = machine.run(&traffic(1 << D)).unwrap();
    assert!(run.counters.hops > 0);
    run
}

fn disturbed() -> Disturbance {
    Disturbance {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 6, t: 9 }],
        ..Disturbance::default()
    }
}

fn options(backend: Backend, threads: usize) -> Options {
    Options {
        backend,
        threads,
        ..Options::default()
    }
}

#[test]
fn every_signal_of_the_3_cube_in_every_clock_cycle() {
    for (backend, acked, disturbance) in [
        (Backend::Auto, true, Disturbance::default()),
        (Backend::Auto, false, Disturbance::default()),
        (Backend::Auto, true, disturbed()),
        (Backend::Tape, true, disturbed()),
    ] {
        let mut twins = twins::<3>(acked, &options(backend, 1));
        run::<3>(&mut twins, acked, &disturbance);
        assert!(twins.compared > 1_000_000);
    }
}

#[test]
fn every_signal_of_the_4_cube_in_every_clock_cycle() {
    let mut twins = twins::<4>(true, &options(Backend::Auto, 1));
    run::<4>(&mut twins, true, &disturbed());
}

/// Several chunks of lanes, so that links lead from one to another.
#[test]
fn runs_do_not_depend_on_backend_and_threads() {
    let node = lower(&Small::<10>::new(timing(10, true).plan(), FOR_EVER)).unwrap();
    let array = cube_array(cube(10), &node).unwrap();
    let disturbance = Disturbance {
        noise: 1e-4,
        ..disturbed()
    };
    let runs = [(Backend::Auto, 1), (Backend::Auto, 2), (Backend::Tape, 3)].map(|(b, threads)| {
        let mut engine = array.lockstep(&options(b, threads)).unwrap();
        let timing = timing(10, true);
        let mut machine = CubeMachine::new(&mut engine, cube(10), timing, disturbance.clone());
        machine.limit = 4;
        let run = machine.run(&traffic(1 << 10)).unwrap();
        assert_eq!(run.end, RunEnd::Limit { superframes: 4 });
        run
    });
    assert!(runs[0].counters.retries > 0 && runs[0].slips > 0);
    for run in &runs[1..] {
        assert_eq!(run.fates, runs[0].fates);
        assert_eq!(run.events, runs[0].events);
        assert_eq!(run.counters, runs[0].counters);
        assert_eq!(run.clock_cycles, runs[0].clock_cycles);
    }
}
