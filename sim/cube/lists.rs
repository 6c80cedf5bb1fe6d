//! Random message lists: the RTL and the behavioural model tell the same story.

use crate::machine::{cube, run};
use crate::model::{self, lists};
use phasecube::machine::cube::MessageFate;

fn same<const D: usize>(seeds: impl IntoIterator<Item = u64>) {
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
                    MessageFate::Delivered { t } => (Some(u64::from(*t)), false),
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

/// Among them lists in which a sender chooses another message after a refusal,
/// and in which terminal arrivals are refused and overwrite.
#[test]
fn on_the_3_cube() {
    same::<3>((0..56).chain([90, 282]));
}

/// The first eight hold all of that.
#[test]
fn on_the_4_cube() {
    same::<4>([2, 16, 51, 58, 93, 99, 107, 111, 0, 1, 3, 4, 5, 6]);
}

#[test]
fn on_the_5_cube() {
    same::<5>(0..3);
}

#[test]
fn on_the_6_cube() {
    same::<6>(5..6);
}

/// A permutation.
#[test]
fn on_the_8_cube() {
    same::<8>(5..6);
}
