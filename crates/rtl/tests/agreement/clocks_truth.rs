//! The phase clock produces the timing that its divider sets.

use crate::agreement::engines::{self, put, see};
use engine::CircuitEngine;
use rtl::tdma::{NodeOscillator, PhaseClock, PhaseClockDelay, PhasePlan, PhaseTimer, Synchroniser};

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
        PhaseClockOutputs { phase_clock: phase_clock == 1, sync: sync == 1, phase, frame }
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

// Each window of a phase opens and closes once. The plan sets its times after the start of the
// phase, however late the next phase begins.

/// Two plans with separate windows, and two with windows that close when the next opens. In each
/// plan a different part fills the counter.
const PLANS: [[u64; 5]; 4] =
    [[4, 20, 23, 30, 31], [1, 60, 61, 62, 64], [5, 5, 9, 9, 12], [7, 100, 140, 200, 201]];

#[test]
fn windows_open_and_close_when_the_plan_says() {
    for times in PLANS {
        let [frame_open, frame_close, answer_open, answer_close, phase] = times;
        let plan = PhasePlan { frame_open, frame_close, answer_open, answer_close, phase };
        for mut engine in
            [engines::evaluator(&PhaseTimer::new(plan)), engines::reference(PhaseTimer::new(plan))]
        {
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

// The models around a node with its own clock match their documentation. Edges are skipped at even
// intervals, lines are delayed, and a synchroniser has the documented number of stages.

fn set(engine: &mut dyn CircuitEngine, port: &str, value: u64) {
    let port = engine.port(port);
    engine.set_u64(port, value);
}

fn get(engine: &mut dyn CircuitEngine, port: &str) -> u64 {
    engine.settle().unwrap();
    let port = engine.port(port);
    engine.get_u64(port)
}

/// After n clock cycles, `floor((start + n * slower) / 2^24)` edges were skipped.
#[test]
fn clock_edges_are_skipped_evenly() {
    for (slower, start) in [(0, 5), (1 << 22, 0), (1_000_003, 0xFF_FFFF), (0xFF_FFFF, 1)] {
        for mut engine in engines::both(NodeOscillator::default) {
            let engine = &mut *engine;
            set(engine, "slower", slower);
            set(engine, "start", start);
            let mut missed = 0;
            for n in 1..=200 {
                missed += 1 - get(engine, "tick");
                assert_eq!(missed, (start + n * slower) >> 24, "{slower} {start} {n}");
                engine.clock().unwrap();
            }
        }
    }
}

/// Both lines are delayed by `delay + 1` clock cycles.
#[test]
fn the_phase_clock_is_delayed() {
    for delay in [0, 1, 7, 30] {
        for mut engine in engines::both(PhaseClockDelay::default) {
            let engine = &mut *engine;
            set(engine, "delay", delay);
            // A half phase is 40 clock cycles and a superframe three phases.
            let lines = |n: u64| (n / 40 % 2 == 1, n >= 40 && ((n - 40) / 80).is_multiple_of(3));
            for n in 0..600 {
                let (phase_clock, sync) = lines(n);
                set(engine, "phase_clock", phase_clock.into());
                set(engine, "sync", sync.into());
                let due = match n.checked_sub(delay + 1) {
                    Some(before) => lines(before),
                    None => (false, false),
                };
                let seen =
                    ["delayed_phase_clock", "delayed_sync"].map(|port| get(engine, port) == 1);
                assert_eq!(seen, [due.0, due.1], "delay {delay}, clock cycle {n}");
                engine.clock().unwrap();
            }
        }
    }
}

/// `sync` and the wires arrive two clock cycles late, the phase clock three. Before the first clock
/// cycle the machine is idle: both signals are low, and the wires high.
#[test]
fn a_synchroniser_has_its_stages() {
    for mut engine in engines::both(Synchroniser::<2>::default) {
        let engine = &mut *engine;
        let line = |n: u64, k: u64| (n * k * k / 7 % 3) & 1;
        let level = |n: u64| line(n, 5) | line(n, 11) << 1;
        for n in 0..200 {
            set(engine, "phase_clock", line(n, 3));
            set(engine, "sync", line(n, 4));
            set(engine, "level", level(n));
            let early = n.checked_sub(2);
            let phase_clock = n.checked_sub(3).map_or(0, |n| line(n, 3));
            assert_eq!(get(engine, "node_phase_clock"), phase_clock, "{n}");
            assert_eq!(get(engine, "node_sync"), early.map_or(0, |n| line(n, 4)), "{n}");
            assert_eq!(get(engine, "node_level"), early.map_or(0b11, level), "{n}");
            engine.clock().unwrap();
        }
    }
}
