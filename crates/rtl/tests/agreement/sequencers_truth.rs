//! A phase sequencer follows the schedule of `interconnect::routing::tdma`. If ticks are lost or
//! inserted, it counts a slip and mutes its node until the next sync.

use crate::agreement::engines::{self, put, see};
use crate::agreement::scripts::schedule;
use engine::CircuitEngine;
use hdl::lower::Circuit;
use interconnect::routing::metacube::exchange::{lockstep_plan, memoryless_route};
use interconnect::routing::tdma::{PhaseSchedule, Role};
use interconnect::topology::{Hypercube, Metacube};
use interconnect::traffic::SplitMix64;
use rtl::tdma::{LinkPort, PhaseSequencer, ProgrammedPhaseClock, ProgrammedSequencer};
use std::collections::BTreeSet;
use std::ops::Range;

const DIMS: usize = 4;
const PHASES: u64 = 2 * DIMS as u64;
/// Clock cycles in a phase.
const PHASE: u64 = 6;
/// The phase clock in a phase.
const TICK: [u64; PHASE as usize] = [1, 1, 1, 0, 0, 0];
const NO_TICK: [u64; PHASE as usize] = [0; 6];
const TWO_TICKS: [u64; PHASE as usize] = [1, 1, 0, 1, 1, 0];
/// Clock cycle in which the second of two ticks arrives.
const SECOND: u64 = 3;

/// The phase in which the test begins. The node must wait for the next sync.
const START: u64 = 3;
const JOINED: u64 = PHASES * PHASE;
/// First phase of the superframe with the fault.
const FAULTY: u64 = 2 * PHASES;
const END: u64 = 5 * PHASES;

/// Fault in the tick sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
enum TickFault {
    None,
    /// The tick of this phase never comes.
    Dropped(u64),
    /// Another tick comes in the middle of this phase.
    Added(u64),
}

impl TickFault {
    fn phase_clock(self, time: u64) -> u64 {
        let (phase, cycle) = (time / PHASE, time % PHASE);
        let shape = match self {
            TickFault::Dropped(at) if FAULTY + at == phase => NO_TICK,
            TickFault::Added(at) if FAULTY + at == phase => TWO_TICKS,
            _ => TICK,
        };
        shape[cycle as usize]
    }

    /// Clock cycles in which the node's count is wrong and the node cannot detect it. The second
    /// value is the error of the count.
    fn undetected_error(self) -> (Range<u64>, i64) {
        match self {
            TickFault::None => (0..0, 0),
            TickFault::Dropped(at) => ((FAULTY + at) * PHASE..self.muted().start, -1),
            TickFault::Added(at) => ((FAULTY + at) * PHASE + SECOND..self.muted().start, 1),
        }
    }

    /// Clock cycles in which the node knows that it has lost sync. They begin with an unexpected
    /// `sync` or a missing one, and end at the next phase 0.
    fn muted(self) -> Range<u64> {
        let next = FAULTY + PHASES;
        match self {
            TickFault::None => 0..0,
            // The node expects `sync`, which has already passed.
            TickFault::Dropped(0) => (FAULTY + 1) * PHASE..next * PHASE,
            // `sync` arrives when the node expects the last phase.
            TickFault::Dropped(_) => next * PHASE..(next + PHASES) * PHASE,
            // The node expects phase 1, and `sync` is still high.
            TickFault::Added(0) => FAULTY * PHASE + SECOND..next * PHASE,
            // The node expects `sync` immediately, or when the last phase begins.
            TickFault::Added(at) if at == PHASES - 1 => {
                (FAULTY + at) * PHASE + SECOND..next * PHASE
            }
            TickFault::Added(_) => (next - 1) * PHASE..next * PHASE,
        }
    }
}

/// Outputs of a sequencer. The first three are meaningless while it is muted.
#[derive(Debug, PartialEq)]
struct SequencerOutputs {
    phase: u64,
    dim: u64,
    transmit: bool,
    begin: bool,
    slips: u64,
}

/// Runs a node through the fault and compares it with the schedule in every clock cycle.
fn follows_the_schedule(mut engine: Box<dyn CircuitEngine>, address: u32, fault: TickFault) {
    let schedule = PhaseSchedule::new(Hypercube::new(DIMS as u64).unwrap());
    let [phase_clock, sync, node] = ["phase_clock", "sync", "sides"].map(|name| engine.port(name));
    let outputs =
        ["phase", "dim", "transmit", "begin", "slips", "muted"].map(|name| engine.port(name));
    engine.set_u64(node, address.into());
    engine.settle().unwrap();
    let [phase, dim, transmit, begin, slips, muted] = outputs.map(|port| engine.get_u64(port));
    assert_eq!([phase, dim, transmit, begin, slips, muted], [0, 0, 0, 0, 0, 1]);
    let (astray, offset) = fault.undetected_error();
    let mut was_high = 0;
    for time in START * PHASE..END * PHASE {
        let phase = time / PHASE;
        let level = fault.phase_clock(time);
        engine.set_u64(phase_clock, level);
        engine.set_u64(sync, u64::from(phase.is_multiple_of(PHASES)));
        engine.clock().unwrap();
        let [phase_shown, dim, transmit, begin, slips, muted] =
            outputs.map(|port| engine.get_u64(port));
        let shown = SequencerOutputs {
            phase: phase_shown,
            dim,
            transmit: transmit == 1,
            begin: begin == 1,
            slips,
        };
        let here = || format!("{address:#x}, {fault:?}, cycle {time}: {shown:?}");

        let slipped = fault != TickFault::None && time >= fault.muted().start;
        let expected_slips = u64::from(slipped);
        if time < JOINED {
            // Before it joins, the node is in phase 0.
            assert_eq!((shown.phase, shown.dim), (0, 0), "{}", here());
        }
        if time < JOINED || fault.muted().contains(&time) {
            assert_eq!(muted, 1, "{}", here());
            assert!(!shown.transmit && !shown.begin, "{}", here());
            assert_eq!(slips, expected_slips, "{}", here());
        } else {
            let offset = if astray.contains(&time) { offset } else { 0 };
            let believed = (phase as i64 + offset).rem_euclid(PHASES as i64) as u32;
            let expected = SequencerOutputs {
                phase: believed.into(),
                dim: schedule.slot(believed).dim.into(),
                transmit: schedule.role(address, believed) == Role::Transmitter,
                begin: level == 1 && was_high == 0,
                slips: expected_slips,
            };
            assert_eq!(muted, 0, "{}", here());
            assert_eq!(shown, expected, "{}", here());
        }
        was_high = level;
    }
}

