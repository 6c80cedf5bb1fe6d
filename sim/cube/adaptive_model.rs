//! Guarantees of adaptive routing on perfect wires, checked on the second model alone. No frame is
//! refused, the nearest message comes nearer in every superframe, and patterns take the listed
//! times.

use crate::cube::{cube, messages, pattern};
use crate::model_adaptive::{
    run_observed, AdaptiveChoice, AdaptiveModel, AdaptiveRule, AdaptiveRun,
};
use phasecube::rtl::tdma::pool_slots;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, SplitMix64};

fn nearest(places: usize) -> AdaptiveRule {
    AdaptiveRule { slots: places, choice: AdaptiveChoice::Nearest }
}

fn run(cube: Hypercube, messages: &[Message], rule: AdaptiveRule) -> AdaptiveRun {
    run_observed(cube, messages, rule, 2_000, |_| {})
}

/// Fills every pool as far as possible at the start of a pair of phases, with messages for any
/// node. The hosts supply the remaining messages. No frame is refused. While no message arrives,
/// the smallest difference between a message's destination and its node decreases in each
/// superframe.
#[test]
fn from_any_state_no_nak_occurs_and_the_smallest_difference_decreases() {
    let mut random = SplitMix64::new(7);
    let mut desperate = 0;
    for round in 0..120 {
        let dims = 1 + round % 6;
        let cube = cube(dims);
        let places = 4 + random.below(6) as usize;
        let nodes = u64::from(cube.nodes());
        // Most rounds have few destinations, so that nodes have only messages for those.
        let targets = 1 + random.below(nodes);
        let pairs: Vec<(u32, u32)> = (0..nodes * places as u64)
            .map(|i| ((i % nodes) as u32, random.below(targets) as u32))
            .collect();
        let list = messages(&pairs);
        let mut machine = AdaptiveModel::new(cube, &list, nearest(places), |_| {});
        let mut next = list.iter().enumerate().filter(|(_, m)| !m.is_to_self());
        for node in cube.addresses() {
            for place in 0..places - 1 {
                let away = |(_, m): &(usize, &Message)| m.destination != node;
                if let Some((message, _)) = next.by_ref().find(away) {
                    machine.put(node, place, message);
                }
            }
        }
        let phases = 2 * dims as u64;
        let mut t = 0;
        while machine.left > 0 {
            let (left, least) = (machine.left, machine.least());
            for _ in 0..phases {
                machine.phase(t);
                t += 1;
            }
            let nearer = least.is_some() && machine.least() < least;
            assert!(machine.left < left || nearer, "{dims} dimensions, {places} places, phase {t}");
        }
        assert_eq!(machine.run.naks, 0);
        desperate += machine.run.desperate;
    }
    assert!(desperate > 1_000, "{desperate}");
}

/// With three slots, a node is crowded with one message, and two messages may swap places forever.
/// The proof needs a second message that stays.
#[test]
fn with_three_slots_messages_can_livelock() {
    let list = pattern("relation:16", 1, 4);
    let away = list.iter().filter(|message| !message.is_to_self()).count();
    let arrived = |run: &AdaptiveRun| run.delivered.iter().flatten().count();
    let deadlocked = run(cube(4), &list, nearest(3));
    assert!(arrived(&deadlocked) < away);
    assert!(deadlocked.desperate > 10_000);
    let four = run(cube(4), &list, nearest(4));
    assert_eq!(arrived(&four), away);
    assert_eq!(four.naks, 0);
}

/// Superframes of the patterns on the 12-cube with seed 1 and nine slots. Compares choosing the
/// nearest message with choosing the first, as the CM-1 does.
#[test]
#[ignore = "thorough: 4,096 nodes"]
fn patterns_of_the_12_cube() {
    let nine = pool_slots(12);
    for (name, superframes, first) in [
        ("complement", 1, 1),
        ("bitrev", 4, 4),
        ("transpose", 3, 3),
        ("permutation", 3, 3),
        ("relation:16", 12, 14),
    ] {
        let list = pattern(name, 1, 12);
        let run_of = |choice| {
            let rule = AdaptiveRule { slots: nine, choice };
            run(cube(12), &list, rule)
        };
        let (nearest, by_place) = (run_of(AdaptiveChoice::Nearest), run_of(AdaptiveChoice::First));
        for run in [&nearest, &by_place] {
            assert_eq!(run.naks, 0, "{name}");
            assert!(run.peak <= nine, "{name}");
        }
        let found = (nearest.superframes, by_place.superframes);
        assert_eq!(found, (superframes, first), "{name}");
        assert!(nearest.desperate <= by_place.desperate, "{name}");
    }
}
