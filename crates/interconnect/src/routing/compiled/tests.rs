//! Tests of permutations and lists against independent counts and bounds, of faults and of the file
//! format.

use super::*;
use crate::topology::{Hypercube, Metacube};
use crate::traffic::{Recipe, SplitMix64, TrafficPattern};

fn ends(pattern: &str, dims: u64, seed: u64) -> Vec<[u32; 2]> {
    let recipe = Recipe {
        pattern: pattern.parse::<TrafficPattern>().unwrap(),
        seed,
        payload: 0,
        order: Default::default(),
    };
    let list = recipe.list(Hypercube::new(dims).unwrap()).unwrap();
    list.iter().map(|m| [m.source, m.destination]).collect()
}

/// Calls `each` with all orders of the numbers 0 to 7 (Heap's algorithm).
fn all_permutations(each: &mut dyn FnMut(&[u32])) {
    fn permute(items: &mut Vec<u32>, size: usize, each: &mut dyn FnMut(&[u32])) {
        if size == 1 {
            each(items);
            return;
        }
        for place in 0..size {
            permute(items, size - 1, each);
            let other = if size.is_multiple_of(2) { place } else { 0 };
            items.swap(other, size - 1);
        }
    }
    permute(&mut (0..8).collect(), 8, each);
}

fn list(permutation: &[u32]) -> Vec<[u32; 2]> {
    (0..).zip(permutation).map(|(from, to)| [from, *to]).collect()
}

/// Schedules lists that fill the nodes: no message waits for ever, and no node holds more messages
/// than it has slots. A list of h messages per node consists of h permutations (Koenig). No
/// schedule takes longer than these permutations in two superframes each.
#[test]
fn dense_lists_are_scheduled() {
    for (dims, count) in [(3, 200), (4, 64), (5, 32), (6, 64), (8, 40)] {
        let messages = ends(&format!("relation:{count}"), dims, 1);
        let cube = Hypercube::new(dims).unwrap();
        let effort = SearchEffort { draws: 1, rounds: 0, seed: 1 };
        for sweep in [SweepDirection::UpDown, SweepDirection::Up] {
            let schedule = schedule_messages(cube.into(), sweep, &messages, effort, &mut |_| {});
            assert_eq!(schedule.check(&messages), Ok(()), "{dims} {count}");
            let sources: Vec<u32> = messages.iter().map(|ends| ends[0]).collect();
            assert!(node_programs(&schedule, &sources).is_ok(), "{dims} {count}");
            assert!(schedule.superframes() <= 2 * count, "{dims} {count}");
        }
    }
}

/// Returns whether a permutation of the 3-cube passes in one sweep without two messages on a link
/// in the same direction. The check is independent of the code under test. Before dimension d the
/// low d bits of a message's position are those of its destination.
fn passes_one_sweep(permutation: &[u32]) -> bool {
    (0..3).all(|dim| {
        let low = (1u32 << dim) - 1;
        let crosses = |(from, to): &(u32, &u32)| (from ^ **to) >> dim & 1 == 1;
        let at = |(from, to): (u32, &u32)| (from & !low) | (to & low);
        let messages = (0..).zip(permutation);
        let mut senders: Vec<u32> = messages.filter(crosses).map(at).collect();
        senders.sort_unstable();
        senders.windows(2).all(|pair| pair[0] != pair[1])
    })
}

/// Returns whether each node also holds one message at a time. Then the permutation passes an omega
/// network.
fn passes_omega(permutation: &[u32]) -> bool {
    (1..3).all(|done| {
        let low = (1u32 << done) - 1;
        let at = |(from, to): (u32, &u32)| (from & !low) | (to & low);
        let mut nodes: Vec<u32> = (0..).zip(permutation).map(at).collect();
        nodes.sort_unstable();
        nodes.windows(2).all(|pair| pair[0] != pair[1])
    })
}

#[test]
fn every_permutation_of_the_3_cube_takes_the_fewest_superframes() {
    let cube = Hypercube::of(3);
    let (mut one, mut two, mut omega) = (0, 0, 0);
    all_permutations(&mut |order| {
        let messages = list(order);
        let schedule = schedule_permutation(cube, &messages).unwrap();
        schedule.check(&messages).unwrap();
        match schedule.superframes() {
            0 | 1 => one += 1,
            2 => two += 1,
            more => panic!("{more} superframes for {order:?}"),
        }
        assert_eq!(schedule.superframes() < 2, passes_one_sweep(order), "{order:?}");
        omega += u32::from(passes_omega(order));
    });
    assert_eq!(one + two, 40_320);
    // An omega network of 3 stages of 4 switches passes 2^12 permutations (D. H. Lawrie, 1975). A
    // node may hold a message that waits and one that passes, so more permutations pass here. A
    // count of all permutations in Python gives the second number.
    assert_eq!((omega, one), (4_096, 30_528));
}

