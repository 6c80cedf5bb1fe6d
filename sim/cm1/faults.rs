//! Dead chips, broken wires and noise. Every message is accounted for, and the expected ones are
//! lost. The chip flags damage and cannot repeat a message (`cm1-message-router`, section 3.1).

use crate::cm1::{circuit, messages};
use lockstep::lanes::LaneOptions;
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use phasecube::machine::{drive, Delivery, EndReason, MachineCircuit, RunControl, RunStats};
use phasecube::networks::cm1::{Cm1Driver, Cm1Faults, StuckWire};

const MACHINE: Cm1ModelMachine = Cm1ModelMachine {
    dims: 3,
    rows: 3,
    processors: 1,
    eject: Cm1ModelEject::PerProcessor,
    timeout: 40,
};

/// Petit cycles without a delivery after which a run ends.
const STALL_AFTER: u64 = 100;

fn run(disturbance: Cm1Faults, pairs: &[(u32, u32)]) -> RunStats {
    let circuit = circuit(MACHINE);
    let mut engine = circuit.array().unwrap().lockstep(&LaneOptions::default()).unwrap();
    let list = messages(pairs);
    let mut driver = Cm1Driver::new(&mut engine, &circuit, &disturbance, &list, &[]);
    let control = RunControl::to_end(1, Some(STALL_AFTER));
    drive(&mut driver, control).unwrap()
}

fn is_delivered(delivery: &Delivery) -> bool {
    matches!(delivery, Delivery::Delivered { .. })
}

/// Returns the wires of a lone message. It crosses the dimensions in which it differs in ascending
/// order.
fn wires(source: u32, destination: u32) -> Vec<(u32, u32)> {
    let mut chip = source;
    let mut wires = vec![];
    for bit in [1, 2, 4] {
        if (chip ^ destination) & bit != 0 {
            wires.push((chip, chip ^ bit));
            chip ^= bit;
        }
    }
    wires
}

fn pairs() -> impl Iterator<Item = (u32, u32)> {
    (0..8).flat_map(|source| (0..8).map(move |destination| (source, destination)))
}

#[test]
fn a_dead_chip_loses_the_messages_that_cross_its_wires() {
    const DEAD: u32 = 5;
    for (source, destination) in pairs() {
        let mut disturbance = Cm1Faults::default();
        disturbance.kill(DEAD as usize, 3, false);
        let run = run(disturbance, &[(source, destination)]);
        let crosses = |(from, to): &(u32, u32)| [*from, *to].contains(&DEAD);
        let crosses = wires(source, destination).iter().any(crosses);
        let what = format!("{source} to {destination}");
        assert_eq!(run.end, EndReason::Complete, "{what}");
        assert_eq!(is_delivered(&run.deliveries[0]), !crosses, "{what}");
        assert_eq!(run.undetected, 0, "{what}");
    }
}

#[test]
fn a_broken_wire_loses_the_messages_that_cross_it() {
    for (source, destination) in pairs() {
        let stuck = StuckWire { chip: 3, dim: 1, high: false };
        let disturbance = Cm1Faults { stuck: vec![stuck], ..Cm1Faults::default() };
        let run = run(disturbance, &[(source, destination)]);
        let crosses = wires(source, destination).contains(&(1, 3));
        let what = format!("{source} to {destination}");
        assert_eq!(is_delivered(&run.deliveries[0]), !crosses, "{what}");
    }
}

/// A wire stuck at high delivers a message of ones in every petit cycle. The router is never empty,
/// and the run still ends.
#[test]
fn a_run_with_a_wire_stuck_at_high_ends() {
    let mut disturbance = Cm1Faults::default();
    disturbance.kill(5, 3, true);
    let all: Vec<(u32, u32)> = pairs().filter(|(s, d)| s != d).collect();
    let run = run(disturbance, &all);
    let stuck = EndReason::Deadlock { periods: STALL_AFTER };
    assert_eq!(run.end, stuck);
    let home = run.deliveries.iter().filter(|delivery| is_delivered(delivery)).count();
    assert!((1..all.len()).contains(&home), "{home}");
}

/// Messages with one damaged bit are flagged or lost. More noise damages more messages.
#[test]
fn noise_loses_messages_and_doubles_none() {
    let all: Vec<(u32, u32)> = pairs().filter(|(s, d)| s != d).collect();
    let mut lost = vec![];
    for noise in [0.0, 1e-4, 1e-3, 1e-2] {
        let disturbance = Cm1Faults { noise, seed: 3, ..Cm1Faults::default() };
        let run = run(disturbance, &all);
        assert_eq!(run.end, EndReason::Complete);
        let home = run.deliveries.iter().filter(|delivery| is_delivered(delivery)).count();
        let gone = |delivery: &&Delivery| matches!(delivery, Delivery::Lost { .. });
        let gone = run.deliveries.iter().filter(gone).count();
        assert_eq!(home + gone, all.len(), "{noise}");
        assert_eq!(run.duplicated, 0, "{noise}");
        lost.push(gone);
    }
    assert!(lost.is_sorted() && lost[0] == 0 && lost[3] > 10, "{lost:?}");
}
