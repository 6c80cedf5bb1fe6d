//! Routing past a failed switch: the shipped wiring of four dimensions on the circuits, and the
//! limits of any wiring.

use crate::rotation::{lockstep, run_on};
use crate::support::byte_runs::{self, messages};
use phasecube::machine::Delivery;
use phasecube::networks::rotation::{RotationCircuit, RotationShape};
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;
use search::{search, WiringParameters};

// The module is also a program of its own.
#[allow(dead_code)]
#[path = "../../examples/failed_switch.rs"]
mod search;

fn shape(failed: u32) -> RotationShape {
    let shape = RotationShape::new(Hypercube::new(4).unwrap());
    shape.with_failed(failed).unwrap()
}

/// Returns messages for all pairs, with different payloads.
fn all_pairs() -> Vec<Message> {
    let pairs: Vec<(u32, u32)> =
        (0..256).map(|i| (i / 16, i % 16)).filter(|(s, d)| s != d).collect();
    let mut list = messages(&pairs, 3, (0, 5));
    for (number, message) in (0..=u8::MAX).zip(&mut list) {
        message.payload.push(number);
    }
    list
}

/// For every failed switch, all pairs of the other fifteen arrive in one run. Messages to or from
/// the failed switch are dropped.
#[test]
fn all_live_pairs_arrive_past_every_failed_switch() {
    let list = all_pairs();
    for failed in 0..16 {
        let shape = shape(failed);
        let run = run_on(&mut *lockstep(&shape), &shape, &list);
        assert!(run.is_complete());
        assert_eq!((run.delivered(), run.wrong), (210, 0));
        // All routes are shortest.
        let alive = |m: &&Message| m.source != failed && m.destination != failed;
        let far = |m: &Message| u64::from((m.source ^ m.destination).count_ones());
        let hops: u64 = list.iter().filter(alive).map(far).sum();
        assert_eq!(run.hops, hops);
        for (message, delivery) in list.iter().zip(&run.deliveries) {
            let arrived = delivery.arrival_step().is_some();
            assert_eq!(arrived, alive(&message), "{message:?}");
            assert!(arrived || *delivery == Delivery::Undelivered);
        }
    }
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn the_engines_agree() {
    let (mut list, shape) = (all_pairs(), shape(5));
    let circuit = RotationCircuit::new(shape);
    // One byte is enough to distinguish the messages.
    list.iter_mut().for_each(|m| drop(m.payload.drain(..m.payload.len() - 1)));
    let run = byte_runs::agree(&circuit, |engine| run_on(engine, &shape, &list));
    assert!(run.is_complete());
}

/// The search finds the shipped table. With fewer connections there is no wiring.
#[test]
fn seven_connections_are_enough_and_six_are_not() {
    let wanted = WiringParameters { dims: 4, per_switch: 7, per_input: 2, any_rule: false };
    let wiring = search(wanted).expect("there is a wiring");
    let shipped = include_str!("../../crates/interconnect/src/routing/failed_switch_4.txt").lines();
    let shipped: Vec<&str> = shipped.filter(|line| !line.starts_with('#')).collect();
    for (node, inputs) in wiring.iter().enumerate().skip(1) {
        let outputs = |to: &Vec<usize>| match to.is_empty() {
            true => " -".to_owned(),
            false => format!(" {}", to.iter().map(usize::to_string).collect::<String>()),
        };
        let line: String = inputs.iter().map(outputs).collect();
        assert_eq!(format!("{node:04b}{line}"), shipped[node - 1]);
    }
    for (dims, per_switch, per_input) in [(4, 6, 3), (3, 6, 1), (5, 20, 2)] {
        let less = WiringParameters { dims, per_switch, per_input, any_rule: true };
        assert!(search(less).is_none(), "{less:?}");
    }
}

/// A single wiring for every failure needs all connections. For two nodes two hops apart, each
/// connection is the only route if the other node between them has failed.
#[test]
fn one_wiring_for_all_failures_needs_every_connection() {
    for dims in 2..=6 {
        for (input, output) in (0..dims).flat_map(|i| (0..dims).map(move |o| (i, o))) {
            if input == output {
                continue;
            }
            // At node 0, from the neighbour in one dimension to the neighbour in the other.
            let (source, destination) = (1u32 << input, 1u32 << output);
            let between: Vec<u32> = (0..1 << dims)
                .filter(|n: &u32| (n ^ source).count_ones() == 1)
                .filter(|n| (n ^ destination).count_ones() == 1)
                .collect();
            assert_eq!(between, [0, source | destination]);
        }
    }
}