#[test]
fn permutations_pass_in_two_sweeps_with_one_message_in_a_node() {
    let mut dice = SplitMix64::new(7);
    for dims in 4..=8 {
        let cube = Hypercube::of(dims);
        for _ in 0..200 {
            let mut order: Vec<u32> = cube.addresses().collect();
            dice.shuffle(&mut order);
            let messages = list(&order);
            let schedule = schedule_benes(cube, &messages);
            schedule.check(&messages).unwrap();
            assert!(schedule.superframes() <= 2);
            let sources: Vec<u32> = cube.addresses().collect();
            let programs = node_programs(&schedule, &sources).unwrap();
            // One slot for a message that stays, and one for a message that arrives before it
            // departs.
            assert!(programs.iter().flatten().all(|word| word.slot < 2));
        }
    }
}

#[test]
fn the_12_cube_reverses_and_transposes_in_two_superframes() {
    let cube = Hypercube::of(12);
    for pattern in ["bitrev", "transpose", "permutation"] {
        let messages = ends(pattern, 12, 1);
        let schedule = schedule_permutation(cube, &messages).unwrap();
        schedule.check(&messages).unwrap();
        assert_eq!(schedule.superframes(), 2, "{pattern}");
    }
    let complement = ends("complement", 12, 1);
    assert_eq!(schedule_permutation(cube, &complement).unwrap().superframes(), 1);
}

#[test]
fn schedules_of_lists_respect_the_lower_bound() {
    for (pattern, dims) in [("relation:8", 5), ("hotspot", 4), ("random", 4)] {
        for sweep in [SweepDirection::Up, SweepDirection::UpDown] {
            for seed in 1..4 {
                let messages = ends(pattern, dims, seed);
                let shape = Metacube::from(Hypercube::new(dims).unwrap());
                let bound = LowerBound::of(shape, sweep, &messages).superframes();
                let schedule = schedule_messages(
                    shape,
                    sweep,
                    &messages,
                    SearchEffort::default(),
                    &mut |_| {},
                );
                schedule.check(&messages).unwrap();
                assert!(schedule.superframes() >= bound, "{pattern}");
                assert!(schedule.superframes() <= 2 * bound + 2, "{pattern}: far off {bound}");
            }
        }
    }
}

#[test]
fn metacubes_have_schedules() {
    for (class_bits, field_bits) in [(1, 1), (1, 2), (2, 1)] {
        let shape = Metacube::new(class_bits, field_bits).unwrap();
        let messages = ends("relation:4", shape.bits().into(), 2);
        let bound = LowerBound::of(shape, SweepDirection::Up, &messages).superframes();
        let schedule = schedule_messages(
            shape,
            SweepDirection::Up,
            &messages,
            SearchEffort::default(),
            &mut |_| {},
        );
        schedule.check(&messages).unwrap();
        assert!(schedule.superframes() >= bound);
    }
}

#[test]
fn faults_are_reported() {
    let shape = Metacube::from(Hypercube::of(3));
    let good = CompiledSchedule { shape, order: vec![0, 1, 2], pairs: vec![vec![0, 2], vec![1]] };
    let ends = [[0, 5], [4, 6]];
    good.check(&ends).unwrap();
    let with = |pairs: [&[u32]; 2]| CompiledSchedule {
        pairs: pairs.map(<[u32]>::to_vec).to_vec(),
        ..good.clone()
    };
    let fault = |schedule: CompiledSchedule| schedule.check(&ends).unwrap_err();
    assert!(matches!(fault(with([&[0, 1], &[1]])), ScheduleFault::End { message: 0, end: 3, .. }));
    assert!(matches!(
        fault(with([&[2, 0], &[1]])),
        ScheduleFault::Pair { message: 0, pair: 0, .. }
    ));
    assert!(matches!(fault(with([&[0, 3], &[1]])), ScheduleFault::Pair { pair: 3, .. }));
    let crowded = good.check(&[[0, 5], [1, 6]]).unwrap_err();
    assert!(matches!(crowded, ScheduleFault::End { message: 1, .. }), "{crowded}");
    let twice = CompiledSchedule { pairs: vec![vec![0], vec![0]], ..good.clone() };
    assert_eq!(
        twice.check(&[[0, 1], [0, 1]]),
        Err(ScheduleFault::Twice { pair: 0, node: 0, first: 0, second: 1 })
    );
    assert!(matches!(good.check(&ends[..1]), Err(ScheduleFault::Count { .. })));
}

