//! A single inverted bit is flagged at the receiving processor, whichever of the covered bits it is
//! (`cm1-message-router`, section 3.1).

use crate::cm1::{circuit, messages};
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use phasecube::machine::{drive, Delivery, EndReason, MachineCircuit, RunControl, RunStats};
use phasecube::networks::cm1::{BitFlip, Cm1Driver, Cm1Faults};

const MACHINE: Cm1ModelMachine = Cm1ModelMachine {
    dims: 3,
    rows: 3,
    processors: 2,
    eject: Cm1ModelEject::PerProcessor,
    timeout: 40,
};

/// Sends one message from a corner to the opposite one, with these bits inverted.
fn run(flips: Vec<BitFlip>) -> RunStats {
    let circuit = circuit(MACHINE);
    let mut chips = circuit.array().unwrap().evaluator().unwrap();
    let faults = Cm1Faults { flips, ..Cm1Faults::default() };
    // From processor 1 of chip 0 to processor 0 of chip 7.
    let list = messages(&[(1, 14)]);
    let mut driver = Cm1Driver::new(&mut chips, &circuit, &faults, &list, &[]);
    drive(&mut driver, RunControl::to_end(1, None)).unwrap()
}

#[test]
fn without_an_error_nothing_is_flagged() {
    let run = run(vec![]);
    assert_eq!(run.deliveries, [Delivery::Delivered { t: 0 }]);
    assert_eq!(run.figure("parity_errors"), 0);
}

#[test]
fn every_covered_bit_on_every_wire_of_the_route_is_flagged() {
    let length = u64::from(circuit(MACHINE).plan().format.length());
    for (dim, chip) in [(0, 1), (1, 3), (2, 7)] {
        let msgp = 2 * u64::from(dim) + 2;
        for bit in 1..length {
            let flip = BitFlip { bit_time: msgp + bit, chip, dim };
            let run = run(vec![flip]);
            let what = format!("dimension {dim}, bit {bit}");
            assert_eq!(run.end, EndReason::Complete, "{what}");
            assert!(matches!(run.deliveries[..], [Delivery::Lost { .. }]), "{what}");
            assert_eq!(run.figure("parity_errors"), 1, "{what}");
            assert_eq!(run.undetected, 0, "{what}");
        }
    }
}

/// Two errors in one message cancel out. DATA needs checks of its own to detect them.
#[test]
fn two_errors_are_not_flagged() {
    let data = 4 + 3 + 1 + 2;
    let flips = [data, data + 1].map(|bit| BitFlip { bit_time: 2 + bit, chip: 1, dim: 0 });
    let run = run(flips.to_vec());
    assert_eq!(run.figure("parity_errors"), 0);
    assert_eq!(run.undetected, 1);
}
