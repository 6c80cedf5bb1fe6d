//! A phase sequencer follows the schedule of `interconnect::routing::tdma`. If ticks are lost or
//! inserted, it counts a slip and mutes its node until the next sync.

use crate::agreement::engines;
use engine::CircuitEngine;
use interconnect::routing::tdma::{PhaseSchedule, Role};
use interconnect::topology::Hypercube;
use rtl::tdma::PhaseSequencer;
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
        for engine in [
            engines::reference(sequencer()),
            engines::evaluator(&sequencer()),
        ] {
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
