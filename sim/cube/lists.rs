//! Random message lists: the RTL matches the behavioural model.

use crate::cube::{array, cube, run, run_lockstep, PAYLOAD};
use crate::model::{self, CubeRule};
use crate::support::cube_runs::as_modelled;
use phasecube::machine::RunStats;
use phasecube::traffic::Message;

/// Checks that the RTL matches the model on each list, event by event and message by message, with
/// and without answers.
fn same<const D: usize>(
    seeds: impl IntoIterator<Item = u64> + Clone,
    run: impl Fn(bool, &[Message]) -> RunStats,
) {
    for acked in [true, false] {
        for seed in seeds.clone() {
            let messages = model::list(cube(D), seed, PAYLOAD);
            let wanted = model::run(cube(D), &messages, CubeRule::of(acked));
            let run = run(acked, &messages);
            let which = format!("dims {D}, seed {seed}, acked {acked}");
            as_modelled(&run, &wanted, &messages, &which);
        }
    }
}

/// Runs lists of every kind on the smallest cubes in the evaluator, which is the slow reference
/// here.
fn in_the_evaluator<const D: usize>(seeds: impl IntoIterator<Item = u64> + Clone) {
    same::<D>(seeds, run::<D>);
}

/// Runs many lists in the lockstep engine.
fn in_lockstep<const D: usize>(seeds: impl IntoIterator<Item = u64> + Clone) {
    let arrays = [false, true].map(array::<D>);
    same::<D>(seeds, |acked, messages| {
        run_lockstep::<D>(&arrays[usize::from(acked)], acked, messages, true)
    });
}

/// Lists of the 3-cube in which a sender selects another message after a NAK, and in which arrivals
/// at the destination are refused and overwrite others.
const OF_THE_3_CUBE: [u64; 2] = [90, 282];

/// Lists of the 4-cube that together cover the same cases.
const OF_THE_4_CUBE: [u64; 8] = [2, 16, 51, 58, 93, 99, 107, 111];

#[test]
#[ignore = "thorough: long lists"]
fn on_the_1_and_2_cube() {
    in_the_evaluator::<1>(0..7);
    in_the_evaluator::<2>(0..7);
    in_lockstep::<1>(0..50);
    in_lockstep::<2>(0..150);
}

#[test]
fn on_the_3_cube() {
    in_the_evaluator::<3>(OF_THE_3_CUBE.into_iter().chain(0..3));
    in_lockstep::<3>(OF_THE_3_CUBE.into_iter().chain(0..100));
}

#[test]
#[ignore = "thorough: long lists"]
fn on_the_4_cube() {
    in_the_evaluator::<4>(OF_THE_4_CUBE.into_iter().take(1));
    in_lockstep::<4>(OF_THE_4_CUBE.into_iter().chain(0..50));
}

#[test]
#[ignore = "thorough: long lists"]
fn on_the_5_to_10_cube() {
    in_lockstep::<5>(0..20);
    in_lockstep::<6>(0..12);
    in_lockstep::<8>(0..6);
    in_lockstep::<10>(0..2);
}
