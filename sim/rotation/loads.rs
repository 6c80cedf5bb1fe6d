//! Number of messages that cross a channel, for all pairs and for patterns. It is counted from the
//! relation.

use crate::rotation::pattern;
use phasecube::routing::hypercube::ECube;
use phasecube::routing::rotation::{RotationRouting, RotationRule};
use phasecube::routing::Relation;
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;
use std::collections::HashMap;

/// Returns, for each step and dimension, the number of words that cross it. For all pairs, that is
/// the number of messages over each channel of the dimension in that step.
fn per_step(rule: RotationRule, dims: u32) -> Vec<Vec<u32>> {
    let mut loads = vec![vec![0; dims as usize]; dims as usize];
    for left in 1..1 << dims {
        for (step, dim) in rule.sequence(dims, left).into_iter().enumerate() {
            loads[step][dim as usize] += 1;
        }
    }
    loads
}

/// Returns the maximum difference between two dimensions in a step.
fn spread(rule: RotationRule, dims: u32) -> u32 {
    let steps = per_step(rule, dims);
    let spread = |loads: &Vec<u32>| loads.iter().max().unwrap() - loads.iter().min().unwrap();
    steps.iter().map(spread).max().unwrap()
}

/// The note's property 4. It holds for the sum over all steps for every k. In each single step it
/// holds to within one for prime k and for 4, but not for other composite k.
#[test]
fn channels_are_loaded_alike() {
    for dims in 1..=16 {
        for rule in [RotationRule::Minimal, RotationRule::Thacker] {
            let steps = per_step(rule, dims);
            for dim in 0..dims as usize {
                let all: u32 = steps.iter().map(|loads| loads[dim]).sum();
                assert_eq!(all, 1 << (dims - 1));
            }
        }
    }
    let four = per_step(RotationRule::Minimal, 4);
    assert_eq!(four, [[3, 4, 4, 4], [3, 2, 3, 3], [1, 2, 1, 1], [1, 0, 0, 0]]);
    for prime in [2, 3, 5, 7, 11, 13] {
        assert_eq!(spread(RotationRule::Minimal, prime), 1, "{prime}");
    }
    let composite = [4, 6, 8, 12, 16].map(|dims| spread(RotationRule::Minimal, dims));
    assert_eq!(composite, [1, 3, 3, 12, 30]);
}

/// The note claims the property for Thacker's rule. It fails in step 2 of four dimensions.
#[test]
fn thackers_rule_loads_the_second_step_unevenly() {
    assert_eq!(per_step(RotationRule::Thacker, 4)[1], [3, 4, 2, 2]);
}

/// Returns the largest number of messages over a channel.
fn largest(relation: &dyn Relation, list: &[Message]) -> u32 {
    let mut loads: HashMap<_, u32> = HashMap::new();
    for message in list {
        for channel in relation.route(message.source, message.destination) {
            *loads.entry(channel.from).or_default() += 1;
        }
    }
    *loads.values().max().unwrap()
}

/// On 4,096 nodes, minimal rotation is better than e-cube routing where that is worst, and worse
/// where it is best.
#[test]
fn patterns_load_channels_otherwise_than_by_e_cube() {
    let cube = Hypercube::new(12).unwrap();
    let (ecube, rotation) = (ECube(cube), RotationRouting::new(cube));
    let both = |name| {
        let list = pattern(name, 12, 0);
        (largest(&ecube, &list), largest(&rotation, &list))
    };
    assert_eq!(both("bitrev"), (32, 14));
    assert_eq!(both("transpose"), (32, 13));
    assert_eq!(both("shuffle"), (1, 7));
    let (ecube, rotation) = both("random");
    assert!(ecube.abs_diff(rotation) <= 2, "{ecube} and {rotation}");
}
