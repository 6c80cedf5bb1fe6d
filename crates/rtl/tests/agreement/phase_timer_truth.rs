//! Each window of a phase opens and closes once. The plan sets its times after the start of the
//! phase, however late the next phase begins.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use rtl::tdma::{PhasePlan, PhaseTimer};

/// Two plans with separate windows, and two with windows that close when the next opens. In each
/// plan a different part fills the counter.
const PLANS: [[u64; 5]; 4] = [
    [4, 20, 23, 30, 31],
    [1, 60, 61, 62, 64],
    [5, 5, 9, 9, 12],
    [7, 100, 140, 200, 201],
];

#[test]
fn windows_open_and_close_when_the_plan_says() {
    for times in PLANS {
        let [frame_open, frame_close, answer_open, answer_close, phase] = times;
        let plan = PhasePlan {
            frame_open,
            frame_close,
            answer_open,
            answer_close,
            phase,
        };
        for mut engine in [
            engines::evaluator(&PhaseTimer::new(plan)),
            engines::reference(PhaseTimer::new(plan)),
        ] {
            // No phase at first, then phases that are shortened, exact and extended.
            let lengths = [frame_open, frame_close, answer_open + 1, answer_close];
            let lengths = [phase, phase, 3 * phase, phase].into_iter().chain(lengths);
            let lengths: Vec<u64> = lengths.chain([phase, 5 * phase]).collect();
            let before = (0..2 * phase).map(|_| None);
            let phases = lengths.iter().flat_map(|length| (0..*length).map(Some));
            for time in before.chain(phases) {
                put(&mut *engine, "begin", u64::from(time == Some(0)));
                engine.settle().unwrap();
                let names = ["frame_open", "frame_close", "answer_open", "answer_close"];
                for (name, at) in names.into_iter().zip(times) {
                    let high = see(&mut *engine, name) == 1;
                    // A start carries no information on the phase that it ends.
                    if time != Some(0) {
                        assert_eq!(high, time == Some(at), "{name} of {times:?} in {time:?}");
                    }
                }
                engine.clock().unwrap();
            }
        }
    }
}
