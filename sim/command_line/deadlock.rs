//! `deadlock`: an order of the channels, and what is refused.

use crate::program::{refused, stdout};
use serde_json::Value;

/// Every channel of the cube once, and no message that leaves one enters an earlier one:
/// checked with e-cube routing written anew.
#[test]
fn the_order_of_the_cube_is_a_proof() {
    for dims in 1..=5u32 {
        let dims_flag = dims.to_string();
        let text = stdout(&["deadlock", "--dims", &dims_flag, "--json"]);
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&report["network"], &report["acyclic"]),
            (&"tdma".into(), &true.into())
        );
        let node = |text: &str| u32::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap();
        let channels = report["channels"].as_array().unwrap().iter();
        let order: Vec<(u32, u32)> = channels
            .map(|name| {
                let (from, to) = name.as_str().unwrap().split_once(" to ").unwrap();
                (node(from), node(to))
            })
            .collect();
        assert_eq!(order.len() as u32, dims << dims);
        let place = |channel: (u32, u32)| order.iter().position(|c| *c == channel).unwrap();
        for source in 0..1 << dims {
            for destination in 0..1 << dims {
                let (mut here, mut last) = (source, None);
                for dim in (0..dims).filter(|dim| (source ^ destination) >> dim & 1 == 1) {
                    let next = here ^ 1 << dim;
                    let now = Some(place((here, next)));
                    assert!(last < now, "{source} to {destination}");
                    (here, last) = (next, now);
                }
            }
        }
    }
}

#[test]
fn what_has_no_channels_to_wait_for_is_refused() {
    refused(
        2,
        &["deadlock", "--network", "cm1"],
        "no message of the CM-1 waits",
    );
    refused(2, &["deadlock", "--dims", "13"], "accepted: 1 to 12");
    refused(2, &["deadlock", "--rows", "3"], "--rows is a flag of cm1");
}

/// There is nothing to run where nothing can stand still.
#[test]
fn an_order_needs_no_confirmation() {
    let text = stdout(&["deadlock", "--dims", "3", "--confirm"]);
    assert!(
        text.starts_with("3-cube: no deadlock. Of 24 channels"),
        "{text}"
    );
    assert!(text.contains("There is nothing to confirm"), "{text}");
}

/// Messages in any order of dimensions wait in a circle for registers, but not for places
/// of a pool: those that fill the circle arrive.
#[test]
fn a_circle_of_the_cube_in_any_order_does_not_stand_still() {
    for dims in ["2", "3", "4"] {
        let text = stdout(&[
            "deadlock",
            "--routing",
            "adaptive",
            "--dims",
            dims,
            "--confirm",
        ]);
        for line in [
            "4 channels wait for each other in a circle",
            "These messages fill it:",
            "a pool of places",
            "On the circuit 4 of 4 messages arrive",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
