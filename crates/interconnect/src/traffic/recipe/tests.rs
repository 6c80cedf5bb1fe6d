//! Tests of patterns against golden logs, a model in Python, and their definitions.

use super::*;
use crate::topology::Hypercube;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

fn recipe(pattern: &str) -> Recipe {
    Recipe {
        pattern: pattern.parse().unwrap(),
        seed: 1,
        payload: 4,
        order: ExchangeOrder::default(),
    }
}

fn cube(dims: u64) -> Hypercube {
    Hypercube::new(dims).unwrap()
}

fn destinations(pattern: &str, dims: u64) -> Vec<u32> {
    let messages = recipe(pattern).messages(cube(dims)).unwrap();
    let sources: Vec<u32> = messages.iter().map(|message| message.source).collect();
    let all: Vec<u32> = cube(dims).addresses().collect();
    assert!(sources.chunks(all.len()).all(|round| round == all));
    messages.into_iter().map(|message| message.destination).collect()
}

/// Returns the address as text, most significant bit first.
fn bits(address: u32, dims: u64) -> String {
    format!("{address:0width$b}", width = dims as usize)
}

fn permutes(destinations: &[u32], dims: u64) -> bool {
    destinations.iter().copied().collect::<BTreeSet<_>>() == cube(dims).addresses().collect()
        && destinations.len() as u32 == cube(dims).nodes()
}

#[test]
fn fixed_patterns_are_permutations() {
    for dims in 1..=8 {
        for pattern in ["xor:1", "complement", "bitrev", "shuffle", "permutation"] {
            assert!(permutes(&destinations(pattern, dims), dims), "{pattern} {dims}");
        }
        if dims % 2 == 0 {
            assert!(permutes(&destinations("transpose", dims), dims));
        }
    }
}

#[test]
fn xor_and_complement_flip_bits() {
    assert_eq!(destinations("xor:5", 3), [5, 4, 7, 6, 1, 0, 3, 2]);
    assert_eq!(destinations("xor:0", 2), [0, 1, 2, 3]);
    assert_eq!(destinations("complement", 3), [7, 6, 5, 4, 3, 2, 1, 0]);
}

#[test]
fn address_patterns_move_bits() {
    for dims in 1..=8 {
        let reversed = destinations("bitrev", dims);
        let shuffled = destinations("shuffle", dims);
        for s in 0..reversed.len() {
            let text = bits(s as u32, dims);
            assert_eq!(reversed[reversed[s] as usize], s as u32);
            assert_eq!(bits(reversed[s], dims), text.chars().rev().collect::<String>());
            assert_eq!(bits(shuffled[s], dims), format!("{}{}", &text[1..], &text[..1]));
        }
        if dims % 2 == 0 {
            for (s, &d) in destinations("transpose", dims).iter().enumerate() {
                let text = bits(s as u32, dims);
                let (high, low) = text.split_at(dims as usize / 2);
                assert_eq!(bits(d, dims), format!("{low}{high}"));
            }
        }
    }
}

/// Source and destination of the messages that the behavioural models sent.
#[test]
fn patterns_match_the_golden_logs() {
    macro_rules! golden {
        ($name:literal) => {
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../sim/golden/", $name))
        };
    }
    for (pattern, log) in [
        ("bitrev", golden!("tdma_n4_bitrev_register.json")),
        ("transpose", golden!("tdma_n4_transpose_register.json")),
        ("hotspot", golden!("tdma_n4_alltoone_register.json")),
    ] {
        let log: Value = serde_json::from_str(log).unwrap();
        let ours = destinations(pattern, 4);
        let mut theirs = HashMap::new();
        for event in log["log"].as_array().unwrap() {
            let number = |key: &str| event[key].as_u64().unwrap() as u32;
            theirs.insert(number("src"), number("dst"));
        }
        let to_self = ours.iter().enumerate().filter(|&(s, &d)| s as u32 == d).count();
        assert_eq!(log["messages"], ours.len());
        assert_eq!(log["to_self"], to_self);
        assert_eq!(theirs.len() + to_self, ours.len());
        for (source, destination) in theirs {
            assert_eq!(ours[source as usize], destination);
        }
    }
}

/// Destinations from a model in Python, seed 1.
#[test]
fn random_patterns_match_the_model() {
    let random = [9, 11, 15, 7, 7, 12, 14, 8, 4, 12, 6, 9, 7, 8, 6, 2];
    let first = [6, 0, 15, 1, 3, 7, 14, 2, 4, 10, 8, 12, 5, 13, 11, 9];
    let second = [3, 1, 5, 12, 6, 7, 15, 14, 4, 13, 0, 10, 8, 11, 9, 2];
    assert_eq!(destinations("random", 4), random);
    assert_eq!(destinations("permutation", 4), first);
    assert_eq!(destinations("relation:2", 4), [first, second].concat());
}

#[test]
fn the_seed_changes_random_destinations() {
    let messages = |seed| Recipe { seed, ..recipe("permutation") }.messages(cube(6)).unwrap();
    assert_eq!(messages(7), messages(7));
    assert_ne!(messages(7), messages(8));
}

