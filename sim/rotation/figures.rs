//! Figures of this network's specification, computed by models outside this repository.

use crate::rotation::{machine, messages, one_each, pattern, run};
use models::rotation::{RotationModelMachine, RotationModelRule};
use phasecube::traffic::SplitMix64;

/// One message from each node with a payload of 4, L = 7 bytes, seed 1.
#[test]
fn patterns_take_as_long_as_they_should() {
    for (dims, wanted) in [(6, [49, 27, 51, 51, 61, 761]), (3, [19, 21, 19, 42, 42, 89])] {
        let names = ["permutation", "complement", "bitrev", "transpose", "shuffle", "hotspot"];
        for (name, wanted) in names.into_iter().zip(wanted) {
            let list = match (name, dims) {
                // With an odd number of bits, one half is one bit shorter.
                ("transpose", 3) => one_each(8, |s| (s << 1 | s >> 2) & 7, 4),
                _ => pattern(name, dims, 4),
            };
            let found = run(&machine(dims), &list);
            assert_eq!(found.delivered(), list.len());
            assert_eq!(found.clock_cycles, wanted, "{dims} bits, {name}");
        }
    }
}

/// Random lists with two virtual channels always arrive.
#[test]
fn random_lists_arrive() {
    let two = machine(6);
    for seed in 0..12 {
        let mut random = SplitMix64::new(seed);
        let pairs: Vec<(u32, u32)> = (0..64 * 8)
            .map(|i| (i % 64, random.below(64) as u32))
            .filter(|(s, d)| s != d)
            .collect();
        let list = messages(&pairs, seed, (0, 8));
        let found = run(&two, &list);
        assert_eq!((found.is_complete(), found.delivered()), (true, pairs.len()));
    }
}

/// With Thacker's rule, four dimensions need two virtual channels. All messages then arrive.
#[test]
fn by_thackers_rule_four_dimensions_arrive() {
    let thacker = RotationModelMachine { rule: RotationModelRule::Thacker, ..machine(4) };
    for seed in 0..6 {
        let mut random = SplitMix64::new(seed);
        let pairs: Vec<(u32, u32)> = (0..16 * 16)
            .map(|i| (i % 16, random.below(16) as u32))
            .filter(|(s, d)| s != d)
            .collect();
        let list = messages(&pairs, seed, (0, 8));
        assert_eq!(run(&thacker, &list).delivered(), pairs.len());
    }
}
