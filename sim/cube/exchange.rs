//! The optimal total exchange (docs/traffic.md): N/2 superframes without loss, with and without
//! answers.

use crate::cube::{array, cube, run_lockstep};
use phasecube::machine::Delivery;
use phasecube::traffic::{ExchangeOrder, Recipe, TrafficPattern};

fn exchange<const D: usize>(acked: bool) {
    let recipe = Recipe {
        pattern: TrafficPattern::TotalExchange,
        seed: 1,
        payload: 1,
        order: ExchangeOrder::Pairs,
    };
    let messages = recipe.messages(cube(D)).unwrap();
    let nodes = 1u64 << D;
    assert_eq!(messages.len() as u64, nodes * (nodes - 1));
    let run = run_lockstep::<D>(&array::<D>(acked), acked, &messages, false);
    let last = run
        .deliveries
        .iter()
        .map(|delivery| match delivery {
            Delivery::Delivered { t } => u64::from(*t),
            other => panic!("{other:?}"),
        })
        .max()
        .unwrap();
    let superframes = (last + 1).div_ceil(2 * D as u64);
    assert_eq!(superframes, nodes / 2);
    // Every wire carries one hop in every phase.
    assert_eq!(run.hops, superframes * 2 * D as u64 * nodes / 2);
    assert_eq!(run.figure("refused") + run.undetected, 0);
}

#[test]
fn on_the_4_cube() {
    exchange::<4>(true);
    exchange::<4>(false);
}

#[test]
fn on_the_6_cube() {
    exchange::<6>(true);
    exchange::<6>(false);
}

/// 65,280 messages in 128 superframes.
#[test]
fn on_the_8_cube() {
    exchange::<8>(true);
}
