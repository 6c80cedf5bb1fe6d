//! Tests of the note's properties, lemma and printed trees, and of dependencies between virtual
//! channels.

use super::*;
use crate::routing::dependencies::{check_deadlock, DeadlockVerdict, Filling, Switching};
use std::collections::BTreeSet;

fn routing(dims: u64, rule: RotationRule, channels: u32) -> RotationRouting {
    RotationRouting { rule, channels, ..RotationRouting::new(Hypercube::new(dims).unwrap()) }
}

/// Tree of the routes from the origin, as edges between consecutive words.
fn tree(rule: RotationRule) -> BTreeSet<(u32, u32)> {
    let mut edges = BTreeSet::new();
    for word in 1..16 {
        let mut here = 0;
        for dim in rule.sequence(4, word) {
            edges.insert((here, here | 1 << dim));
            here |= 1 << dim;
        }
    }
    edges
}

fn printed(text: &str) -> BTreeSet<(u32, u32)> {
    let node = |text| u32::from_str_radix(text, 2).unwrap();
    let edges = text.split_whitespace().filter_map(|edge| edge.split_once('>'));
    edges.map(|(from, to)| (node(from), node(to))).collect()
}

/// The first figure of the note: Chuck Thacker's scheme.
#[test]
fn thackers_tree_is_the_printed_one() {
    let wanted = printed(
        "0000>1000 1000>1010 1000>1001 1001>1011 0000>0001 0001>0011 0000>0010 0010>0110 \
         0110>1110 0000>0100 0100>0101 0100>1100 1100>1101 0011>0111 0111>1111",
    );
    assert_eq!(tree(RotationRule::Thacker), wanted);
}

/// The second figure is the mirror image: the leftmost 1 of the rightmost group.
#[test]
fn thackers_mirrored_tree_is_the_printed_one() {
    let wanted = printed(
        "0000>0001 0001>0101 0001>1001 1001>1101 0000>1000 1000>1100 0000>0100 0100>0110 \
         0110>0111 0000>0010 0010>1010 0010>0011 0011>1011 1100>1110 1110>1111",
    );
    let mirrored = |word: u32| word.reverse_bits() >> 28;
    let edges = tree(RotationRule::Thacker).into_iter();
    let found: BTreeSet<_> = edges.map(|(a, b)| (mirrored(a), mirrored(b))).collect();
    assert_eq!(found, wanted);
}

/// The third figure: minimal rotation differs from the second figure only by the route to 0101.
#[test]
fn the_tree_of_minimal_rotation_is_the_printed_one() {
    let wanted = printed(
        "0000>0001 0100>0101 0001>1001 1001>1101 0000>1000 1000>1100 0000>0100 0100>0110 \
         0110>0111 0000>0010 0010>1010 0010>0011 0011>1011 1100>1110 1110>1111",
    );
    assert_eq!(tree(RotationRule::Minimal), wanted);
}

/// Property 1 for both rules, and property 3: the next hop is independent of the route so far.
#[test]
fn routes_have_minimal_length() {
    for dims in 1..=6 {
        for rule in [RotationRule::Minimal, RotationRule::Thacker] {
            let routing = routing(dims, rule, 2);
            for source in routing.cube.addresses() {
                for destination in routing.cube.addresses() {
                    let route = routing.route(source, destination);
                    assert_eq!(route.len() as u32, (source ^ destination).count_ones());
                    for (step, channel) in route.iter().enumerate() {
                        let rest = routing.route(channel.from.node, destination);
                        let ends = |c: &Channel| c.from;
                        assert!(rest.iter().map(ends).eq(route[step..].iter().map(ends)));
                    }
                }
            }
        }
    }
}

/// The note's Lemma: after the first hop, the next 1 to the right, around the word.
#[test]
fn after_the_first_hop_the_next_one_to_the_right_is_crossed() {
    for dims in 1..=12 {
        for word in 1..1u32 << dims {
            let sequence = RotationRule::Minimal.sequence(dims, word);
            let mut left = word;
            for hop in sequence.windows(2) {
                left &= !(1 << hop[0]);
                let right = (1..dims).map(|by| (hop[0] + dims - by) % dims);
                assert_eq!(right.into_iter().find(|dim| is_set(left, *dim)), Some(hop[1]));
            }
        }
    }
}

/// Ties are broken by the note's rule, and no tie occurs after the first hop.
#[test]
fn ties_happen_at_the_origin_only() {
    for dims in 1..=12u32 {
        let mask = (1 << dims) - 1;
        let turns = |word: u32| (0..dims).map(move |by| (word << by | word >> (dims - by)) & mask);
        let ties = |word: u32| {
            let least = turns(word).min();
            turns(word).filter(|turned| Some(*turned) == least).count() - 1
        };
        let periodic = (1..=mask).filter(|word| ties(*word) > 0).count();
        let prime = dims > 1 && (2..dims).all(|d| dims % d != 0);
        assert!(!prime || periodic == 1, "only 1^k: {dims}, {periodic}");
        for word in 1..=mask {
            let crossed = RotationRule::Minimal.next_dim(dims, word).unwrap();
            let after = word & !(1 << crossed);
            assert!(after == 0 || ties(after) == 0, "{dims}, {word:b}");
        }
    }
}

/// From three dimensions on, one virtual channel is not enough, and two are.
#[test]
fn two_virtual_channels_are_acyclic_and_one_is_not() {
    let verdict = |routing: &RotationRouting| check_deadlock(routing, Switching::Wormhole).unwrap();
    for dims in 1..=8 {
        let two = verdict(&routing(dims, RotationRule::Minimal, 2));
        assert!(matches!(two, DeadlockVerdict::Acyclic { .. }), "{dims}");
        let one = verdict(&routing(dims, RotationRule::Minimal, 1));
        assert_eq!(matches!(one, DeadlockVerdict::Acyclic { .. }), dims < 3, "{dims}");
    }
    // With Thacker's rule, groups wrap more than once from five dimensions on.
    for dims in 1..=6 {
        let two = verdict(&routing(dims, RotationRule::Thacker, 2));
        assert_eq!(matches!(two, DeadlockVerdict::Acyclic { .. }), dims < 5, "{dims}");
    }
}

/// The hexagon: six nodes of the 3-cube, all except two opposite ones.
#[test]
fn the_shortest_cycle_of_three_dimensions_is_the_hexagon() {
    let verdict =
        check_deadlock(&routing(3, RotationRule::Minimal, 1), Switching::Wormhole).unwrap();
    let DeadlockVerdict::Cyclic { cycle, filling, .. } = verdict else {
        panic!("{verdict:?}");
    };
    let nodes: BTreeSet<u32> = cycle.iter().map(|channel| channel.from.node).collect();
    assert_eq!((cycle.len(), nodes.len()), (6, 6));
    let absent: Vec<u32> = (0..8).filter(|node| !nodes.contains(node)).collect();
    assert_eq!(absent[0] ^ absent[1], 7);
    let Filling::By(messages) = filling else {
        panic!("{filling:?}");
    };
    assert_eq!(messages.len(), 6);
}
