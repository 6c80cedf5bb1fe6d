//! The errata on "every message, regardless of network load, completes within one cycle" and on "no
//! buffering beyond one message".

use crate::model::{self, CubeRule};
use crate::model_golden::{congestion, cube, messages, pattern};
use phasecube::machine::MessageEventKind;

/// Calls `visit` with every order of the items from `fixed` on.
fn permutations(items: &mut [u32], fixed: usize, visit: &mut impl FnMut(&[u32])) {
    if fixed == items.len() {
        return visit(items);
    }
    for chosen in fixed..items.len() {
        items.swap(fixed, chosen);
        permutations(items, fixed + 1, visit);
        items.swap(fixed, chosen);
    }
}

/// 30,528 of the 40,320 permutations use no link twice.
#[test]
fn permutations_of_the_3_cube_that_take_one_superframe() {
    let cube = cube(3);
    let (mut all, mut fast, mut losing) = (0, 0, 0);
    permutations(&mut [0, 1, 2, 3, 4, 5, 6, 7], 0, &mut |destinations| {
        let pairs: Vec<_> = cube.addresses().zip(destinations.iter().copied()).collect();
        let messages = messages(&pairs);
        let run = model::run(cube, &messages, CubeRule::Ascending);
        assert_eq!(run.delivered_count(), 8);
        assert_eq!(run.superframes <= 1, congestion(cube, &messages) <= 1);
        all += 1;
        fast += u64::from(run.superframes <= 1);
        losing += u64::from(model::run(cube, &messages, CubeRule::Raw).lost_count() > 0);
    });
    assert_eq!((all, fast), (40_320, 30_528));
    // The smallest loss with distinct destinations needs four dimensions.
    assert_eq!(losing, 0);
}

#[test]
fn smallest_lists_that_take_a_second_superframe() {
    for (dims, pairs) in
        [(1, vec![(0, 1), (0, 1)]), (2, vec![(0, 2), (1, 2)]), (3, vec![(0, 2), (1, 6)])]
    {
        for rule in [CubeRule::Raw, CubeRule::Ascending, CubeRule::Turns] {
            let run = model::run(cube(dims), &messages(&pairs), rule);
            assert_eq!(run.superframes, 2, "{pairs:?}");
            assert_eq!(run.delivered_count(), 2, "{pairs:?}");
        }
    }
}

#[test]
fn smallest_lists_that_lose_a_message_without_flow_control() {
    for (dims, pairs) in [(3, [(0, 2), (1, 6), (3, 6)]), (4, [(0, 2), (1, 6), (3, 14)])] {
        let messages = messages(&pairs);
        let raw = model::run(cube(dims), &messages, CubeRule::Raw);
        assert_eq!((raw.lost_count(), raw.delivered_count()), (1, 2));
        let acked = model::run(cube(dims), &messages, CubeRule::Ascending);
        assert_eq!((acked.lost_count(), acked.delivered_count()), (0, 3));
    }
}

/// A message that is ready one phase too late and needs the first and the last phase. It takes 4n -
/// 1 phases from the one in which it was ready, 47 for n = 12. It is ready in phase 1, after
/// another message has left.
#[test]
fn a_message_that_just_missed_its_phase_takes_almost_two_superframes() {
    for dims in 2..=12 {
        let cube = cube(dims);
        let (last, source) = (cube.nodes() - 1, cube.nodes() / 2);
        let pairs = [(source, source ^ 1), (source, source ^ last)];
        let run = model::run(cube, &messages(&pairs), CubeRule::Ascending);
        assert_eq!(run.delivered[0], Some(0));
        let ready = 1;
        let arrived = run.delivered[1].unwrap();
        assert_eq!(arrived - ready + 1, 4 * dims - 1);
    }
}

/// docs/traffic.md: N/2 superframes with every wire busy in every phase. There is therefore no NAK,
/// and no loss without flow control.
#[test]
fn total_exchange_in_pairs_fills_every_phase() {
    for dims in 1..=8 {
        let cube = cube(dims);
        let messages = pattern("total-exchange", 0, cube);
        let acked = model::run(cube, &messages, CubeRule::Ascending);
        assert_eq!(acked.superframes, u64::from(cube.nodes() / 2), "{dims}");
        assert_eq!(acked.delivered_count(), messages.len() as u64, "{dims}");
        assert_eq!(acked.wire_utilisation(cube), 1.0, "{dims}");
        assert!(acked.events.iter().all(|e| e.what != MessageEventKind::Nak), "{dims}");
        assert_eq!(model::run(cube, &messages, CubeRule::Raw), acked, "{dims}");
    }
}
