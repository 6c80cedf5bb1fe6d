//! Reference, evaluator and Verilator agree on every output of the 3-cube in
//! every clock cycle of whole runs: the machine written as one `rust-hdl` block,
//! and the one that is composed of chips.

use crate::machine::{circuit, messages, run_on};
use crate::model::{lists, Eject, Machine};
use num_bigint::BigUint;
use phasecube::engine::agree::{all_alive, compare, Trace};
use phasecube::engine::{Engine, EvaluatorEngine, Reference, Verilator, Whole};
use phasecube::lower::lower;
use phasecube::machine::cm1::Cm1End;
use phasecube::machine::MachineCircuit;
use phasecube::report::Probe;
use phasecube::rtl::cm1::Cm1Cube;
use phasecube::toolchain::{Effort, Toolchain};

fn trace(engine: &mut dyn Engine, machine: Machine, pairs: &[(u32, u32)]) -> (Vec<String>, Trace) {
    let mut probe = Probe::new(engine);
    let engine: &mut dyn Engine = &mut probe;
    let mut chips = Whole::new(engine, 8);
    let run = run_on(
        &mut chips,
        circuit(machine),
        machine.timeout,
        &messages(pairs),
    );
    assert_eq!(run.end, Cm1End::Complete);
    probe.into_trace()
}

/// The wanted outputs of a trace, in this order.
fn columns(wanted: &[String], names: &[String], trace: &Trace) -> Trace {
    let place = |name: &String| names.iter().position(|n| n == name).unwrap();
    let places: Vec<usize> = wanted.iter().map(place).collect();
    let pick = |cycle: &Vec<BigUint>| places.iter().map(|i| cycle[*i].clone()).collect();
    trace.iter().map(pick).collect()
}

fn agree(machine: Machine, pairs: &[(u32, u32)]) -> (Vec<String>, Trace) {
    let circuit = circuit(machine);
    let (rows, plan) = (machine.rows, circuit.plan());
    let block = || Cm1Cube::<3>::new(rows, plan);
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let design = lower(&block()).unwrap();
    let verilator = Verilator::new(&design, &tools, models.as_ref(), Effort::Quick);
    let mut verilator = verilator.unwrap_or_else(|e| panic!("{e}"));
    let mut evaluator = EvaluatorEngine::new(&design).unwrap();
    let mut composed = circuit.evaluator().unwrap();
    let mut reference = Reference::new(block()).unwrap();

    let (outputs, expected) = trace(&mut reference, machine, pairs);
    let others: [(&str, &mut dyn Engine); 3] = [
        ("evaluator", &mut evaluator),
        ("verilator", &mut verilator),
        ("composed", &mut *composed),
    ];
    for (name, other) in others {
        let (names, found) = trace(other, machine, pairs);
        let found = columns(&outputs, &names, &found);
        assert_eq!(expected.len(), found.len(), "clock cycles on {name}");
        compare(&outputs, ("reference", &expected), (name, &found))
            .unwrap_or_else(|e| panic!("{e}"));
    }
    (outputs, expected)
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
    let (outputs, trace) = agree(machine, &lists::list(3, 16, 0));
    // Nothing is damaged or comes back in a machine that works.
    let quiet = ["parity_error", "returned"];
    let alive: Vec<usize> = (0..outputs.len())
        .filter(|i| !quiet.iter().any(|q| outputs[*i].starts_with(q)))
        .collect();
    let names: Vec<String> = alive.iter().map(|i| outputs[*i].clone()).collect();
    let values = |cycle: &Vec<BigUint>| alive.iter().map(|i| cycle[*i].clone()).collect();
    let trace: Trace = trace.iter().map(values).collect();
    all_alive(&names, &trace).unwrap_or_else(|e| panic!("{e}"));
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
