//! Faults are reported. A message is delivered once or reported as lost, and the other messages are
//! unaffected.

use crate::compiled::CompiledSetup;
use phasecube::machine::{Delivery, EndReason, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode, DeadNode, Slip};
use phasecube::routing::compiled::SweepDirection;

/// Runs the schedule with a disturbance and accounts for every message. Returns the messages that
/// did not arrive.
fn lost(compiled: &CompiledSetup, disturbance: &CubeFaults) -> (RunStats, Vec<usize>) {
    let run = compiled.run(disturbance);
    assert_eq!(run.end, EndReason::Complete);
    assert_eq!(run.undetected + run.duplicated, 0);
    let deliveries = run.deliveries.iter().enumerate();
    let lost = deliveries.filter(|(_, delivery)| match delivery {
        Delivery::ToSelf | Delivery::Delivered { .. } => false,
        Delivery::UnderWay => panic!("under way when the run is over"),
        _ => true,
    });
    let lost = lost.map(|(message, _)| message).collect();
    (run, lost)
}

/// Returns true if the route of a message contains a node, including its ends.
fn passes(compiled: &CompiledSetup, message: usize, node: u32) -> bool {
    let source = compiled.messages[message].source;
    let mut moves = compiled.schedule.moves(message, source);
    source == node || moves.any(|step| step.to == node)
}

#[test]
fn a_dead_node_costs_the_messages_that_pass_it() {
    let compiled = CompiledSetup::of_pattern("permutation", 4, 2, SweepDirection::UpDown);
    for mode in [DeadMode::Silent, DeadMode::High, DeadMode::Low, DeadMode::Hung] {
        let disturbance =
            CubeFaults { dead: vec![DeadNode { node: 5, mode }], ..CubeFaults::default() };
        let (_, lost) = lost(&compiled, &disturbance);
        let all = 0..compiled.messages.len();
        let travels = |m: &usize| !compiled.schedule.pairs[*m].is_empty();
        // A node that hangs still receives messages for it but delivers none.
        let expected = all.filter(travels).filter(|m| passes(&compiled, *m, 5));
        assert_eq!(lost, expected.collect::<Vec<_>>(), "{mode:?}");
    }
}

#[test]
fn a_frame_that_noise_damages_costs_its_message() {
    let compiled = CompiledSetup::of_pattern("relation:4", 3, 5, SweepDirection::UpDown);
    let mut all = 0;
    for seed in 0..8 {
        let disturbance = CubeFaults { noise: 1e-3, seed, ..CubeFaults::default() };
        let (_, lost) = lost(&compiled, &disturbance);
        assert!(lost.len() < compiled.messages.len() / 2);
        all += lost.len();
    }
    assert!(all > 0, "no frame was damaged");
}

/// A node that is two phases late sends on the same link in the next pair. Its neighbour expects
/// another message there, so the CRC check fails. The CRC covers the number of the pair.
#[test]
fn a_message_for_another_pair_is_not_taken() {
    let compiled = CompiledSetup::of_pattern("relation:6", 3, 1, SweepDirection::UpDown);
    let mut all = 0;
    for node in 0..8 {
        let disturbance = CubeFaults {
            slips: vec![Slip { node, t: 1 }, Slip { node, t: 3 }],
            ..CubeFaults::default()
        };
        all += lost(&compiled, &disturbance).1.len();
    }
    assert!(all > 0);
}

/// A node that has lost sync does nothing for the rest of the order.
#[test]
fn a_slip_costs_the_remaining_transfers_of_the_node() {
    let compiled = CompiledSetup::of_pattern("permutation", 4, 9, SweepDirection::UpDown);
    for t in [1, 6, 11] {
        let disturbance = CubeFaults { slips: vec![Slip { node: 6, t }], ..CubeFaults::default() };
        let (run, lost) = lost(&compiled, &disturbance);
        assert_eq!(run.figure("slips"), 1);
        for message in 0..compiled.messages.len() {
            // A node that has lost sync may disturb its neighbours only.
            let near = |node: u32| (0..4).any(|dim| passes(&compiled, message, node ^ 1 << dim));
            let touched = passes(&compiled, message, 6) || near(6);
            assert!(touched || !lost.contains(&message), "{message} at {t}");
        }
    }
}
