//! The models around a node with its own clock match their documentation. Edges are skipped at even
//! intervals, lines are delayed, and a synchroniser has the documented number of stages.

use crate::agreement::engines;
use engine::CircuitEngine;
use rtl::tdma::{NodeOscillator, PhaseClockDelay, Synchroniser};

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
            let lines = |n: u64| {
                (
                    n / 40 % 2 == 1,
                    n >= 40 && ((n - 40) / 80).is_multiple_of(3),
                )
            };
            for n in 0..600 {
                let (phase_clock, sync) = lines(n);
                set(engine, "phase_clock", phase_clock.into());
                set(engine, "sync", sync.into());
                let due = match n.checked_sub(delay + 1) {
                    Some(before) => lines(before),
                    None => (false, false),
                };
                let seen = ["late_phase_clock", "late_sync"].map(|port| get(engine, port) == 1);
                assert_eq!(seen, [due.0, due.1], "delay {delay}, clock cycle {n}");
                engine.clock().unwrap();
            }
        }
    }
}

/// `sync` and the wires arrive two clock cycles late, the phase clock three.
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
            if n >= 3 {
                assert_eq!(get(engine, "node_phase_clock"), line(n - 3, 3), "{n}");
                assert_eq!(get(engine, "node_sync"), line(n - 2, 4), "{n}");
                assert_eq!(get(engine, "node_level"), level(n - 2), "{n}");
            }
            engine.clock().unwrap();
        }
    }
}
