//! Runs engines on the same whole run, and compares every output in every clock cycle.

use hdl::lower::{lower, Circuit};
use lockstep::design::Design;
use num_bigint::BigUint;
use phasecube::engine::agree::{check_all_outputs_change, compare, Trace};
use phasecube::engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine, VerilatorEngine};
use phasecube::toolchain::{CompileEffort, Toolchain};

/// Names of the outputs, and their values in each clock cycle.
pub type OutputTrace = (Vec<String>, Trace);

/// Checks that `run` has the same outputs for a block in reference, evaluator and Verilator. `run`
/// runs an engine to its end and returns its outputs.
pub fn agree(
    block: Box<dyn Circuit>,
    run: impl Fn(&mut dyn CircuitEngine) -> OutputTrace,
) -> OutputTrace {
    let design = lower(&*block).unwrap();
    let mut evaluator = EvaluatorEngine::new(&design).unwrap();
    let mut verilator = verilator(&design);
    same(
        &mut ReferenceEngine::boxed(block).unwrap(),
        &mut [("evaluator", &mut evaluator), ("verilator", &mut verilator)],
        run,
    )
}

pub fn verilator(design: &Design) -> VerilatorEngine {
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let verilator = VerilatorEngine::new(design, &tools, models.as_ref(), CompileEffort::Quick);
    verilator.unwrap_or_else(|e| panic!("{e}"))
}

/// Checks that `run` has the same values in these engines on every output of the first.
pub fn same(
    first: &mut dyn CircuitEngine,
    others: &mut [(&str, &mut dyn CircuitEngine)],
    run: impl Fn(&mut dyn CircuitEngine) -> OutputTrace,
) -> OutputTrace {
    let (outputs, expected) = run(first);
    for (name, other) in others {
        let (names, found) = run(*other);
        let found = columns(&outputs, &names, &found);
        assert_eq!(expected.len(), found.len(), "clock cycles on {name}");
        compare(&outputs, (first.name(), &expected), (name, &found))
            .unwrap_or_else(|e| panic!("{e}"));
    }
    (outputs, expected)
}

/// Checks that every output has changed, except those whose names begin with one of these words.
pub fn alive_but((outputs, trace): &OutputTrace, quiet: &[&str]) {
    let names: Vec<String> =
        outputs.iter().filter(|name| !quiet.iter().any(|q| name.starts_with(q))).cloned().collect();
    check_all_outputs_change(&names, &columns(&names, outputs, trace))
        .unwrap_or_else(|e| panic!("{e}"));
}

/// Returns the wanted outputs of a trace, in this order.
fn columns(wanted: &[String], names: &[String], trace: &Trace) -> Trace {
    let place = |name: &String| names.iter().position(|n| n == name).unwrap();
    let places: Vec<usize> = wanted.iter().map(place).collect();
    let pick = |cycle: &Vec<BigUint>| places.iter().map(|i| cycle[*i].clone()).collect();
    trace.iter().map(pick).collect()
}