#[test]
fn schedule_file_round_trip() {
    let cube = Hypercube::of(4);
    let recipe = Recipe {
        pattern: "bitrev".parse().unwrap(),
        seed: 3,
        payload: 5,
        order: Default::default(),
    };
    let messages = recipe.list(cube).unwrap();
    let pairs: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
    let schedule = schedule_permutation(cube, &pairs).unwrap();
    let mut text = vec![];
    file::write(&mut text, &schedule, &messages).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (back, list) = file::parse(&text, cube.into()).unwrap();
    assert_eq!((back, list), (schedule, messages));
    for (from, to, expected) in [
        ("\"order\"", "\"ordre\"", "unknown field"),
        ("4-cube", "5-cube", "for the 5-cube; accepted: a schedule for the 4-cube"),
        ("\"phasecube_schedule\": 1", "\"phasecube_schedule\": 2", "version 2"),
        ("\"source\":1,", "\"source\":99,", "has the node 99; accepted: 0 to 15"),
        ("\"payload\":\"", "\"payload\":\"X", "payload \"X"),
        ("\"order\": [0,1", "\"order\": [0,9", "has link 9"),
    ] {
        let wrong = text.replacen(from, to, 1);
        let error = file::parse(&wrong, cube.into()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Follows the steps pair by pair: every message reaches its destination. Lists that are not
/// permutations, and lists that do not fit these programs, return an error.
#[test]
fn permute_steps_deliver_permutations() {
    let effort = SearchEffort { draws: 4, rounds: 40, seed: 0 };
    let compiled = |dims, sweep, ends: &[[u32; 2]]| {
        let cube = Hypercube::new(dims).unwrap();
        schedule_messages(cube.into(), sweep, ends, effort, &mut |_| {})
    };
    for (dims, pattern, seed) in [
        (1, "complement", 0),
        (3, "bitrev", 0),
        (4, "transpose", 0),
        (5, "permutation", 1),
        (6, "permutation", 2),
    ] {
        let ends = ends(pattern, dims, seed);
        let schedule = compiled(dims, SweepDirection::Up, &ends);
        let steps = permute_steps(&schedule, &ends).unwrap();
        let mut places: Vec<[u32; 16]> = (0..1 << dims).map(|node| [node; 16]).collect();
        for pair in 0..schedule.length() as usize {
            let sent: Vec<Option<u32>> = steps
                .iter()
                .zip(&places)
                .map(|(steps, places)| match steps[pair] & 15 {
                    0 => None,
                    from => Some(places[usize::from(from)]),
                })
                .collect();
            for (node, places) in places.iter_mut().enumerate() {
                let from = sent[node ^ 1 << schedule.order[pair]];
                let into = usize::from(steps[node][pair] >> 4);
                assert_eq!(from.is_some(), into != 0);
                places[into] = from.unwrap_or(0);
            }
        }
        for [source, destination] in ends {
            assert_eq!(places[destination as usize][15], source, "{pattern} {dims}");
        }
    }
    let bitrev = ends("bitrev", 4, 0);
    let down = compiled(4, SweepDirection::UpDown, &bitrev);
    let order = permute_steps(&down, &bitrev).unwrap_err();
    assert_eq!(order, StepsError::Order { pair: 4, link: 3 });
    let two = [[0, 1], [0, 2]];
    let error = permute_steps(&compiled(2, SweepDirection::Up, &two), &two).unwrap_err();
    assert!(error.to_string().contains("node 0x0 has two messages to send"));
    let two = [[0, 3], [1, 3]];
    let error = permute_steps(&compiled(2, SweepDirection::Up, &two), &two).unwrap_err();
    assert!(error.to_string().contains("node 0x3 has two messages to receive"));
}

/// A step is a byte. The first of four steps is in the low byte of a word.
#[test]
fn four_steps_are_packed_into_a_word() {
    assert_eq!(step_words(&[0x01, 0xF0, 0, 0x42, 0xF1]), [5, 0x4200_F001, 0xF1]);
}
