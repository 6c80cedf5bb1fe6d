//! The RTL follows the schedule exactly, message by message and phase by phase.

use crate::compiled::schedule_player::{link_crossings, LinkCrossing};
use crate::compiled::CompiledSetup;
use crate::support::cube_runs;
use phasecube::machine::{Delivery, EndReason, MessageEventKind};
use phasecube::networks::tdma::cube::CubeFaults;
use phasecube::routing::compiled::{file, schedule_benes, SweepDirection};
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, SplitMix64};
use std::collections::BTreeSet;

/// Runs a schedule, and compares the schedule and the run.
fn follows(compiled: &CompiledSetup) {
    let mut text = vec![];
    let messages = &compiled.messages[..];
    file::write(&mut text, &compiled.schedule, &messages.into()).unwrap();
    let expected = link_crossings(std::str::from_utf8(&text).unwrap());
    let run = compiled.run(&CubeFaults::default());
    assert_eq!(run.end, EndReason::Complete);
    let sent: BTreeSet<LinkCrossing> = run
        .events
        .iter()
        .map(|event| {
            let home = match event.what {
                MessageEventKind::Forwarded => false,
                MessageEventKind::Delivered => true,
                other => panic!("{other:?}"),
            };
            (event.t, event.node, event.to, event.message, home)
        })
        .collect();
    assert_eq!(sent.len(), run.events.len());
    assert_eq!(sent, expected);
    assert_eq!(cube_runs::counts(&run)[1..], [0, 0, 0, run.figure("silences"), 0, 0]);
    for (message, delivery) in messages.iter().zip(&run.deliveries) {
        match delivery {
            Delivery::ToSelf => assert_eq!(message.source, message.destination),
            Delivery::Delivered { .. } => {}
            other => panic!("{message:?}: {other:?}"),
        }
    }
}

/// From the smallest cube to 256 nodes.
#[test]
fn patterns_pass_as_compiled() {
    for (pattern, dims) in [
        ("complement", 1),
        ("permutation", 2),
        ("bitrev", 5),
        ("transpose", 8),
        ("hotspot", 4),
        ("relation:6", 4),
    ] {
        for sweep in [SweepDirection::Up, SweepDirection::UpDown] {
            follows(&CompiledSetup::of_pattern(pattern, dims, 3, sweep));
        }
    }
}

/// In two sweeps, although some patterns would pass in one.
#[test]
fn permutations_of_the_3_cube_pass_in_a_benes_network() {
    let cube = Hypercube::of(3);
    let mut dice = SplitMix64::new(11);
    for _ in 0..12 {
        let mut order: Vec<u32> = cube.addresses().collect();
        dice.shuffle(&mut order);
        let message = |(source, destination): (u32, &u32)| Message {
            source,
            destination: *destination,
            payload: vec![source as u8],
        };
        let messages: Vec<Message> = (0..).zip(&order).map(message).collect();
        let ends: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
        follows(&CompiledSetup::new(schedule_benes(cube, &ends), messages));
    }
}
