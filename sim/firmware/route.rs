//! The program `route` matches the hardware forwarder. The event logs are equal, phase by phase.

use crate::firmware::{
    assert_all_delivered_in_noise, dead, is_delivered, run_ascending, run_hard, run_soft,
    slips_in_noise, traffic,
};
use crate::support::cube_runs::same_run as same;
use phasecube::machine::{Delivery, EndReason, MessageEvent, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode, Slip};
use phasecube::traffic::{Message, TrafficPattern};

fn delivers<const D: usize>(messages: &[Message], what: &str) {
    let (soft, _) = run_soft::<D>(CubeFaults::default(), messages);
    assert!(soft.deliveries.iter().all(is_delivered), "{what}: {:?}", soft.deliveries);
    assert_eq!(soft.end, EndReason::Complete, "{what}");
    assert_eq!(soft.figure("late"), 0, "{what}");
    let hard = run_hard::<D>(CubeFaults::default(), messages);
    same(&soft, &hard, what);
}

fn patterns() -> Vec<TrafficPattern> {
    vec![
        TrafficPattern::Xor(5),
        TrafficPattern::Complement,
        TrafficPattern::Bitrev,
        TrafficPattern::Shuffle,
        TrafficPattern::Permutation,
        TrafficPattern::Random,
        TrafficPattern::Hotspot,
        TrafficPattern::Relation(2),
    ]
}

#[test]
fn every_pattern_on_the_3_cube() {
    for pattern in patterns() {
        let messages = traffic(3, pattern.clone(), 7);
        delivers::<3>(&messages, &pattern.to_string());
    }
}

#[test]
fn every_pattern_on_the_4_cube() {
    for pattern in patterns().into_iter().chain([TrafficPattern::Transpose]) {
        let messages = traffic(4, pattern.clone(), 7);
        delivers::<4>(&messages, &pattern.to_string());
    }
}

/// Where links serve in ascending order, `route` does, too; and that is another order.
#[test]
fn the_order_of_service_is_that_of_the_links() {
    let mut others = 0;
    for pattern in patterns() {
        let messages = traffic(3, pattern.clone(), 7);
        let [soft, hard] = run_ascending::<3>(&messages);
        same(&soft, &hard, &pattern.to_string());
        let (round_robin, _) = run_soft::<3>(CubeFaults::default(), &messages);
        others += usize::from(round_robin.events != soft.events);
    }
    assert!(others > 0);
}

/// Repeated frames, and a node that has lost sync.
#[test]
fn with_noise_and_a_slip() {
    let disturbance = CubeFaults { slips: vec![Slip { node: 6, t: 9 }], ..CubeFaults::default() };
    let messages = traffic(3, TrafficPattern::Relation(3), 2);
    let (soft, _) = run_soft::<3>(disturbance.clone(), &messages);
    assert_eq!(soft.figure("slips"), 1);
    assert!(soft.figure("silences") > 0);
    // The node is synchronised again at t = 18. In the first phase that it did not expect it sends
    // nothing, and the message that the forwarder sends there waits for a superframe.
    let hard = run_hard::<3>(disturbance, &messages);
    let before = |run: &RunStats| -> Vec<MessageEvent> {
        let events = run.events.iter().filter(|event| event.t < 18);
        events.cloned().collect()
    };
    assert!(before(&soft).len() > 20);
    assert_eq!(before(&soft), before(&hard));
    assert!(soft.deliveries.iter().chain(&hard.deliveries).all(is_delivered));
    assert_eq!(soft.duplicated + soft.undetected, 0);

    // The inverted bits depend on the length of a phase, so the logs differ.
    let noisy = CubeFaults { noise: 2e-3, seed: 5, ..CubeFaults::default() };
    let (soft, _) = run_soft::<3>(noisy, &messages);
    assert!(soft.deliveries.iter().all(is_delivered));
    assert!(soft.figure("retries") > 0);
    assert_eq!(soft.duplicated + soft.undetected, 0);
}

/// Nodes lose sync while links have frames to repeat. Decisions made ahead then become invalid.
#[test]
fn with_slips_in_noise() {
    for seed in 0..6 {
        let messages = traffic(3, TrafficPattern::Relation(4), seed);
        let (run, _) = run_soft::<3>(slips_in_noise(4e-3, seed), &messages);
        assert!(run.figure("slips") > 4, "{seed}: {}", run.figure("slips"));
        assert_all_delivered_in_noise(&run, seed);
    }
}

/// Links go down. Messages that were sent are unknown, and the others are undelivered.
#[test]
fn with_a_dead_node() {
    let messages = traffic(3, TrafficPattern::Relation(2), 2);
    for mode in [DeadMode::Silent, DeadMode::Hung] {
        let disturbance = dead(5, mode);
        let (soft, _) = run_soft::<3>(disturbance.clone(), &messages);
        assert_eq!(soft.end, EndReason::Complete);
        let dropped = |f: &&Delivery| matches!(f, Delivery::Undelivered | Delivery::Unknown);
        assert!(soft.deliveries.iter().filter(dropped).count() > 1, "{mode:?}");
        same(&soft, &run_hard::<3>(disturbance, &messages), &format!("{mode:?}"));
    }
}
