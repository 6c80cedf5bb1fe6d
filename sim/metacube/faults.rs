//! Noise, dead nodes and slips. Only messages that the faults affect may be lost, and every run
//! ends by itself.

use crate::metacube::TestMetacube;
use phasecube::machine::{Delivery, EndReason, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode, DeadNode, Slip};
use phasecube::routing::tdma::PhaseSchedule;
use phasecube::traffic::Message;

/// Returns three messages from every node.
fn traffic(nodes: u32) -> Vec<Message> {
    let message = |(source, destination)| Message {
        source,
        destination,
        payload: vec![source as u8, destination as u8],
    };
    let pairs = (0..nodes).flat_map(|s| {
        [!s & (nodes - 1), (s * 5 + 3) % nodes, s ^ 2].map(|destination| (s, destination))
    });
    pairs.map(message).collect()
}

fn run(machine: TestMetacube, disturbance: &CubeFaults) -> (Vec<Message>, RunStats) {
    let messages = traffic(machine.shape.nodes());
    let run = machine.run(&machine.array(), disturbance, &messages);
    assert_eq!(run.end, EndReason::Complete);
    assert_eq!(run.duplicated + run.undetected, 0);
    (messages, run)
}

/// Returns metacubes of both kinds.
fn machines() -> [TestMetacube; 2] {
    [TestMetacube::new(1, 2), TestMetacube::new(2, 1)]
}

#[test]
fn noise_and_slips_cost_time_but_no_message() {
    for machine in machines() {
        let mut retries = vec![];
        for noise in [1e-4, 1e-3, 1e-2] {
            let disturbance = CubeFaults {
                noise,
                seed: 3,
                slips: vec![Slip { node: 7, t: 11 }, Slip { node: 20, t: 30 }],
                ..CubeFaults::default()
            };
            let (messages, run) = run(machine, &disturbance);
            for (message, delivery) in messages.iter().zip(&run.deliveries) {
                let home = matches!(delivery, Delivery::Delivered { .. });
                assert!(home || message.source == message.destination, "{delivery:?}");
            }
            assert_eq!(run.figure("slips"), 2);
            retries.push(run.figure("retries"));
        }
        assert!(retries.is_sorted() && retries[0] < retries[2], "{retries:?}");
    }
}

/// Messages whose route contains the dead node are delivered or dropped, with the reason. All other
/// messages are delivered.
#[test]
fn a_dead_node_takes_only_what_goes_through_it() {
    let modes = [DeadMode::Silent, DeadMode::High, DeadMode::Low, DeadMode::Hung];
    for machine in machines() {
        for mode in modes {
            let node = 5;
            let disturbance =
                CubeFaults { dead: vec![DeadNode { node, mode }], ..CubeFaults::default() };
            let (messages, run) = run(machine, &disturbance);
            let schedule = PhaseSchedule::new(machine.shape);
            let mut dropped = 0;
            for (message, delivery) in messages.iter().zip(&run.deliveries) {
                let (from, to) = (message.source, message.destination);
                let through = schedule.route_includes(from, to, |hop| hop == node);
                match delivery {
                    Delivery::ToSelf => assert_eq!(from, to),
                    Delivery::Delivered { .. } => assert!(!through, "{mode:?}: {message:?}"),
                    Delivery::Undelivered | Delivery::Unknown => {
                        assert!(through, "{mode:?}: {message:?}");
                        dropped += 1;
                    }
                    other => panic!("{mode:?}: {message:?}: {other:?}"),
                }
            }
            assert!(dropped > 5, "{mode:?}");
        }
    }
}
