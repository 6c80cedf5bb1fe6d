//! A programmed order. The phase clock keeps its timing, and the sequencers follow it with their
//! own copies. An ascending order matches a phase sequencer.

use crate::agreement::engines;
use crate::agreement::scripts::schedule;
use engine::CircuitEngine;
use hdl::lower::Circuit;
use interconnect::routing::metacube::exchange::{lockstep_plan, memoryless_route};
use interconnect::topology::Metacube;
use interconnect::traffic::SplitMix64;
use rtl::tdma::{PhaseSequencer, ProgrammedPhaseClock, ProgrammedSequencer};

fn set(engine: &mut dyn CircuitEngine, values: &[(&str, u64)]) {
    for (name, value) in values {
        let port = engine.port(name);
        engine.set_u64(port, *value);
    }
}

fn get<const N: usize>(engine: &mut dyn CircuitEngine, names: [&str; N]) -> [u64; N] {
    names.map(|name| {
        let port = engine.port(name);
        engine.get_u64(port)
    })
}

/// Writes an order, one pair in each clock cycle.
fn program(engine: &mut dyn CircuitEngine, order: &[u32]) {
    for (pair, link) in order.iter().enumerate() {
        let last = u64::from(pair + 1 == order.len());
        let pair = pair as u64;
        let word = [("write_pair", pair), ("write_link", (*link).into())];
        set(engine, &word);
        set(engine, &[("write", 1), ("write_last", last)]);
        engine.clock().unwrap();
    }
    set(engine, &[("write", 0)]);
    engine.clock().unwrap();
}

/// Checks the phase clock of an order in every clock cycle of some rounds.
fn keeps_time(engine: &mut dyn CircuitEngine, order: &[u32], divider: u64, rounds: u64) {
    program(engine, order);
    set(engine, &[("divider", divider), ("enable", 1)]);
    let half = divider + 1;
    let pairs = order.len() as u64;
    for cycle in 0..rounds * pairs * 4 * half {
        engine.clock().unwrap();
        let phase = cycle / (2 * half);
        let pair = phase / 2 % pairs;
        let expected = [
            u64::from((cycle / half).is_multiple_of(2)),
            u64::from(phase.is_multiple_of(2 * pairs)),
            pair,
            phase % 2,
            order[pair as usize].into(),
            phase / (2 * pairs),
        ];
        let names = ["phase_clock", "sync", "pair", "second", "link", "rounds"];
        assert_eq!(
            get(engine, names),
            expected,
            "divider {divider}, cycle {cycle}"
        );
    }
}

#[test]
fn the_phase_clock_keeps_the_time_of_any_order() {
    for engine in &mut engines::both(ProgrammedPhaseClock::<3>::default) {
        keeps_time(&mut **engine, &[2, 0, 0, 7, 1], 3, 3);
    }
    for order in [&[5][..], &[1, 0], &[0, 1, 2, 3, 4, 5, 6, 15]] {
        for divider in 1..5 {
            let mut engine = engines::evaluator(&ProgrammedPhaseClock::<3>::default());
            keeps_time(&mut *engine, order, divider, 4);
        }
    }
}

/// Clearing `enable` ends the schedule at the end of the phase. Setting it again restarts the
/// order.
#[test]
fn the_schedule_ends_with_a_phase_and_begins_with_the_order() {
    for stop in 1..40 {
        let mut engine = engines::evaluator(&ProgrammedPhaseClock::<2>::default());
        program(&mut *engine, &[3, 1, 2]);
        set(&mut *engine, &[("divider", 2), ("enable", 1)]);
        (0..stop).for_each(|_| engine.clock().unwrap());
        set(&mut *engine, &[("enable", 0)]);
        (0..6).for_each(|_| engine.clock().unwrap());
        assert_eq!(get(&mut *engine, ["phase_clock", "sync"]), [0, 0], "{stop}");
        set(&mut *engine, &[("enable", 1)]);
        engine.clock().unwrap();
        let shown = get(
            &mut *engine,
            ["phase_clock", "sync", "pair", "second", "link"],
        );
        assert_eq!(shown, [1, 1, 0, 0, 3], "{stop}");
    }
}

