//! The four engines agree on every output of every node in every clock cycle of whole runs.
//! Lockstep and evaluator agree on every internal signal.

use crate::support::byte_runs::{self, list};
use crate::support::lockstep_vs_evaluator::LockstepVsEvaluator;
use crate::torus::{machine, run_on, shape, ByteRun};
use lockstep::lanes::LaneOptions;
use models::torus::TorusModelMachine;
use phasecube::machine::MachineCircuit;
use phasecube::networks::torus::TorusCircuit;

fn agree(machine: &TorusModelMachine) -> ByteRun {
    let shape = shape(machine);
    let list = list(shape.torus().nodes(), 5);
    let circuit = TorusCircuit::new(shape.clone());
    byte_runs::agree(&circuit, |engine| run_on(engine, &shape, &list))
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_the_4_x_2_torus() {
    let run = agree(&machine(&[4, 2]));
    assert!(run.is_complete());
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_the_2_x_3_x_2_torus() {
    let run = agree(&machine(&[2, 3, 2]));
    assert!(run.is_complete());
}

#[test]
fn on_a_deadlocked_4_x_3_torus() {
    let one = TorusModelMachine { channels: 1, ..machine(&[4, 3]) };
    let run = agree(&one);
    assert!(run.stall.is_some(), "{run:?}");
}

#[test]
fn every_signal_in_every_clock_cycle() {
    for (radices, seed) in [(&[4, 2][..], 1), (&[3, 3], 2), (&[2, 2, 2], 3)] {
        let shape = shape(&machine(radices));
        let array = TorusCircuit::new(shape.clone()).array().unwrap();
        let mut both = LockstepVsEvaluator::new(&array, &LaneOptions::default());
        let run = run_on(&mut both, &shape, &list(shape.torus().nodes(), seed));
        assert!(run.is_complete());
        assert!(both.compared > 100_000, "{}", both.compared);
    }
}
