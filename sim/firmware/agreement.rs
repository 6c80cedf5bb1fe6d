//! Reference, evaluator and Verilator agree on every output of the 3-cube of
//! programs in every clock cycle of a whole run.

use crate::machine::{firmware, run_on, soft, timing, traffic, PATIENT};
use phasecube::engine::agree::{compare, Trace};
use phasecube::engine::{Engine, EvaluatorEngine, Reference, Verilator};
use phasecube::lower::lower;
use phasecube::machine::cube::{Disturbance, RunEnd};
use phasecube::report::Probe;
use phasecube::toolchain::{Effort, Toolchain};
use phasecube::traffic::{Message, Pattern};

fn trace(engine: &mut dyn Engine, messages: &[Message]) -> (Vec<String>, Trace) {
    let mut probe = Probe::new(engine);
    let (run, _) = run_on::<3>(&mut probe, timing(3), Disturbance::default(), messages);
    assert_eq!((run.end, run.counters.late), (RunEnd::Complete, 0));
    probe.into_trace()
}

#[test]
fn on_a_whole_run_of_the_3_cube() {
    let messages = traffic(3, Pattern::Complement, 7);
    let circuit = || soft::<3>(&firmware("route"), timing(3), PATIENT);
    let design = lower(&circuit()).unwrap();
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let verilator = Verilator::new(&design, &tools, models.as_ref(), Effort::Quick);
    let mut verilator = verilator.unwrap_or_else(|e| panic!("{e}"));
    let mut evaluator = EvaluatorEngine::new(&design).unwrap();
    let mut reference = Reference::new(circuit()).unwrap();

    let (outputs, expected) = trace(&mut evaluator, &messages);
    let others: [&mut dyn Engine; 2] = [&mut verilator, &mut reference];
    for other in others {
        let name = other.name();
        let (_, found) = trace(other, &messages);
        assert_eq!(expected.len(), found.len(), "clock cycles on {name}");
        compare(&outputs, ("evaluator", &expected), (name, &found))
            .unwrap_or_else(|e| panic!("{e}"));
    }
}
