//! The four engines agree on every output of every node in every clock cycle of whole runs.
//! Lockstep and evaluator agree on every internal signal.

use crate::rotation::deadlock::hexagon;
use crate::rotation::{machine, run_on, shape, ByteRun};
use crate::support::byte_runs::{self, list};
use crate::support::lockstep_vs_evaluator::LockstepVsEvaluator;
use lockstep::lanes::LaneOptions;
use models::rotation::{RotationModelMachine, RotationModelRule};
use phasecube::machine::MachineCircuit;
use phasecube::networks::rotation::RotationCircuit;
use phasecube::traffic::Message;

fn agree(machine: &RotationModelMachine, list: &[Message]) -> ByteRun {
    let shape = shape(machine);
    let circuit = RotationCircuit::new(shape);
    byte_runs::agree(&circuit, |engine| run_on(engine, &shape, list))
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_the_3_cube() {
    let run = agree(&machine(3), &list(8, 5));
    assert!(run.is_complete());
}

/// Finds the first hop in three clock cycles.
#[test]
fn on_the_3_cube_that_rotates() {
    let serial = RotationModelMachine { serial: true, ..machine(3) };
    assert!(agree(&serial, &list(8, 5)).is_complete());
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_the_4_cube_by_thackers_rule() {
    let thacker = RotationModelMachine { rule: RotationModelRule::Thacker, ..machine(4) };
    assert!(agree(&thacker, &list(16, 5)).is_complete());
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_a_deadlocked_3_cube() {
    let one = RotationModelMachine { channels: 1, ..machine(3) };
    let messages = [hexagon(4), list(8, 5)].concat();
    let run = agree(&one, &messages);
    assert!(run.stall.is_some(), "{run:?}");
}

#[test]
fn every_signal_in_every_clock_cycle() {
    for (dims, serial, seed) in [(2, false, 1), (4, false, 2), (4, true, 3)] {
        let machine = RotationModelMachine { serial, ..machine(dims) };
        let shape = shape(&machine);
        let array = RotationCircuit::new(shape).array().unwrap();
        let mut both = LockstepVsEvaluator::new(&array, &LaneOptions::default());
        let run = run_on(&mut both, &shape, &list(1 << dims, seed));
        assert!(run.is_complete());
        assert!(both.compared > 30_000, "{}", both.compared);
    }
}
