//! The minimum length of a phase: two circuits with their own clocks, compared with a calculation.

use phasecube::networks::tdma::skew::{measure, Expectation, Limit, SkewConditions, Trial};

const BASE: SkewConditions =
    SkewConditions { clocks_per_bit: 8, payload: 2, skew: 0.0, mismatch: 0.0 };

/// Enough frames to compare measurement and calculation. The command uses more.
const FRAMES: u64 = 16;

/// The calculated phase assumes the worst alignment of the clocks. It is safe to within a clock
/// cycle, and at most half a bit and two clock cycles longer than the measured one.
fn is_as_expected(conditions: SkewConditions) {
    let expected = Expectation::of(&conditions);
    let measured = measure(&conditions, FRAMES).unwrap().expect("a long phase is safe");
    let clock_cycle = 1.0 / f64::from(conditions.clocks_per_bit);
    let near = -(0.5 + 2.0 * clock_cycle)..=clock_cycle;
    let here = format!("{conditions:?}: {measured:?}, {expected:?}");
    assert!(near.contains(&(measured.guard - expected.guard)), "{here}");
    assert!(near.contains(&(measured.phase - expected.phase())), "{here}");
    // A phase cannot be shorter than the frame sent in it.
    assert!(measured.phase >= conditions.frame() - 0.5, "{here}");
}

#[test]
fn without_skew_and_mismatch_a_phase_is_little_more_than_the_frame() {
    for clocks_per_bit in [4, 8, 16] {
        is_as_expected(SkewConditions { clocks_per_bit, ..BASE });
    }
    is_as_expected(SkewConditions { payload: 10, ..BASE });
}

#[test]
fn skew_counts_twice_once_as_guard() {
    for skew in [0.5, 2.0, 5.0] {
        is_as_expected(SkewConditions { skew, ..BASE });
    }
    let expected = Expectation::of(&SkewConditions { skew: 5.0, ..BASE });
    assert_eq!(expected.limit(), Limit::Skew);
}

#[test]
fn a_slow_senders_frame_takes_longer() {
    for mismatch in [-20_000.0, 20_000.0, 30_000.0] {
        is_as_expected(SkewConditions { mismatch, payload: 20, ..BASE });
    }
}

#[test]
fn no_phase_is_long_enough_for_clocks_too_far_apart() {
    for mismatch in [-70_000.0, 70_000.0] {
        let conditions = SkewConditions { mismatch, ..BASE };
        assert_eq!(measure(&conditions, FRAMES).unwrap(), None);
        assert_eq!(Expectation::of(&conditions).limit(), Limit::UartSampling);
    }
}

/// The guard protects the side that begins first. Without it, skew loses frames in a phase of any
/// length.
#[test]
fn without_a_guard_a_late_receiver_loses_frames() {
    let delivers = |guard, phase| {
        let conditions = SkewConditions { skew: 3.0, ..BASE };
        let trial = Trial { conditions, phase, guard, frames: FRAMES, seed: 1 };
        trial.delivers().unwrap()
    };
    assert!(!delivers(0, 90.0));
    assert!(delivers(24, 90.0));
    assert!(!delivers(24, 70.0));
}
