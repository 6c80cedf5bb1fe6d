//! Random message lists: the RTL and the behavioural model tell the same story.

use crate::machine::{cube, run};
use crate::model::{self, lists};
use phasecube::machine::cube::MessageFate;

fn same<const D: usize>(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let messages = lists::list(cube(D), seed, crate::machine::PAYLOAD);
        for acked in [true, false] {
            let wanted = model::run(cube(D), &messages, acked);
            let run = run::<D>(acked, &messages);
            assert_eq!(
                run.events, wanted.events,
                "dims {D}, seed {seed}, acked {acked}"
            );
            for (i, fate) in run.fates.iter().enumerate() {
                let told = match fate {
                    MessageFate::ToSelf => (None, false),
                    MessageFate::Delivered { t } => (Some(*t), false),
                    MessageFate::Lost { .. } => (None, true),
                    other => panic!("dims {D}, seed {seed}: message {i} is {other:?}"),
                };
                let to_self = messages[i].source == messages[i].destination;
                if !to_self {
                    assert_eq!(told, (wanted.delivered[i], wanted.lost[i]), "message {i}");
                }
            }
            assert_eq!(run.counters.undetected + run.counters.duplicated, 0);
        }
    }
}

#[test]
fn on_the_1_and_2_cube() {
    same::<1>(0..20);
    same::<2>(0..100);
}

#[test]
fn on_the_3_cube() {
    same::<3>(0..60);
}

#[test]
fn on_the_4_cube() {
    same::<4>(0..16);
}

#[test]
fn on_the_5_cube() {
    same::<5>(0..4);
}

#[test]
fn on_the_6_cube() {
    same::<6>(0..1);
}

#[test]
fn on_the_8_cube() {
    // A permutation: seed 4 of every six is one.
    same::<8>(4..5);
}
