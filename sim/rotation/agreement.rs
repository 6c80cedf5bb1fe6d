//! The four engines agree on every output of every node in every clock cycle of whole runs.
//! Lockstep and evaluator agree on every internal signal.

use crate::rotation::machine::{machine, run_on, shape, Run};
use crate::rotation::standstill::hexagon;
use crate::support::byte_agreement::{self, list};
use crate::support::twins::Twins;
use lockstep::lanes::Options;
use models::rotation::rule::Rule;
use models::rotation::Machine;
use phasecube::machine::MachineCircuit;
use phasecube::networks::rotation::RotationCircuit;
use phasecube::traffic::Message;

fn agree(machine: &Machine, list: &[Message]) -> Run {
    let shape = shape(machine);
    let circuit = RotationCircuit::new(shape);
    byte_agreement::agree(&circuit, |engine| run_on(engine, &shape, list))
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
    let serial = Machine {
        serial: true,
        ..machine(3)
    };
    assert!(agree(&serial, &list(8, 5)).is_complete());
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_the_4_cube_by_thackers_rule() {
    let thacker = Machine {
        rule: Rule::Thacker,
        ..machine(4)
    };
    assert!(agree(&thacker, &list(16, 5)).is_complete());
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_the_3_cube_that_stands_still() {
    let one = Machine {
        channels: 1,
        ..machine(3)
    };
    let messages = [hexagon(4), list(8, 5)].concat();
    let run = agree(&one, &messages);
    assert!(run.still.is_some(), "{run:?}");
}

#[test]
fn every_signal_in_every_clock_cycle() {
    for (dims, serial, seed) in [(2, false, 1), (4, false, 2), (4, true, 3)] {
        let machine = Machine {
            serial,
            ..machine(dims)
        };
        let shape = shape(&machine);
        let array = RotationCircuit::new(shape).array().unwrap();
        let mut twins = Twins::new(&array, &Options::default());
        let run = run_on(&mut twins, &shape, &list(1 << dims, seed));
        assert!(run.is_complete());
        assert!(twins.compared > 30_000, "{}", twins.compared);
    }
}
