//! The whole machine of 4,096 nodes in the lockstep engine. The result of every message matches the
//! second model, and the totals match figures computed before the circuit existed.

use crate::cube::{array_in_order, cube, run_lockstep};
use crate::model::{self, CubeRule};
use crate::support::cube_runs::deliveries_as_modelled;
use phasecube::machine::EndReason;
use phasecube::routing::tdma::ServiceOrder;

const DIMS: usize = 12;

/// Compares every message with the model. Returns the superframes that a pattern takes, and the
/// lost messages.
fn run(pattern: &str, rule: CubeRule) -> (u64, u64) {
    let messages = crate::cube::pattern(pattern, 1, DIMS);
    let acked = rule != CubeRule::Raw;
    let order = match rule {
        CubeRule::Turns => ServiceOrder::RoundRobin,
        CubeRule::Raw | CubeRule::Ascending => ServiceOrder::Ascending,
    };
    let array = array_in_order::<DIMS>(acked, order);
    let run = run_lockstep::<DIMS>(&array, acked, &messages, false);
    assert_eq!(run.end, EndReason::Complete);
    let wanted = model::run_observed(cube(DIMS), &messages, rule, |_| {});
    deliveries_as_modelled(&run, &wanted, &messages, pattern);
    assert_eq!(run.hops, wanted.hops);
    assert_eq!(run.figure("refused"), wanted.naks);
    (wanted.superframes, wanted.lost_count())
}

#[test]
fn complement_takes_a_superframe() {
    assert_eq!(run("complement", CubeRule::Turns), (1, 0));
}

#[test]
#[ignore = "thorough: 4,096 nodes"]
fn bit_reversal_takes_32_superframes_or_loses_2688_messages() {
    assert_eq!(run("bitrev", CubeRule::Turns), (32, 0));
    assert_eq!(run("bitrev", CubeRule::Ascending), (32, 0));
    assert_eq!(run("bitrev", CubeRule::Raw).1, 2_688);
}

/// Serving in turns takes two superframes less.
#[test]
#[ignore = "thorough: 4,096 nodes"]
fn transposition_takes_48_superframes_or_loses_3648_messages() {
    assert_eq!(run("transpose", CubeRule::Turns), (46, 0));
    assert_eq!(run("transpose", CubeRule::Ascending), (48, 0));
    assert_eq!(run("transpose", CubeRule::Raw).1, 3_648);
}

#[test]
fn a_4_relation_takes_about_14_superframes() {
    let (superframes, lost) = run("relation:4", CubeRule::Turns);
    assert!((13..=15).contains(&superframes), "{superframes}");
    assert_eq!(lost, 0);
}

#[test]
fn a_permutation_takes_5_to_8_superframes() {
    let (superframes, lost) = run("permutation", CubeRule::Turns);
    assert!((5..=8).contains(&superframes), "{superframes}");
    assert_eq!(lost, 0);
}
