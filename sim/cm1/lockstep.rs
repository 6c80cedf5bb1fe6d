//! The lockstep engine matches the evaluator in every clock cycle, in every signal that both name.

use crate::cm1::drawn_list;
use crate::cm1::{circuit, messages};
use crate::support::lockstep_vs_evaluator::LockstepVsEvaluator;
use lockstep::lanes::LaneOptions;
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use phasecube::machine::{EndReason, MachineCircuit};

fn same(machine: Cm1ModelMachine, seed: u64) {
    let circuit = circuit(machine);
    let mut both = LockstepVsEvaluator::new(&circuit.array().unwrap(), &LaneOptions::default());
    let pairs = drawn_list(machine.dims, machine.processors, seed);
    let run = crate::cm1::run_on(&mut both, circuit, machine.timeout, &messages(&pairs));
    assert_eq!(run.end, EndReason::Complete);
    assert_eq!(run.undetected + run.duplicated, 0);
    assert!(both.compared > 100_000);
}

#[test]
fn every_signal_of_the_3_cube_in_every_clock_cycle() {
    for (rows, processors, eject) in [
        (7, 16, Cm1ModelEject::Or),
        (3, 4, Cm1ModelEject::PerProcessor),
        (2, 2, Cm1ModelEject::PerChip),
    ] {
        let machine = Cm1ModelMachine { dims: 3, rows, processors, eject, timeout: 40 };
        same(machine, 0);
    }
}

#[test]
fn every_signal_of_the_4_cube_while_it_drains() {
    let machine =
        Cm1ModelMachine { dims: 4, rows: 4, processors: 2, eject: Cm1ModelEject::Or, timeout: 0 };
    same(machine, 1);
}
