//! Noise, dead nodes and slips. Only messages that the faults affect may be lost, and every run
//! ends by itself.

use crate::cube::{array, cube, evaluator, messages, timing};
use crate::support::cube_runs;
use lockstep::lanes::LaneOptions;
use phasecube::engine::ByNode;
use phasecube::machine::{Delivery, EndReason, RunControl, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode, DeadNode, Slip};
use phasecube::routing::tdma::PhaseSchedule;
use phasecube::traffic::Message;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Runs in the lockstep engine, which gives the same runs as the evaluator (`lockstep.rs`). It is
/// faster for the long timeouts of dead nodes.
fn disturbed(disturbance: CubeFaults, messages: &[Message]) -> RunStats {
    let mut engine = array::<3>(true).lockstep(&LaneOptions::default()).unwrap();
    let circuit = cube_runs::circuit(cube(3), timing(3, true));
    cube_runs::run(&mut engine, &circuit, &disturbance, messages)
}

/// Returns three messages from every node.
fn traffic() -> Vec<Message> {
    let pairs: Vec<(u32, u32)> =
        (0..8).flat_map(|s| [(s, !s & 7), (s, (s + 3) % 8), (s, s ^ 2)]).collect();
    messages(&pairs)
}

fn all_delivered(run: &RunStats) {
    let home = |f: &Delivery| matches!(f, Delivery::Delivered { .. });
    assert!(run.deliveries.iter().all(home), "{:?}", run.deliveries);
    assert_eq!(run.duplicated + run.undetected, 0);
    assert_eq!(run.end, EndReason::Complete);
}

#[test]
fn noise_costs_time_but_no_message() {
    let mut retries = vec![];
    for noise in [1e-4, 1e-3, 1e-2] {
        for seed in [1, 2, 3] {
            let run = disturbed(CubeFaults { noise, seed, ..CubeFaults::default() }, &traffic());
            all_delivered(&run);
            assert_eq!(run.figure("retries"), run.figure("silences"));
            retries.push(run.figure("retries"));
        }
    }
    let sum = |of: &[u64]| of.iter().sum::<u64>();
    assert!(sum(&retries[0..3]) < sum(&retries[3..6]));
    assert!(sum(&retries[3..6]) < sum(&retries[6..9]));
}

/// Messages whose route contains the dead node are delivered or dropped, with the reason. All other
/// messages are delivered.
fn dead(mode: DeadMode) {
    let node = 5;
    let messages = traffic();
    let run = disturbed(
        CubeFaults { dead: vec![DeadNode { node, mode }], ..CubeFaults::default() },
        &messages,
    );
    assert_eq!(run.end, EndReason::Complete);
    assert_eq!(run.duplicated + run.undetected, 0);
    let mut dropped = 0;
    for (message, delivery) in messages.iter().zip(&run.deliveries) {
        let hops = PhaseSchedule::new(cube(3)).hops(message.source, message.destination);
        let through = hops.iter().any(|hop| hop.node == node || hop.next == node);
        match delivery {
            Delivery::Delivered { .. } => assert!(!through, "{message:?}"),
            Delivery::Undelivered | Delivery::Unknown => {
                assert!(through, "{message:?}");
                dropped += 1;
            }
            other => panic!("{message:?}: {other:?}"),
        }
    }
    assert!(dropped > 5);
    // There are 64 timeouts on each of the three links into the node. A hung node receives frames
    // and answers NAK until it falls silent. The other dead nodes cannot send either.
    assert!(run.figure("silences") >= 3 * 64);
    if mode == DeadMode::Hung {
        assert!(run.figure("refused") > 0 && run.figure("late") > 0);
    }
}

#[test]
fn a_silent_node() {
    dead(DeadMode::Silent);
}

#[test]
fn a_node_with_its_wires_stuck_high() {
    dead(DeadMode::High);
}

#[test]
fn a_node_with_its_wires_stuck_low() {
    dead(DeadMode::Low);
}

#[test]
fn a_node_whose_core_hangs() {
    dead(DeadMode::Hung);
}

/// A node that misses a phase loses sync until the next sync but one. Frames that it disturbs
/// meanwhile are repeated.
#[test]
fn a_slip_costs_time_but_no_message() {
    for t in 0..12 {
        let run = disturbed(
            CubeFaults { slips: vec![Slip { node: 6, t }], ..CubeFaults::default() },
            &traffic(),
        );
        all_delivered(&run);
        // Before the first sync no node is synchronised, so none can lose sync.
        assert_eq!(run.figure("slips"), u64::from(t > 0), "slip in phase {t}");
    }
}

/// A slip that follows another one has an effect, wherever it is in the list.
#[test]
fn a_node_can_miss_several_phases_in_a_row() {
    let mut slips: Vec<Slip> = (1..9).map(|t| Slip { node: 6, t }).collect();
    let run = |slips: &[Slip]| {
        let faults = CubeFaults { slips: slips.to_vec(), ..CubeFaults::default() };
        disturbed(faults, &traffic())
    };
    let ascending = run(&slips);
    assert_ne!(run(&slips[..1]).deliveries, ascending.deliveries);
    slips.reverse();
    assert_eq!(run(&slips).deliveries, ascending.deliveries);
}

#[test]
fn a_run_that_cannot_finish_reports_the_reason() {
    let timing = timing(3, true);
    let mut engine = evaluator::<3>(timing);
    let disturbance = CubeFaults {
        dead: vec![DeadNode { node: 0, mode: DeadMode::Silent }],
        ..CubeFaults::default()
    };
    let mut nodes = ByNode::new(&mut engine, 8);
    let circuit = cube_runs::circuit(cube(3), timing);
    let control = RunControl {
        // A link goes down after 64 timeouts, so nothing moves before that.
        deadlock_after: Some(20),
        ..cube_runs::limit(&circuit, u64::MAX)
    };
    let load = cube_runs::load(&messages(&[(1, 0), (1, 0), (2, 0)]));
    let run = cube_runs::run_load(&mut nodes, &circuit, &disturbance, &load, control);
    assert_eq!(run.end, EndReason::Deadlock { periods: 20 });
    assert!(run.deliveries.contains(&Delivery::UnderWay));
}

/// Stops a run as Ctrl-C does. The results so far are kept, and the other messages are under way.
#[test]
fn a_stopped_run_reports_its_progress() {
    let timing = timing(3, true);
    let mut engine = evaluator::<3>(timing);
    let mut nodes = ByNode::new(&mut engine, 8);
    let circuit = cube_runs::circuit(cube(3), timing);
    let stop = Arc::new(AtomicBool::new(false));
    let control = RunControl {
        stop: stop.clone(),
        progress: Box::new(|phases, _| stop.store(phases == 6, Ordering::Relaxed)),
        ..cube_runs::limit(&circuit, u64::MAX)
    };
    let pairs: Vec<(u32, u32)> = (0..4).flat_map(|_| (1..8).map(|s| (s, 0))).collect();
    let (faults, load) = (CubeFaults::default(), cube_runs::load(&messages(&pairs)));
    let run = cube_runs::run_load(&mut nodes, &circuit, &faults, &load, control);
    assert_eq!(run.end, EndReason::Stopped { periods: 1 });
    let arrived = |f: &&Delivery| matches!(f, Delivery::Delivered { .. });
    let count = run.deliveries.iter().filter(arrived).count();
    assert!((1..28).contains(&count), "{count} arrived");
}
