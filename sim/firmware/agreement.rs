//! Reference, evaluator, Verilator and lockstep agree on every output of the 2-cube of programs in
//! every clock cycle of a whole run. The reference takes minutes for larger cubes.

use crate::firmware::machine::{cube, firmware, run, timing, traffic, Soft};
use crate::support::array_runs;
use crate::support::whole_runs::Outputs;
use hdl::lower::lower;
use phasecube::engine::{ByNode, Engine};
use phasecube::machine::End;
use phasecube::networks::tdma::cube::{cube_array, cube_blocks, Disturbance};
use phasecube::report::Probe;
use phasecube::routing::tdma::Routing;
use phasecube::traffic::{Message, Pattern};

fn trace(engine: &mut dyn Engine, messages: &[Message]) -> Outputs {
    let mut probe = Probe::new(engine);
    let mut nodes = ByNode::new(&mut probe, 4);
    let none = Disturbance::default();
    let run = run::<2>(&mut nodes, timing(2), Routing::ECube, none, messages);
    assert_eq!((run.end, run.counters.late), (End::Complete, 0));
    probe.into_trace()
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_a_whole_run_of_the_2_cube() {
    let messages = traffic(2, Pattern::Complement, 7);
    let program = firmware("route").words;
    let plan = timing(2).plan();
    let node = lower(&Soft::<2>::new(plan, &program)).unwrap();
    let array = cube_array(cube(2), &node).unwrap();
    let blocks = cube_blocks(cube(2), || Box::new(Soft::<2>::new(plan, &program)));
    array_runs::agree(&array, blocks.unwrap(), |engine| trace(engine, &messages));
}
