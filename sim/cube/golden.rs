//! Event logs equal the logs of the independent models, phase by phase.

use crate::cube::{messages, run_in_order};
use phasecube::routing::tdma::ServiceOrder;
use serde_json::Value;

fn check<const D: usize>(golden: &str, acked: bool, pairs: &[(u32, u32)]) {
    let golden: Value = serde_json::from_str(golden).unwrap();
    // With flow control, the models serve in ascending order.
    let run = run_in_order::<D>(acked, ServiceOrder::Ascending, &messages(pairs));
    let log: Vec<Value> = run
        .events
        .iter()
        .map(|event| {
            // The models do not number the messages.
            let mut event = serde_json::to_value(event).unwrap();
            event.as_object_mut().unwrap().remove("message");
            event
        })
        .collect();
    let wanted = golden["log"].as_array().unwrap();
    for (line, (found, wanted)) in log.iter().zip(wanted).enumerate() {
        assert_eq!(found, wanted, "line {line}");
    }
    assert_eq!(log.len(), wanted.len());
    assert_eq!(golden["hops"], run.hops);
    assert_eq!(golden["last_phase"], run.events.last().unwrap().t);
    assert_eq!(run.undetected + run.duplicated, 0);
}

fn pattern(destination: impl Fn(u32) -> u32) -> Vec<(u32, u32)> {
    (0..16).map(|s| (s, destination(s))).collect()
}

macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!("../golden/", $name, ".json"))
    };
}

#[test]
fn three_messages_of_which_one_is_overwritten() {
    check::<3>(golden!("tdma_n3_loss3"), false, &[(0, 7), (1, 7), (2, 7)]);
}

#[test]
fn bit_reversal() {
    let pairs = pattern(|s| (0..4).fold(0, |r, b| r | ((s >> b & 1) << (3 - b))));
    check::<4>(golden!("tdma_n4_bitrev_credit"), true, &pairs);
    check::<4>(golden!("tdma_n4_bitrev_register"), false, &pairs);
}

#[test]
fn transposition() {
    let pairs = pattern(|s| (s >> 2) | (s & 3) << 2);
    check::<4>(golden!("tdma_n4_transpose_credit"), true, &pairs);
    check::<4>(golden!("tdma_n4_transpose_register"), false, &pairs);
}

#[test]
fn all_to_one() {
    let pairs = pattern(|_| 0);
    check::<4>(golden!("tdma_n4_alltoone_credit"), true, &pairs);
    check::<4>(golden!("tdma_n4_alltoone_register"), false, &pairs);
}