#[test]
fn total_exchange_is_every_pair_once() {
    for order in [ExchangeOrder::Xor, ExchangeOrder::Pairs] {
        let messages = Recipe { order, ..recipe("total-exchange") }.messages(cube(4)).unwrap();
        let pairs: BTreeSet<_> =
            messages.iter().map(|message| (message.source, message.destination)).collect();
        assert_eq!(messages.len(), 16 * 15);
        assert_eq!(pairs.len(), 16 * 15);
        assert!(pairs.iter().all(|(source, destination)| source != destination));
        let of_node_5: Vec<u32> = messages
            .iter()
            .filter(|message| message.source == 5)
            .map(|message| message.destination ^ 5)
            .collect();
        assert_eq!(of_node_5, order.offsets(16));
    }
}

/// The second stream for seed 1 from a model in Python: f3203e9039f4a821, ba56949915dcf9e9, ...
#[test]
fn payloads_are_the_second_stream_low_byte_first() {
    let payloads = |payload| -> Vec<Vec<u8>> {
        let messages = Recipe { payload, ..recipe("complement") }.messages(cube(1)).unwrap();
        messages.into_iter().map(|message| message.payload).collect()
    };
    assert_eq!(payloads(0), [[0u8; 0]; 2]);
    assert_eq!(payloads(3), [[0x21, 0xA8, 0xF4], [0xE9, 0xF9, 0xDC]]);
    let nine = payloads(9);
    assert_eq!(nine[0], [0x21, 0xA8, 0xF4, 0x39, 0x90, 0x3E, 0x20, 0xF3, 0xE9]);
    assert_eq!(nine[1][..8], 0xD0D5_127A_96E8_D90D_u64.to_le_bytes());
}

#[test]
fn patterns_that_do_not_fit_the_cube_are_rejected() {
    for (pattern, dims, message) in [
        (
            "xor:16",
            4,
            "xor: the offset 16 (0x10) is outside the 4-cube; accepted: 0x0 to 0xF (0 to 15)",
        ),
        (
            "transpose",
            3,
            "transpose swaps the halves of an address, and 3 bits have no halves; accepted: an even number of bits (4, 16, 64, .. nodes)",
        ),
        (
            "total-exchange",
            16,
            "total-exchange on the 16-cube is 4294901760 messages; accepted: up to 16777216",
        ),
        (
            "relation:257",
            16,
            "relation:257 on the 16-cube is 16842752 messages; accepted: up to 16777216",
        ),
    ] {
        let error = recipe(pattern).messages(cube(dims)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// A 3 x 5 torus has 15 nodes. A model in Python gives the random destinations.
#[test]
fn patterns_without_address_bits_work_for_any_node_count() {
    let fifteen = AddressSpace::new(15).unwrap();
    let destinations = |pattern| {
        let messages = recipe(pattern).messages(fifteen).unwrap().into_iter();
        messages.map(|message| message.destination).collect::<Vec<_>>()
    };
    let permutation = [0, 3, 6, 11, 2, 14, 1, 13, 9, 7, 4, 5, 12, 10, 8];
    assert_eq!(destinations("permutation"), permutation);
    assert_eq!(destinations("random"), [8, 11, 14, 6, 6, 11, 13, 7, 4, 11, 6, 9, 6, 7, 6]);
    assert_eq!(destinations("relation:2")[..15], permutation);
    assert_eq!(destinations("hotspot"), [0; 15]);
    let complement: Vec<u32> = (0..15).rev().collect();
    assert_eq!(destinations("complement"), complement);
    for pattern in ANYWHERE.split(", ") {
        let pattern = pattern.replace(":H", ":1").replace(":PATH", ":/nowhere");
        let refused = recipe(&pattern).messages(fifteen).err();
        assert!(!matches!(refused, Some(RecipeError::NotBits { .. })));
    }
    for pattern in ["xor:1", "bitrev", "transpose", "shuffle", "total-exchange"] {
        for nodes in [1, 15] {
            let nodes = AddressSpace::new(nodes).unwrap();
            let error = recipe(pattern).messages(nodes).unwrap_err();
            assert!(matches!(error, RecipeError::NotBits { .. }), "{error}");
        }
    }
    assert_eq!(
        recipe("bitrev").messages(fifteen).unwrap_err().to_string(),
        "bitrev needs all addresses of some number of bits, and a machine of 15 nodes does not \
         have them; accepted: 2, 4, 8, .. nodes, or one of complement, \
         permutation, random, uniform, tornado, neighbour, hotspot, relation:H, file:PATH"
    );
}

/// The traffic depends only on the number of nodes, not on the wiring.
#[test]
fn traffic_does_not_depend_on_the_wiring() {
    for pattern in ["xor:3", "bitrev", "transpose", "shuffle", "relation:3", "random"] {
        let other = AddressSpace::new(16).unwrap();
        let list = recipe(pattern).list(other).unwrap();
        assert_eq!(list, recipe(pattern).list(cube(4)).unwrap());
    }
}
