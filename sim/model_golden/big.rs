//! Known results of the full machine, the 12-cube.

use crate::model::{self, CubeModelRun, CubeRule};
use crate::model_golden::{cube, pattern};

fn run(name: &str, seed: u64, rule: CubeRule) -> CubeModelRun {
    let cube = cube(12);
    let messages = pattern(name, seed, cube);
    let run = model::run_observed(cube, &messages, rule, |_| ());
    let accounted = run.delivered_count() + run.lost_count();
    assert_eq!(accounted, messages.len() as u64, "{name} {seed}");
    run
}

fn superframes(name: &str, seed: u64) -> u64 {
    let run = run(name, seed, CubeRule::Ascending);
    assert_eq!(run.lost_count(), 0, "{name} {seed}");
    run.superframes
}

/// All messages cross the same dimensions, so no two messages meet.
#[test]
fn any_xor_takes_one_superframe() {
    assert_eq!(superframes("complement", 0), 1);
    for bit in 0..12 {
        assert_eq!(superframes(&format!("xor:{}", 1 << bit), 0), 1);
    }
    for offset in [0x2A3, 0xBBF, 0x91C, 0xAAA, 0x555, 0xFFE, 0x7FF] {
        assert_eq!(superframes(&format!("xor:{offset}"), 0), 1);
    }
}

#[test]
fn address_patterns_pile_up() {
    assert_eq!(superframes("bitrev", 0), 32);
    assert_eq!(superframes("transpose", 0), 48);
}

/// Half of all messages reach node 0 across dimension 11, one in each superframe.
#[test]
#[ignore = "thorough: 4,096 nodes"]
fn a_hotspot_takes_half_as_many_superframes_as_there_are_nodes() {
    assert_eq!(superframes("hotspot", 0), 2_048);
}

#[test]
fn without_flow_control_most_messages_of_the_address_patterns_are_lost() {
    assert_eq!(run("bitrev", 0, CubeRule::Raw).lost_count(), 2_688);
    assert_eq!(run("transpose", 0, CubeRule::Raw).lost_count(), 3_648);
}

#[test]
fn random_permutations_take_5_to_8_superframes() {
    let taken: Vec<u64> = (1..=50).map(|s| superframes("permutation", s)).collect();
    assert!(taken.iter().all(|t| (5..=8).contains(t)), "{taken:?}");
}

/// About 14 superframes for the default seed. Most seeds take slightly longer.
#[test]
fn four_permutations_take_14_to_20_superframes() {
    let taken: Vec<u64> = (1..=20).map(|s| superframes("relation:4", s)).collect();
    assert_eq!(taken[0], 14, "seed 1");
    assert!(taken.iter().all(|t| (14..=20).contains(t)), "{taken:?}");
}
