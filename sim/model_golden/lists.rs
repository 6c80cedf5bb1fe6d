//! The random lists match their description and reach every intended case. The model loses no
//! message that should arrive.

use crate::model::{self, list, CubeModelRun, CubeRule, ListKind, PER_SOURCE, RELATION};
use crate::model_golden::{cube, messages};
use phasecube::machine::MessageEventKind;
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;
use std::collections::{BTreeMap, HashMap};

const PAYLOAD: usize = 8;
const SEEDS: u64 = 300;

/// Returns the number of messages for each key.
fn count(list: &[Message], key: impl Fn(&Message) -> u32) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::new();
    for message in list {
        *counts.entry(key(message)).or_default() += 1;
    }
    counts
}

/// Returns true if every node is the source and the destination of `relation` messages each.
fn is_relation(cube: Hypercube, list: &[Message], relation: u64) -> bool {
    let every: BTreeMap<u32, u64> = cube.addresses().map(|node| (node, relation)).collect();
    count(list, |m| m.source) == every && count(list, |m| m.destination) == every
}

#[test]
fn lists_are_of_their_kind() {
    for dims in 1..=5 {
        let cube = cube(dims);
        for seed in 0..SEEDS {
            let list = list(cube, seed, PAYLOAD);
            let most = count(&list, |m| m.source).into_values().max().unwrap_or(0);
            for (place, m) in list.iter().enumerate() {
                assert!(m.source < cube.nodes() && m.destination < cube.nodes());
                assert!(m.payload.len() <= PAYLOAD);
                let begin = (place as u16).to_le_bytes();
                assert!(m.payload.iter().zip(begin).all(|(&ours, b)| ours == b));
            }
            let far = |m: &Message| cube.distance(m.source, m.destination) > 2;
            assert!(match ListKind::of_seed(seed) {
                ListKind::Permutation => is_relation(cube, &list, 1),
                ListKind::Relation => (2..=RELATION).any(|h| is_relation(cube, &list, h)),
                ListKind::Flood =>
                    count(&list, |m| m.source).into_values().all(|n| n == PER_SOURCE),
                ListKind::Near => most <= PER_SOURCE && !list.iter().any(far),
                _ => most <= PER_SOURCE,
            });
        }
    }
}

/// Returns the percentage of all messages of a kind for which `what` is true.
fn share(kind: ListKind, what: impl Fn(&[Message], &Message) -> bool) -> u64 {
    let cube = cube(4);
    let (mut all, mut such) = (0, 0);
    for seed in (0..SEEDS).filter(|&seed| ListKind::of_seed(seed) == kind) {
        let list = list(cube, seed, PAYLOAD);
        all += list.len() as u64;
        such += list.iter().filter(|m| what(&list, m)).count() as u64;
    }
    100 * such / all
}

#[test]
fn destinations_are_skewed_where_they_should_be() {
    // At least a quarter of the list has the same destination.
    let popular = |list: &[Message], message: &Message| {
        let counts = count(list, |m| m.destination);
        4 * counts[&message.destination] >= list.len() as u64
    };
    let to_self = |_: &[Message], m: &Message| m.source == m.destination;
    assert!(share(ListKind::Hotspots, popular) > 60);
    assert!(share(ListKind::Flood, popular) > 40);
    assert!(share(ListKind::Even, popular) < 10);
    assert!((45..60).contains(&share(ListKind::ToSelf, to_self)));
    assert!((3..10).contains(&share(ListKind::Even, to_self)));
}

#[test]
fn a_seed_determines_its_list() {
    let cube = cube(3);
    for seed in 0..SEEDS {
        assert_eq!(list(cube, seed, PAYLOAD), list(cube, seed, PAYLOAD));
        let next = seed + ListKind::ALL.len() as u64;
        assert_ne!(list(cube, seed, PAYLOAD), list(cube, next, PAYLOAD));
    }
}

#[test]
fn without_room_payloads_are_empty() {
    let list = list(cube(3), 4, 0);
    let pairs: Vec<_> = list.iter().map(|m| (m.source, m.destination)).collect();
    assert_eq!(list, messages(&pairs));
}

#[test]
fn every_message_is_accounted_for() {
    for dims in 1..=4 {
        let cube = cube(dims);
        for seed in 0..SEEDS {
            let list = list(cube, seed, PAYLOAD);
            let all = list.len() as u64;
            let distance = |m: &Message| u64::from(cube.distance(m.source, m.destination));

            let acked = model::run(cube, &list, CubeRule::Ascending);
            assert_eq!((acked.delivered_count(), acked.lost_count()), (all, 0));
            assert_eq!(acked.hops, list.iter().map(distance).sum::<u64>());

            let raw = model::run(cube, &list, CubeRule::Raw);
            assert_eq!(raw.delivered_count() + raw.lost_count(), all);
            assert_eq!(raw.naks, 0);
            for (place, message) in list.iter().enumerate() {
                let arrived = raw.delivered[place].is_some();
                assert!(!arrived || !raw.lost[place]);
                if message.source == message.destination {
                    assert!(!arrived && !raw.lost[place]);
                }
            }
        }
    }
}

/// Number of times that the lists caused each case.
#[derive(Debug, Default)]
struct Reached {
    naks: u64,
    naks_at_home: u64,
    naks_from_buffer: u64,
    /// A message got a NAK, and the next time the link served another buffer.
    chosen_again: u64,
    lost: u64,
    /// Overwritten by a message that had reached its destination.
    lost_to_terminal: u64,
    idle_sources: u64,
    full_sources: u64,
}

impl Reached {
    fn add(&mut self, cube: Hypercube, list: &[Message]) {
        let sources = count(list, |m| m.source);
        self.idle_sources += u64::from(cube.nodes()) - sources.len() as u64;
        self.full_sources += sources.values().filter(|&&n| n >= PER_SOURCE).count() as u64;
        self.naks(cube, &model::run(cube, list, CubeRule::Ascending));
        for pair in model::run(cube, list, CubeRule::Raw).events.windows(2) {
            let lost = pair[0].what == MessageEventKind::Lost;
            self.lost += u64::from(lost);
            self.lost_to_terminal += u64::from(lost && pair[1].what == MessageEventKind::Delivered);
        }
    }

    fn naks(&mut self, cube: Hypercube, run: &CubeModelRun) {
        let mut nak_before = HashMap::new();
        for event in &run.events {
            let link = (event.node, event.to);
            if let Some(buffer) = nak_before.remove(&link) {
                self.chosen_again += u64::from(event.from_reg != buffer);
            }
            if event.what == MessageEventKind::Nak {
                nak_before.insert(link, event.from_reg);
                self.naks += 1;
                self.naks_at_home += u64::from(event.to == event.dst);
                self.naks_from_buffer += u64::from(event.from_reg < cube.dims());
            }
        }
    }
}

/// Uses the 4-cube. The 3-cube has too few NAKs to reach every case often.
#[test]
fn lists_reach_every_case_of_the_protocol() {
    let mut reached = Reached::default();
    for seed in 0..SEEDS {
        reached.add(cube(4), &list(cube(4), seed, PAYLOAD));
    }
    let Reached {
        naks,
        naks_at_home,
        naks_from_buffer,
        chosen_again,
        lost,
        lost_to_terminal,
        idle_sources,
        full_sources,
    } = reached;
    assert!(naks > 500 && lost > 250, "{reached:?}");
    assert!(naks_at_home.min(lost_to_terminal) > 50, "{reached:?}");
    assert!(naks_from_buffer > 300 && chosen_again > 15, "{reached:?}");
    assert!(idle_sources.min(full_sources) > 500, "{reached:?}");
}
