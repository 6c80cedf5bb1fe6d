//! Message lists: the RTL matches the second model.

use crate::metacube::{TestMetacube, PAYLOAD};
use crate::model;
use phasecube::engine::{ByNode, EvaluatorEngine};
use phasecube::machine::array::Array;
use phasecube::machine::{Delivery, EndReason, RunStats};
use phasecube::networks::tdma::cube::CubeFaults;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, Recipe};

/// Checks that the RTL matches the model on a list, event by event and message by message. Returns
/// the superframes taken.
fn same(machine: TestMetacube, messages: &[Message], run: &RunStats) -> u64 {
    let wanted = machine.model().run(messages);
    for (place, (found, wanted)) in run.events.iter().zip(&wanted.events).enumerate() {
        assert_eq!(found, wanted, "{machine:?}, line {place}");
    }
    assert_eq!(run.events.len(), wanted.events.len());
    for (message, (delivery, wanted)) in run.deliveries.iter().zip(&wanted.delivered).enumerate() {
        let reported = match delivery {
            Delivery::ToSelf => None,
            Delivery::Delivered { t } => Some(u64::from(*t)),
            other => panic!("message {message} is {other:?}"),
        };
        assert_eq!(reported, *wanted, "message {message}");
    }
    assert_eq!(run.undetected + run.duplicated, 0);
    assert_eq!(run.hops, wanted.hops);
    wanted.superframes
}

/// Returns a random list.
pub fn random(machine: TestMetacube, seed: u64) -> Vec<Message> {
    let cube = Hypercube::of(machine.shape.bits());
    model::list(cube, seed, PAYLOAD)
}

/// Returns the messages of a pattern.
pub fn pattern(machine: TestMetacube, pattern: &str, seed: u64) -> Vec<Message> {
    let recipe =
        Recipe { pattern: pattern.parse().unwrap(), seed, payload: 0, order: ExchangeOrder::Pairs };
    recipe.messages(Hypercube::of(machine.shape.bits())).unwrap()
}

/// Runs random lists in the lockstep engine.
fn in_lockstep(machine: TestMetacube, seeds: impl IntoIterator<Item = u64>) {
    let array = machine.array();
    for seed in seeds {
        let messages = random(machine, seed);
        let run = machine.run(&array, &CubeFaults::default(), &messages);
        assert_eq!(run.end, EndReason::Complete);
        same(machine, &messages, &run);
    }
}

#[test]
#[ignore = "thorough: long lists"]
fn random_lists() {
    in_lockstep(TestMetacube::new(1, 1), 0..50);
    in_lockstep(TestMetacube::new(1, 2), 0..20);
    in_lockstep(TestMetacube::new(1, 3), 0..10);
    in_lockstep(TestMetacube::new(2, 1), 0..20);
    in_lockstep(TestMetacube::new(2, 2), 0..3);
}

/// Runs lists on the evaluator, the reference here.
#[test]
#[ignore = "thorough: long lists"]
fn random_lists_in_the_evaluator() {
    for (class_bits, field_bits, seeds) in [(1, 1, 0..4), (2, 1, 0..1)] {
        let machine = TestMetacube::new(class_bits, field_bits);
        let whole = machine.array().whole();
        for seed in seeds {
            let messages = random(machine, seed);
            let mut engine = EvaluatorEngine::new(&whole).unwrap();
            let mut nodes = ByNode::new(&mut engine, machine.shape.nodes() as usize);
            let run = machine.run_on(&mut nodes, &CubeFaults::default(), &messages);
            same(machine, &messages, &run);
        }
    }
}

fn superframes(machine: TestMetacube, array: &Array, name: &str, seed: u64) -> u64 {
    let messages = pattern(machine, name, seed);
    let run = machine.run(array, &CubeFaults::default(), &messages);
    assert_eq!(run.end, EndReason::Complete);
    same(machine, &messages, &run)
}

/// The patterns of the specification (networks.md, section 4). `model_checks` compares the model's
/// superframes with the specification.
#[test]
fn patterns() {
    for (field_bits, wanted) in [(1, [6, 6, 7, 4, 26, 51]), (2, [10, 15, 25, 4, 386, 72])] {
        let machine = TestMetacube::new(2, field_bits);
        let array = machine.array();
        let names = ["permutation", "bitrev", "transpose", "complement", "hotspot", "relation:16"];
        let found = names.map(|name| superframes(machine, &array, name, 1));
        assert_eq!(found, wanted, "MC(2,{field_bits})");
    }
}

/// With one buffer for each link, messages deadlock, the same ones in the RTL as in the model.
#[test]
fn with_one_count_it_deadlocks() {
    for (class_bits, field_bits) in [(1, 1), (1, 2), (2, 1)] {
        let machine = TestMetacube { counts: 1, ..TestMetacube::new(class_bits, field_bits) };
        let array = machine.array();
        let mut deadlocked = 0;
        for seed in 1..5 {
            let messages = pattern(machine, "relation:16", seed);
            let run = machine.run(&array, &CubeFaults::default(), &messages);
            same_until_deadlock(machine, &messages, &run);
            deadlocked += u64::from(matches!(run.end, EndReason::Deadlock { .. }));
        }
        assert!(deadlocked > 0, "{machine:?}");
    }
}

/// Checks that the same messages arrive as in the model, in the same phases.
fn same_until_deadlock(machine: TestMetacube, messages: &[Message], run: &RunStats) {
    let wanted = machine.model().run(messages);
    assert_eq!(matches!(run.end, EndReason::Deadlock { .. }), wanted.deadlocked > 0);
    let arrived = run.deliveries.iter().map(|delivery| delivery.arrival_step().map(u64::from));
    assert!(arrived.eq(wanted.delivered.iter().copied()));
    assert_eq!(run.hops, wanted.hops);
}
