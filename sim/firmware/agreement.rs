//! Reference, evaluator, Verilator and lockstep agree on every output of the 2-cube of programs in
//! every clock cycle of a whole run. The reference takes minutes for larger cubes.

use crate::firmware::machine::{cube, firmware, run, timing, traffic, SmallSoftNode};
use crate::support::array_runs;
use crate::support::whole_runs::OutputTrace;
use phasecube::engine::{ByNode, CircuitEngine};
use phasecube::machine::array::BlockCircuit;
use phasecube::machine::EndReason;
use phasecube::networks::tdma::cube::{cube_array, CubeFaults};
use phasecube::report::OutputProbe;
use phasecube::routing::tdma::Routing;
use phasecube::traffic::{Message, TrafficPattern};

fn trace(engine: &mut dyn CircuitEngine, messages: &[Message]) -> OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let mut nodes = ByNode::new(&mut probe, 4);
    let none = CubeFaults::default();
    let run = run::<2>(&mut nodes, timing(2), Routing::ECube, none, messages);
    assert_eq!((run.end, run.figure("late")), (EndReason::Complete, 0));
    probe.into_trace()
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_a_whole_run_of_the_2_cube() {
    let messages = traffic(2, TrafficPattern::Complement, 7);
    let program = firmware("route").words;
    let plan = timing(2).plan();
    let node = BlockCircuit::of(move || Box::new(SmallSoftNode::<2>::new(plan, &program)));
    let array = cube_array(cube(2), node.unwrap()).unwrap();
    array_runs::agree(&array, |engine| trace(engine, &messages));
}
