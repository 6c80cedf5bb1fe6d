//! Adaptive routing under faults: noise, slips, dead nodes. Every deliverable message is delivered
//! once. A dead node costs at most the messages that were sent to it.

use crate::cube::delivery_counter::DeliveryCounter;
use crate::cube::{adaptive_array, adaptive_timing, cube, messages, pattern, run_adaptive};
use crate::support::cube_runs;
use lockstep::lanes::LaneOptions;
use phasecube::engine::ObservedEngine;
use phasecube::machine::{Delivery, EndReason, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode, DeadNode, Slip};
use phasecube::routing::tdma::PhaseSchedule;
use phasecube::traffic::{Message, SplitMix64};

fn disturbed<const D: usize, const P: usize>(
    disturbance: CubeFaults,
    messages: &[Message],
) -> RunStats {
    let array = adaptive_array::<D, P>();
    let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
    run_adaptive::<D>(&mut engine, disturbance, messages, false)
}

fn all_delivered(run: &RunStats, which: &str) {
    let home = |f: &Delivery| matches!(f, Delivery::Delivered { .. } | Delivery::ToSelf);
    assert!(run.deliveries.iter().all(home), "{which}: {:?}", run.deliveries);
    assert_eq!(run.duplicated + run.undetected, 0);
    assert_eq!(run.end, EndReason::Complete, "{which}");
}

/// A message whose frame timed out is repeated on the same link first. No message is duplicated,
/// however often pools are full.
#[test]
fn noise_costs_time_but_no_message() {
    let mut naks = 0;
    for (noise, seeds) in [(1e-4, 2), (1e-3, 4), (1e-2, 4)] {
        for seed in 1..=seeds {
            let disturbance = CubeFaults { noise, seed, ..CubeFaults::default() };
            let which = format!("noise {noise}, seed {seed}");
            let run = disturbed::<3, 4>(disturbance.clone(), &pattern("relation:12", seed, 3));
            all_delivered(&run, &which);
            assert_eq!(run.figure("retries"), run.figure("silences"), "{which}");
            naks += run.figure("refused");
            let run = disturbed::<4, 5>(disturbance, &pattern("relation:6", seed, 4));
            all_delivered(&run, &which);
            naks += run.figure("refused");
        }
    }
    assert!(naks > 10, "pools were full: {naks}");
}

/// Every node misses phases at random. The messages delivered to hosts are counted at the ports.
#[test]
fn slips_cost_time_but_no_message() {
    const DIMS: usize = 3;
    let mut random = SplitMix64::new(3);
    let mut slips = vec![];
    let mut releases = vec![];
    let mut list = vec![];
    for round in 1..200u64 {
        let begin = round * 3 * 2 * DIMS as u64;
        slips.push(Slip { node: random.below(8) as u32, t: begin + random.below(2 * DIMS as u64) });
        for source in 0..8 {
            for destination in [!source & 7, random.below(8) as u32] {
                if source != destination {
                    list.push((source, destination));
                    releases.push(begin);
                }
            }
        }
    }
    let list: Vec<Message> = messages(&list)
        .into_iter()
        .enumerate()
        .map(|(i, message)| Message { payload: (i as u32).to_le_bytes().to_vec(), ..message })
        .collect();
    let mut engine = adaptive_array::<DIMS, 4>().lockstep(&LaneOptions::default()).unwrap();
    let mut counter = DeliveryCounter::new(&mut engine);
    let mut observed = ObservedEngine::new(&mut engine, vec![&mut counter]);
    let disturbance = CubeFaults { slips: slips.clone(), ..CubeFaults::default() };
    let timing = adaptive_timing(DIMS);
    let circuit = cube_runs::circuit(cube(DIMS), timing).adaptive();
    let circuit = circuit.with_timing(timing);
    let load = cube_runs::load_from(&list, &releases, timing);
    let control = cube_runs::limit(&circuit, u64::MAX);
    let run = cube_runs::run_load(&mut observed, &circuit, &disturbance, &load, control);
    assert_eq!(run.end, EndReason::Complete);
    assert!(run.figure("slips") > 150);
    assert!(counter.delivered == DeliveryCounter::delivered_once(&list), "lost or doubled");
    assert_eq!(counter.dropped, 0);
    assert_eq!(run.duplicated + run.undetected, 0);
}

/// Checks one dead node. Every message between two other nodes arrives, except those sent to the
/// dead node before its neighbours knew, at most one from each. E-cube routing would lose all
/// messages whose route contains it.
fn dead(mode: DeadMode) {
    const DIMS: usize = 4;
    let node = 5;
    let list = pattern("relation:10", 2, DIMS);
    let disturbance = CubeFaults { dead: vec![DeadNode { node, mode }], ..CubeFaults::default() };
    let run = disturbed::<DIMS, 5>(disturbance, &list);
    assert_eq!(run.end, EndReason::Complete, "{mode:?}");
    assert_eq!(run.duplicated + run.undetected, 0);
    let (mut unknown, mut by_ecube) = (0, 0);
    for (message, delivery) in list.iter().zip(&run.deliveries) {
        let ends_there = [message.source, message.destination].contains(&node);
        let schedule = PhaseSchedule::new(cube(DIMS));
        let passes = schedule.route_includes(message.source, message.destination, |n| n == node);
        by_ecube += usize::from(passes && !ends_there);
        match delivery {
            Delivery::Delivered { .. } => assert!(!ends_there, "{mode:?}: {message:?}"),
            Delivery::ToSelf => {}
            Delivery::Unknown if !ends_there => unknown += 1,
            Delivery::Undelivered | Delivery::Unknown => {
                assert!(ends_there, "{mode:?}: {message:?} is {delivery:?}");
            }
            other => panic!("{mode:?}: {message:?} is {other:?}"),
        }
    }
    assert!(by_ecube > 10, "{by_ecube}");
    // A node that hangs accepts messages for its free slots before it falls silent.
    let taken = if mode == DeadMode::Hung { 5 } else { 0 };
    assert!(unknown <= DIMS + taken, "{mode:?}: {unknown}");
}

#[test]
fn messages_go_round_a_silent_node() {
    dead(DeadMode::Silent);
}

#[test]
fn messages_go_round_a_node_with_its_wires_stuck_high() {
    dead(DeadMode::High);
}

#[test]
fn messages_go_round_a_node_with_its_wires_stuck_low() {
    dead(DeadMode::Low);
}

#[test]
fn messages_go_round_a_node_whose_core_hangs() {
    dead(DeadMode::Hung);
}

/// A message whose links are all down is dropped and reported.
#[test]
fn messages_without_a_route_are_dropped() {
    let silent = |node| DeadNode { node, mode: DeadMode::Silent };
    let disturbance =
        CubeFaults { dead: vec![silent(1), silent(2), silent(4)], ..CubeFaults::default() };
    // Three messages from node 0 try the three links. The others stay.
    let run = disturbed::<3, 4>(disturbance, &messages(&[(0, 7); 9]));
    assert_eq!(run.end, EndReason::Complete);
    let count =
        |wanted: Delivery| run.deliveries.iter().filter(|delivery| **delivery == wanted).count();
    assert_eq!((count(Delivery::Unknown), count(Delivery::Undelivered)), (3, 6));
}
