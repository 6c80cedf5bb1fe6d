//! The framing hazard: the address of a later dimension can be zero, like the tail
//! (torus-routing-chip, section 5: "passes all bytes until the tail byte").

use crate::torus::{machine, messages, one_each, run};
use models::bytes::ModelTailFormat;
use models::torus::TorusModelMachine;
use phasecube::machine::EndReason;
use phasecube::traffic::SplitMix64;

/// The smallest failing message with the tail as printed: one channel in X, none in Y.
#[test]
fn as_printed_a_message_along_x_is_lost() {
    let naive = TorusModelMachine { format: ModelTailFormat::Naive, ..machine(&[3, 3]) };
    let along_x = messages(&[(1, 0)], 1, (3, 3));
    let found = run(&naive, &along_x);
    assert_eq!(found.delivered(), 0);
    assert!(matches!(found.end, EndReason::Deadlock { .. }), "{found:?}");
    // Messages along Y, and along both, arrive.
    for to in [0, 2] {
        let across = messages(&[(4, to)], 1, (3, 3));
        assert_eq!(run(&naive, &across).delivered(), 1, "to {to}");
    }
    assert_eq!(run(&machine(&[3, 3]), &along_x).delivered(), 1);
}

/// On rings there is no ambiguity.
#[test]
fn as_printed_rings_are_right() {
    let naive = TorusModelMachine { format: ModelTailFormat::Naive, ..machine(&[5]) };
    let list = one_each(5, |s| (s + 3) % 5, 4);
    let found = run(&naive, &list);
    assert_eq!((found.end, found.delivered()), (run(&machine(&[5]), &list).end, 5));
}

/// With the tail as printed, almost all random lists fail. Every message is accounted for.
#[test]
fn as_printed_most_lists_go_wrong() {
    let naive = TorusModelMachine { format: ModelTailFormat::Naive, ..machine(&[4, 4]) };
    let (mut wrong, all) = (0, 24);
    for seed in 0..all {
        let mut random = SplitMix64::new(seed);
        let mut draw = || (random.below(16) as u32, random.below(16) as u32);
        let pairs: Vec<_> = (0..24).map(|_| draw()).filter(|(s, d)| s != d).collect();
        let list = messages(&pairs, seed, (1, 6));
        let found = run(&naive, &list);
        let right = found.delivered() == list.len();
        assert_eq!(right, found.is_complete());
        wrong += u64::from(!right || found.wrong > 0);
        assert_eq!(run(&machine(&[4, 4]), &list).delivered(), list.len());
    }
    assert!(wrong * 10 > all * 9, "{wrong} of {all}");
}
