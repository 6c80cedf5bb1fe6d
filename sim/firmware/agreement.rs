//! Reference, evaluator, Verilator and the composed machine agree on every output
//! of the 3-cube of programs in every clock cycle of a whole run.

use crate::machine::{cube, firmware, run_on, timing, traffic, Soft, CLOCKS};
use crate::whole_runs::{self, Outputs};
use phasecube::engine::{Engine, EvaluatorEngine, Whole};
use phasecube::lower::lower;
use phasecube::machine::cube::{cube_array, Disturbance};
use phasecube::machine::End;
use phasecube::report::Probe;
use phasecube::rtl::tdma::SoftCube;
use phasecube::traffic::{Message, Pattern};

fn trace(engine: &mut dyn Engine, messages: &[Message]) -> Outputs {
    let mut probe = Probe::new(engine);
    let mut nodes = Whole::new(&mut probe, 8);
    let (run, _) = run_on::<3>(&mut nodes, timing(3), Disturbance::default(), messages);
    assert_eq!((run.end, run.counters.late), (End::Complete, 0));
    probe.into_trace()
}

#[test]
fn on_a_whole_run_of_the_3_cube() {
    let messages = traffic(3, Pattern::Complement, 7);
    let program = firmware("route").words;
    let plan = timing(3).plan();
    let node = lower(&Soft::<3>::new(plan, &program)).unwrap();
    let composed = cube_array(cube(3), &node).unwrap().whole();
    let mut composed = EvaluatorEngine::new(&composed).unwrap();
    whole_runs::agree(
        || SoftCube::<3, CLOCKS, 4, 8>::new(plan, &program),
        &mut composed,
        |engine| trace(engine, &messages),
    );
}
