//! Reference, evaluator, Verilator and the composed machine agree on every output
//! of the 3-cube of programs in every clock cycle of a whole run.

use crate::machine::{cube, firmware, run_on, timing, traffic, Soft, CLOCKS, PATIENT};
use num_bigint::BigUint;
use phasecube::engine::agree::{compare, Trace};
use phasecube::engine::{Engine, EvaluatorEngine, Reference, Verilator, Whole};
use phasecube::lower::lower;
use phasecube::machine::cube::{cube_array, Disturbance, RunEnd};
use phasecube::report::Probe;
use phasecube::rtl::tdma::SoftCube;
use phasecube::toolchain::{Effort, Toolchain};
use phasecube::traffic::{Message, Pattern};

fn trace(engine: &mut dyn Engine, messages: &[Message]) -> (Vec<String>, Trace) {
    let mut probe = Probe::new(engine);
    let mut nodes = Whole::new(&mut probe, 8);
    let (run, _) = run_on::<3>(&mut nodes, timing(3), Disturbance::default(), messages);
    assert_eq!((run.end, run.counters.late), (RunEnd::Complete, 0));
    probe.into_trace()
}

/// The wanted outputs of a trace, in this order.
fn columns(wanted: &[String], names: &[String], trace: &Trace) -> Trace {
    let place = |name: &String| names.iter().position(|n| n == name).unwrap();
    let places: Vec<usize> = wanted.iter().map(place).collect();
    let pick = |cycle: &Vec<BigUint>| places.iter().map(|i| cycle[*i].clone()).collect();
    trace.iter().map(pick).collect()
}

#[test]
fn on_a_whole_run_of_the_3_cube() {
    let messages = traffic(3, Pattern::Complement, 7);
    let program = firmware("route").words;
    let plan = timing(3).plan();
    let circuit = || SoftCube::<3, CLOCKS, 4, 8>::new(plan, PATIENT, &program);
    let design = lower(&circuit()).unwrap();
    let node = lower(&Soft::<3>::new(plan, PATIENT, &program)).unwrap();
    let composed = cube_array(cube(3), &node).unwrap().whole();
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let verilator = Verilator::new(&design, &tools, models.as_ref(), Effort::Quick);
    let mut verilator = verilator.unwrap_or_else(|e| panic!("{e}"));
    let mut evaluator = EvaluatorEngine::new(&design).unwrap();
    let mut composed = EvaluatorEngine::new(&composed).unwrap();
    let mut reference = Reference::new(circuit()).unwrap();

    let (outputs, expected) = trace(&mut evaluator, &messages);
    let others: [(&str, &mut dyn Engine); 3] = [
        ("verilator", &mut verilator),
        ("composed", &mut composed),
        ("reference", &mut reference),
    ];
    for (name, other) in others {
        let (names, found) = trace(other, &messages);
        let found = columns(&outputs, &names, &found);
        assert_eq!(expected.len(), found.len(), "clock cycles on {name}");
        compare(&outputs, ("evaluator", &expected), (name, &found))
            .unwrap_or_else(|e| panic!("{e}"));
    }
}
