//! Reference, evaluator, Verilator and lockstep agree on every output of the 3-cube in
//! every clock cycle of whole runs.

use crate::cm1::drawn_list;
use crate::cm1::{circuit, messages, run_on};
use crate::support::array_runs;
use crate::support::whole_runs::{alive_but, OutputTrace};
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use phasecube::engine::{ByNode, CircuitEngine};
use phasecube::machine::{EndReason, MachineCircuit};
use phasecube::report::OutputProbe;

fn trace(
    engine: &mut dyn CircuitEngine,
    machine: Cm1ModelMachine,
    pairs: &[(u32, u32)],
) -> OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let engine: &mut dyn CircuitEngine = &mut probe;
    let mut chips = ByNode::new(engine, 8);
    let run = run_on(&mut chips, circuit(machine), machine.timeout, &messages(pairs));
    assert_eq!(run.end, EndReason::Complete);
    probe.into_trace()
}

fn agree(machine: Cm1ModelMachine, pairs: &[(u32, u32)]) -> OutputTrace {
    let circuit = circuit(machine);
    array_runs::agree(&circuit.array().unwrap(), |engine| trace(engine, machine, pairs))
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn with_the_papers_rows_and_processors() {
    let machine =
        Cm1ModelMachine { dims: 3, rows: 7, processors: 16, eject: Cm1ModelEject::Or, timeout: 40 };
    let outputs = agree(machine, &drawn_list(3, 16, 0));
    // In a machine without faults nothing is damaged or returned, and nothing has to drain. No bank
    // is selected.
    alive_but(&outputs, &["parity_error", "returned", "drains", "vp", "bank"]);
}

/// In each petit cycle, only messages of one bank of virtual processors are ejected.
#[test]
fn by_banks() {
    let machine = Cm1ModelMachine {
        dims: 3,
        rows: 3,
        processors: 2,
        eject: Cm1ModelEject::Bank { banks: 4 },
        timeout: 40,
    };
    let outputs = agree(machine, &drawn_list(3, 2, 2));
    // The chip has lines for more processors than this machine uses.
    alive_but(
        &outputs,
        &["acknowledge", "deliver", "parity_error", "returned", "drains", "exit", "ejecting"],
    );
}

/// The timeout is minimal, so that the machine drains repeatedly.
#[test]
#[ignore = "thorough: four engines on a whole run"]
fn while_it_drains() {
    let machine = Cm1ModelMachine {
        dims: 3,
        rows: 3,
        processors: 2,
        eject: Cm1ModelEject::PerChip,
        timeout: 0,
    };
    agree(machine, &drawn_list(3, 2, 1));
}
