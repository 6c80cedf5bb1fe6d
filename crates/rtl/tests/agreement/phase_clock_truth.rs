//! The phase clock produces the timing that its divider sets.

use crate::agreement::engines;
use engine::CircuitEngine;
use rtl::tdma::PhaseClock;

/// Outputs of a phase clock.
#[derive(Debug, PartialEq)]
struct PhaseClockOutputs {
    phase_clock: bool,
    sync: bool,
    phase: u64,
    frame: u64,
}

struct PhaseClockBench {
    engine: Box<dyn CircuitEngine>,
    dims: u64,
}

impl PhaseClockBench {
    fn of<const DIMS: usize>(engine: Box<dyn CircuitEngine>) -> PhaseClockBench {
        let dims = DIMS as u64;
        PhaseClockBench { engine, dims }
    }

    fn set(&mut self, port: &str, value: u64) {
        let port = self.engine.port(port);
        self.engine.set_u64(port, value);
    }

    fn shown(&mut self) -> PhaseClockOutputs {
        let [phase_clock, sync, phase, frame] =
            ["phase_clock", "sync", "phase", "frame"].map(|name| {
                let port = self.engine.port(name);
                self.engine.get_u64(port)
            });
        PhaseClockOutputs {
            phase_clock: phase_clock == 1,
            sync: sync == 1,
            phase,
            frame,
        }
    }

    /// Checks `cycles` clock cycles that begin `since` clock cycles after phase 0
    /// of superframe `frames` began.
    fn runs(&mut self, divider: u64, since: u64, cycles: u64, frames: u64) {
        let half = divider + 1;
        for n in since..since + cycles {
            self.engine.clock().unwrap();
            let phases = n / (2 * half);
            let expected = PhaseClockOutputs {
                phase_clock: (n / half).is_multiple_of(2),
                sync: phases.is_multiple_of(2 * self.dims),
                phase: phases % (2 * self.dims),
                frame: frames + phases / (2 * self.dims),
            };
            assert_eq!(self.shown(), expected, "divider {divider}, cycle {n}");
        }
    }

    fn rests(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.engine.clock().unwrap();
            let shown = self.shown();
            assert!(!shown.phase_clock && !shown.sync, "{shown:?}");
        }
    }
}

fn keeps_time<const DIMS: usize>(engine: Box<dyn CircuitEngine>, divider: u64, superframes: u64) {
    let mut clock = PhaseClockBench::of::<DIMS>(engine);
    let phase = 2 * (divider + 1);
    clock.set("divider", divider);
    clock.rests(3);
    clock.set("enable", 1);
    clock.runs(divider, 0, superframes * 2 * DIMS as u64 * phase, 0);
}

#[test]
fn phases_have_equal_length_and_sync_marks_the_first() {
    for engine in engines::both(PhaseClock::<3>::default) {
        keeps_time::<3>(engine, 4, 5);
    }
    for divider in 0..20 {
        keeps_time::<1>(engines::evaluator(&PhaseClock::<1>::default()), divider, 3);
        keeps_time::<3>(engines::evaluator(&PhaseClock::<3>::default()), divider, 3);
        keeps_time::<12>(engines::evaluator(&PhaseClock::<12>::default()), divider, 3);
        keeps_time::<16>(engines::evaluator(&PhaseClock::<16>::default()), divider, 3);
    }
    keeps_time::<1>(engines::evaluator(&PhaseClock::<1>::default()), 0xFFFF, 1);
    // A half phase of more clock cycles than 16 bits can count.
    let wide = engines::evaluator(&PhaseClock::<1, 17>::default());
    keeps_time::<1>(wide, 0x1_2345, 1);
}

/// Clearing `enable` in any clock cycle ends the schedule at the end of the phase. Setting it again
/// begins at phase 0.
#[test]
fn the_schedule_ends_with_a_phase_and_begins_with_phase_0() {
    for stop in 1..=24 {
        let mut clock = PhaseClockBench::of::<2>(engines::evaluator(&PhaseClock::<2>::default()));
        clock.set("divider", 2);
        clock.set("enable", 1);
        clock.runs(2, 0, stop, 0);
        clock.set("enable", 0);
        let rest = (6 - stop % 6) % 6;
        clock.runs(2, stop, rest, 0);
        clock.rests(17);
        clock.set("enable", 1);
        clock.runs(2, 0, 30, (stop + rest) / 24);
    }
}

#[test]
fn a_new_divider_counts_from_the_next_half_phase_on() {
    let mut clock = PhaseClockBench::of::<2>(engines::evaluator(&PhaseClock::<2>::default()));
    clock.set("divider", 9);
    clock.set("enable", 1);
    clock.runs(9, 0, 4, 0);
    clock.set("divider", 2);
    // The current half phase keeps its ten clock cycles. The next has three, and phase 1 uses the
    // new divider throughout.
    clock.runs(9, 4, 6, 0);
    clock.runs(2, 3, 60, 0);
}