fn sequencer() -> PhaseSequencer<DIMS> {
    PhaseSequencer::default()
}

#[test]
fn every_node_of_the_4_cube_follows_the_schedule() {
    for address in 0..1 << DIMS {
        for engine in [engines::reference(sequencer()), engines::evaluator(&sequencer())] {
            follows_the_schedule(engine, address, TickFault::None);
        }
    }
    follows_the_schedule(engines::verilator(&sequencer()), 0b0110, TickFault::None);
}

#[test]
fn a_lost_tick_is_a_slip_and_mutes_until_the_next_sync() {
    for phase in 0..PHASES {
        for engine in engines::both(sequencer) {
            follows_the_schedule(engine, 0b0101, TickFault::Dropped(phase));
        }
    }
}

#[test]
fn a_tick_too_many_is_a_slip_and_mutes_until_the_next_sync() {
    for phase in 0..PHASES {
        for engine in engines::both(sequencer) {
            follows_the_schedule(engine, 0b1100, TickFault::Added(phase));
        }
    }
}

// A programmed order. The phase clock keeps its timing, and the sequencers follow it with their
// own copies. An ascending order matches a phase sequencer.

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
    engine.settle().unwrap();
    let names = ["phase_clock", "sync", "pair", "second", "rounds"];
    assert_eq!(get(engine, names), [0; 5], "before the schedule");
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
        assert_eq!(get(engine, names), expected, "divider {divider}, cycle {cycle}");
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
        let shown = get(&mut *engine, ["phase_clock", "sync", "pair", "second", "link"]);
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
        programmed.settle().unwrap();
        let names = ["pair", "second", "begin", "transmit", "slips", "muted"];
        assert_eq!(get(&mut *programmed, names), [0, 0, 0, 0, 0, 1]);
        program(&mut *programmed, &[0, 1, 2, 3]);
        for engine in [&mut programmed, &mut fixed] {
            set(&mut **engine, &[("sides", sides)]);
        }
        let mut slips = 0;
        for cycle in 0..20_000 {
            let levels = wires(&mut random);
            for engine in [&mut programmed, &mut fixed] {
                set(&mut **engine, &[("phase_clock", levels[0]), ("sync", levels[1])]);
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

// A link port shows the schedule of its sequencer, which the first tests of this file check.

#[test]
fn a_link_port_is_muted_with_its_sequencer() {
    const ADDRESS: u64 = 5;
    let mut port = engines::evaluator(&LinkPort::<3, 8>::default());
    let mut sequencer = engines::evaluator(&PhaseSequencer::<3>::default());
    put(&mut *port, "address", ADDRESS);
    put(&mut *port, "level", 7);
    put(&mut *sequencer, "sides", ADDRESS);
    let mut wires = schedule(6, &[3, 40]);
    let mut random = SplitMix64::new(6);
    let mut seen = BTreeSet::new();
    for cycle in 0..20_000 {
        let [phase_clock, sync] = wires(&mut random)[..] else {
            panic!("a schedule has two wires");
        };
        for engine in [&mut *port, &mut *sequencer] {
            put(engine, "phase_clock", phase_clock);
            put(engine, "sync", sync);
            engine.settle().unwrap();
        }
        let outputs = ["begin", "phase", "dim", "transmit", "muted", "slips"];
        let shown = outputs.map(|name| see(&mut *port, name));
        let wanted = outputs.map(|name| see(&mut *sequencer, name));
        assert_eq!(shown, wanted, "clock cycle {cycle}");
        seen.insert(shown[4]);
        for engine in [&mut *port, &mut *sequencer] {
            engine.clock().unwrap();
        }
    }
    // Both in sync and out of sync.
    assert_eq!(seen.len(), 2);
}

/// A byte has a start bit, eight data bits and a stop bit of `CLOCKS` clock cycles each. The port
/// accepts the next byte in the last clock cycle of the stop bit, so no gap is between the two.
#[test]
fn a_link_port_is_ready_between_bytes() {
    const CLOCKS: usize = 8;
    let mut port = engines::evaluator(&LinkPort::<3, CLOCKS>::default());
    put(&mut *port, "level", 7);
    port.settle().unwrap();
    for byte in [0x5A, 0x00, 0xFF] {
        assert_eq!(see(&mut *port, "tx_ready"), 1);
        put(&mut *port, "tx_data", byte);
        put(&mut *port, "tx_start", 1);
        port.clock().unwrap();
        put(&mut *port, "tx_start", 0);
        port.settle().unwrap();
        let mut busy = 0;
        while see(&mut *port, "tx_ready") == 0 {
            busy += 1;
            assert!(busy < 10 * CLOCKS, "byte {byte:#04X} does not end");
            port.clock().unwrap();
            port.settle().unwrap();
        }
        assert_eq!(busy, 10 * CLOCKS - 1, "byte {byte:#04X}");
    }
}