/// With the links in ascending order, it matches a phase sequencer in every clock cycle, including
/// lost and inserted ticks.
#[test]
fn in_ascending_order_it_is_a_phase_sequencer() {
    for sides in [0b0000, 0b0110, 0b1011] {
        let mut random = SplitMix64::new(sides);
        let mut wires = schedule(8, &[1, 2, 5, 20]);
        let mut programmed = engines::evaluator(&ProgrammedSequencer::<4, 3>::default());
        let mut fixed = engines::evaluator(&PhaseSequencer::<4>::default());
        program(&mut *programmed, &[0, 1, 2, 3]);
        for engine in [&mut programmed, &mut fixed] {
            set(&mut **engine, &[("sides", sides)]);
        }
        let mut slips = 0;
        for cycle in 0..20_000 {
            let levels = wires(&mut random);
            for engine in [&mut programmed, &mut fixed] {
                set(
                    &mut **engine,
                    &[("phase_clock", levels[0]), ("sync", levels[1])],
                );
                engine.clock().unwrap();
            }
            let same = ["begin", "transmit", "muted", "slips"];
            let [begin, transmit, muted, slipped] = get(&mut *programmed, same);
            let shown = [begin, transmit, muted, slipped];
            assert_eq!(shown, get(&mut *fixed, same), "cycle {cycle}");
            let [pair, second, link] = get(&mut *programmed, ["pair", "second", "link"]);
            let [phase, dim] = get(&mut *fixed, ["phase", "dim"]);
            assert_eq!([2 * pair + second, link], [phase, dim], "cycle {cycle}");
            slips = slipped;
        }
        assert!(slips > 10, "{slips} slips");
    }
}

/// The phase clock and a node, both programmed with the total exchange order of MC(2,1). The order
/// has 296 pairs, repeats after them, and causes no slip.
fn follows<C: Circuit, S: Circuit>(node: u32, clock: &C, sequencer: &S) {
    let metacube = Metacube::new(2, 1).unwrap();
    let plan = lockstep_plan(metacube, |offset| memoryless_route(metacube, offset));
    let order: Vec<u32> = plan.iter().map(|pair| pair.link).collect();
    let [mut clock, mut sequencer] = [engines::evaluator(clock), engines::evaluator(sequencer)];
    program(&mut *clock, &order);
    program(&mut *sequencer, &order);
    let side = |link: &u32| node >> metacube.link_bit(node, *link) & 1;
    let sides = (0..metacube.links()).map(|link| u64::from(side(&link)) << link);
    set(&mut *sequencer, &[("sides", sides.sum())]);
    set(&mut *clock, &[("divider", 1), ("enable", 1)]);
    let mut phases = 0;
    while phases < 2 * order.len() + 3 {
        clock.clock().unwrap();
        let [level, sync] = get(&mut *clock, ["phase_clock", "sync"]);
        set(&mut *sequencer, &[("phase_clock", level), ("sync", sync)]);
        sequencer.clock().unwrap();
        let names = ["begin", "link", "transmit", "muted", "slips"];
        let [begin, link, transmit, muted, slips] = get(&mut *sequencer, names);
        assert_eq!([muted, slips], [0, 0], "phase {phases}");
        if begin == 1 {
            let wanted = &order[phases / 2 % order.len()];
            assert_eq!(link, u64::from(*wanted), "phase {phases}");
            let sends = u64::from(side(wanted) as usize == phases % 2);
            assert_eq!(transmit, sends, "phase {phases}");
            phases += 1;
        }
    }
}

#[test]
fn a_node_follows_the_order_of_a_total_exchange() {
    let clock = ProgrammedPhaseClock::<9>::default();
    let sequencer = ProgrammedSequencer::<3, 9>::default();
    for node in [0, 27, 50] {
        follows(node, &clock, &sequencer);
    }
}
