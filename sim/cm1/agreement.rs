//! Reference, evaluator and Verilator agree on every output of the 3-cube in
//! every clock cycle of whole runs: the machine written as one `rust-hdl` block,
//! and the one that is composed of chips.

use crate::machine::{circuit, messages, run_on};
use crate::model::{lists, Eject, Machine};
use crate::whole_runs::{self, alive_but, Outputs};
use phasecube::engine::{Engine, Whole};
use phasecube::machine::{End, MachineCircuit};
use phasecube::report::Probe;
use phasecube::rtl::cm1::Cm1Cube;

fn trace(engine: &mut dyn Engine, machine: Machine, pairs: &[(u32, u32)]) -> Outputs {
    let mut probe = Probe::new(engine);
    let engine: &mut dyn Engine = &mut probe;
    let mut chips = Whole::new(engine, 8);
    let run = run_on(
        &mut chips,
        circuit(machine),
        machine.timeout,
        &messages(pairs),
    );
    assert_eq!(run.end, End::Complete);
    probe.into_trace()
}

fn agree(machine: Machine, pairs: &[(u32, u32)]) -> Outputs {
    let circuit = circuit(machine);
    let (rows, plan) = (machine.rows, circuit.plan());
    let mut composed = circuit.evaluator().unwrap();
    whole_runs::agree(
        || Cm1Cube::<3>::new(rows, plan),
        &mut *composed,
        |engine| trace(engine, machine, pairs),
    )
}

#[test]
fn with_the_papers_rows_and_processors() {
    let machine = Machine {
        dims: 3,
        rows: 7,
        processors: 16,
        eject: Eject::Or,
        timeout: 40,
    };
    let outputs = agree(machine, &lists::list(3, 16, 0));
    // Nothing is damaged or comes back in a machine that works.
    alive_but(&outputs, &["parity_error", "returned"]);
}

/// The timeout strikes at once: the machine drains again and again.
#[test]
fn while_it_drains() {
    let machine = Machine {
        dims: 3,
        rows: 3,
        processors: 2,
        eject: Eject::PerChip,
        timeout: 0,
    };
    agree(machine, &lists::list(3, 2, 1));
}
