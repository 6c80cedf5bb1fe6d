//! The program `route` on the nodes of a metacube matches the hardware forwarder. The event logs
//! are equal, phase by phase.

use crate::metacube::lists::{pattern, random};
use crate::metacube::machine::Machine;
use crate::support::same_run::same_run;
use lockstep::lanes::Options;
use phasecube::engine::Observed;
use phasecube::machine::{End, Fate};
use phasecube::networks::tdma::cube::{CubeRun, Dead, DeadMode, Disturbance, Slip};
use phasecube::networks::tdma::Profiler;
use phasecube::topology::Topology;
use phasecube::traffic::Message;

/// Returns the run, and the longest service time in clock cycles.
fn run(machine: Machine, disturbance: &Disturbance, messages: &[Message]) -> (CubeRun, u32) {
    let mut engine = machine.array().lockstep(&Options::default()).unwrap();
    let mut profiler = Profiler::new(&mut engine);
    let mut observed = Observed::new(&mut engine, vec![&mut profiler]);
    let run = machine.run_on(&mut observed, disturbance, messages);
    let cores = profiler.into_cores();
    let longest = cores.iter().flat_map(|core| core.service.iter().copied());
    (run, longest.max().unwrap())
}

/// Checks that the runs of programs and of forwarders are equal. Returns the run and the longest
/// service time.
fn same(shape: (u32, u32), disturbance: &Disturbance, messages: &[Message]) -> (CubeRun, u32) {
    let (soft, longest) = run(Machine::soft(shape.0, shape.1), disturbance, messages);
    let machine = Machine::new(shape.0, shape.1);
    let hard = machine.run(&machine.array(), disturbance, messages);
    same_run(&soft, &hard, &machine.shape.name());
    (soft, longest)
}

const SHAPES: [(u32, u32); 3] = [(1, 1), (1, 2), (2, 1)];

/// Runs random lists and lists of many messages for each node. The default window is sufficient.
#[test]
fn random_traffic() {
    for shape in SHAPES {
        let machine = Machine::new(shape.0, shape.1);
        let mut seen = 0;
        let lists = [random(machine, 1), pattern(machine, "relation:4", 1)];
        for messages in lists {
            let (run, longest) = same(shape, &Disturbance::default(), &messages);
            assert_eq!((run.end, run.counters.late), (End::Complete, 0));
            seen = seen.max(longest);
        }
        let timing = Machine::soft(shape.0, shape.1).timing();
        let window = timing.service * timing.clocks_per_bit;
        println!("MC{shape:?}: service time up to {seen} clock cycles, {window} given");
        assert!(
            seen <= window,
            "MC{shape:?}: {seen} clock cycles, {window} given"
        );
    }
}

/// The window is also sufficient where many messages wait at each of 1,024 nodes.
#[test]
#[ignore = "thorough: long runs"]
fn much_traffic_of_the_largest() {
    let machine = Machine::soft(2, 2);
    let messages = pattern(machine, "relation:4", 1);
    let (run, longest) = run(machine, &Disturbance::default(), &messages);
    let late = run.counters.late;
    assert_eq!((run.end, late), (End::Complete, 0), "{longest}");
}

/// Repeated frames, and a node that loses sync.
#[test]
fn with_noise_and_a_slip() {
    let slip = Disturbance {
        slips: vec![Slip { node: 6, t: 9 }],
        ..Disturbance::default()
    };
    let messages = pattern(Machine::new(2, 1), "relation:3", 2);
    let (run_with_slip, _) = same((2, 1), &slip, &messages);
    assert_eq!(run_with_slip.slips, 1);

    // The inverted bits depend on the length of a phase, so the logs differ.
    let noisy = Disturbance {
        noise: 2e-3,
        seed: 5,
        ..Disturbance::default()
    };
    let (soft, _) = run(Machine::soft(2, 1), &noisy, &messages);
    let home = |f: &Fate| matches!(f, Fate::Delivered { .. } | Fate::ToSelf);
    assert!(soft.fates.iter().all(home));
    assert!(soft.counters.retries > 0);
    assert_eq!(soft.counters.duplicated + soft.counters.undetected, 0);
}

/// Links go down. Messages that were sent are unknown, and the others are undelivered.
#[test]
fn with_a_dead_node() {
    let messages = pattern(Machine::new(1, 1), "relation:4", 2);
    for mode in [DeadMode::Silent, DeadMode::Hung] {
        let disturbance = Disturbance {
            dead: vec![Dead { node: 5, mode }],
            ..Disturbance::default()
        };
        let (soft, _) = same((1, 1), &disturbance, &messages);
        assert_eq!(soft.end, End::Complete);
        let given_up = |f: &&Fate| matches!(f, Fate::Undelivered | Fate::Unknown);
        assert!(soft.fates.iter().filter(given_up).count() > 1, "{mode:?}");
    }
}
