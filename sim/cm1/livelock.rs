//! Livelock and its resolution (`cm1-message-router`, section 3.4.1). A timeout empties the router,
//! and the remaining messages are sent in halves.

use crate::cm1::drawn_list;
use crate::cm1::run;
use models::cm1::{self, Cm1ModelEject, Cm1ModelMachine};
use phasecube::machine::Delivery;

/// Returns messages that livelock a 4-cube with two rows. Every chip has a message for its
/// neighbours in dimensions 0 and 2. In each column that no message wants, the chips are full and
/// send one away.
fn livelocked_pairs(processors: u32) -> Vec<(u32, u32)> {
    let chip = |c: u32| {
        let message = |p: u32, relative: u32| (c * processors + p, (c ^ relative) * processors);
        [message(0, 1), message(1, 4)]
    };
    (0..16).flat_map(chip).collect()
}

fn machine(processors: usize, timeout: u64) -> Cm1ModelMachine {
    Cm1ModelMachine { dims: 4, rows: 2, processors, eject: Cm1ModelEject::Or, timeout }
}

/// Messages move forever if there is no timeout.
#[test]
fn the_router_can_livelock() {
    for processors in [2, 4] {
        let pairs = livelocked_pairs(processors as u32);
        let run = cm1::run(machine(processors, u64::MAX), &pairs, 5_000);
        assert_eq!(run.delivered.iter().flatten().count(), 0);
        assert_eq!(run.petit_cycle_events.len(), 5_000);
        assert!(run.hops > 100_000);
    }
}

#[test]
fn the_timeout_empties_the_router_and_the_rest_goes_in_halves() {
    for processors in [2, 4] {
        let machine = machine(processors, 30);
        let pairs = livelocked_pairs(processors as u32);
        let run = run(machine, &pairs);
        let delivered = |delivery: &Delivery| matches!(delivery, Delivery::Delivered { .. });
        assert!(run.deliveries.iter().all(delivered));
        assert!(run.figure("timeouts") >= 1);
        assert!(run.figure("returned") >= 1);
        assert!(run.periods > 30);
        assert_eq!(run.duplicated + run.undetected, 0);
        let wanted = cm1::run(machine, &pairs, 5_000);
        assert_eq!(run.figure("timeouts"), wanted.timeouts);
        assert_eq!(run.figure("returned"), wanted.returned);
        assert_eq!(run.periods, wanted.petit_cycles);
    }
}

/// A timeout that triggers as often as possible, also with more rows than processors. No message is
/// lost or duplicated, and the model predicts each arrival.
#[test]
fn a_router_that_is_emptied_again_and_again_loses_nothing() {
    for (dims, rows, processors, eject) in [
        (2, 4, 1, Cm1ModelEject::Or),
        (3, 7, 2, Cm1ModelEject::PerProcessor),
        (3, 2, 4, Cm1ModelEject::PerChip),
    ] {
        for seed in 0..5 {
            for timeout in [0, 1] {
                let machine = Cm1ModelMachine { dims, rows, processors, eject, timeout };
                let pairs = drawn_list(dims, processors, seed);
                let wanted = cm1::run(machine, &pairs, 20_000);
                let run = run(machine, &pairs);
                let what = format!("{machine:?}, seed {seed}");
                for (delivery, wanted) in run.deliveries.iter().zip(&wanted.delivered) {
                    let petit = wanted.expect("the model delivers all");
                    assert_eq!(*delivery, Delivery::Delivered { t: petit as u32 }, "{what}");
                }
                assert_eq!(run.figure("timeouts"), wanted.timeouts, "{what}");
                assert_eq!(run.figure("returned"), wanted.returned, "{what}");
                assert_eq!(run.duplicated + run.undetected, 0, "{what}");
            }
        }
    }
}
