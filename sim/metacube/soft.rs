//! The program `route` on the nodes of a metacube matches the hardware forwarder. The event logs
//! are equal, phase by phase.

use crate::metacube::lists::{pattern, random};
use crate::metacube::TestMetacube;
use crate::support::cube_runs::same_run;
use lockstep::lanes::LaneOptions;
use phasecube::engine::ObservedEngine;
use phasecube::machine::{Delivery, EndReason, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode, DeadNode, Slip};
use phasecube::networks::tdma::Profiler;
use phasecube::topology::Topology;
use phasecube::traffic::Message;

/// Returns the run, and the longest service time in clock cycles.
fn run(machine: TestMetacube, disturbance: &CubeFaults, messages: &[Message]) -> (RunStats, u32) {
    let mut engine = machine.array().lockstep(&LaneOptions::default()).unwrap();
    let mut profiler = Profiler::new(&mut engine);
    let mut observed = ObservedEngine::new(&mut engine, vec![&mut profiler]);
    let run = machine.run_on(&mut observed, disturbance, messages);
    let cores = profiler.into_cores();
    let longest = cores.iter().flat_map(|core| core.service.iter().copied());
    (run, longest.max().unwrap())
}

/// Checks that the runs of programs and of forwarders are equal. Returns the run and the longest
/// service time.
fn same(shape: (u32, u32), disturbance: &CubeFaults, messages: &[Message]) -> (RunStats, u32) {
    let (soft, longest) = run(TestMetacube::soft(shape.0, shape.1), disturbance, messages);
    let machine = TestMetacube::new(shape.0, shape.1);
    let hard = machine.run(&machine.array(), disturbance, messages);
    same_run(&soft, &hard, &machine.shape.name());
    (soft, longest)
}

const SHAPES: [(u32, u32); 3] = [(1, 1), (1, 2), (2, 1)];

/// Runs random lists and lists of many messages for each node. The default window is sufficient.
#[test]
fn random_traffic() {
    for shape in SHAPES {
        let machine = TestMetacube::new(shape.0, shape.1);
        let mut seen = 0;
        let lists = [random(machine, 1), pattern(machine, "relation:4", 1)];
        for messages in lists {
            let (run, longest) = same(shape, &CubeFaults::default(), &messages);
            assert_eq!((run.end, run.figure("late")), (EndReason::Complete, 0));
            seen = seen.max(longest);
        }
        let timing = TestMetacube::soft(shape.0, shape.1).timing();
        let window = timing.service * timing.clocks_per_bit;
        println!("MC{shape:?}: service time up to {seen} clock cycles, {window} given");
        assert!(seen <= window, "MC{shape:?}: {seen} clock cycles, {window} given");
    }
}

/// The window is also sufficient where many messages wait at each of 1,024 nodes.
#[test]
#[ignore = "thorough: long runs"]
fn much_traffic_of_the_largest() {
    let machine = TestMetacube::soft(2, 2);
    let messages = pattern(machine, "relation:4", 1);
    let (run, longest) = run(machine, &CubeFaults::default(), &messages);
    let late = run.figure("late");
    assert_eq!((run.end, late), (EndReason::Complete, 0), "{longest}");
}

/// Repeated frames, and a node that loses sync.
#[test]
fn with_noise_and_a_slip() {
    let slip = CubeFaults { slips: vec![Slip { node: 6, t: 9 }], ..CubeFaults::default() };
    let messages = pattern(TestMetacube::new(2, 1), "relation:3", 2);
    let (run_with_slip, _) = same((2, 1), &slip, &messages);
    assert_eq!(run_with_slip.figure("slips"), 1);

    // The inverted bits depend on the length of a phase, so the logs differ.
    let noisy = CubeFaults { noise: 2e-3, seed: 5, ..CubeFaults::default() };
    let (soft, _) = run(TestMetacube::soft(2, 1), &noisy, &messages);
    let home = |f: &Delivery| matches!(f, Delivery::Delivered { .. } | Delivery::ToSelf);
    assert!(soft.deliveries.iter().all(home));
    assert!(soft.figure("retries") > 0);
    assert_eq!(soft.duplicated + soft.undetected, 0);
}

/// Links go down. Messages that were sent are unknown, and the others are undelivered.
#[test]
fn with_a_dead_node() {
    let messages = pattern(TestMetacube::new(1, 1), "relation:4", 2);
    for mode in [DeadMode::Silent, DeadMode::Hung] {
        let disturbance =
            CubeFaults { dead: vec![DeadNode { node: 5, mode }], ..CubeFaults::default() };
        let (soft, _) = same((1, 1), &disturbance, &messages);
        assert_eq!(soft.end, EndReason::Complete);
        let dropped = |f: &&Delivery| matches!(f, Delivery::Undelivered | Delivery::Unknown);
        assert!(soft.deliveries.iter().filter(dropped).count() > 1, "{mode:?}");
    }
}
