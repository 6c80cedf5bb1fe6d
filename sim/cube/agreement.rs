//! Reference, evaluator, Verilator and lockstep agree on every output of small cubes
//! in every clock cycle of whole runs.

use crate::cube::{cube, messages, run_on, timing, SmallCubeNode};
use crate::support::array_runs;
use crate::support::whole_runs::{alive_but, OutputTrace};
use phasecube::engine::CircuitEngine;
use phasecube::machine::array::{Array, BlockCircuit};
use phasecube::machine::Delivery;
use phasecube::networks::tdma::cube::{cube_array, CubeFaults, Slip};
use phasecube::report::OutputProbe;
use phasecube::traffic::Message;

fn trace<const D: usize>(
    engine: &mut dyn CircuitEngine,
    acked: bool,
    disturbance: &CubeFaults,
    messages: &[Message],
) -> OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let run = run_on::<D>(&mut probe, acked, disturbance.clone(), messages);
    let open = |delivery: &Delivery| *delivery == Delivery::UnderWay;
    assert!(!run.deliveries.iter().any(open));
    probe.into_trace()
}

fn machine<const D: usize>(acked: bool) -> Array {
    let plan = timing(D, acked).plan();
    let node = BlockCircuit::of(move || Box::new(SmallCubeNode::<D>::new(plan)));
    cube_array(cube(D), node.unwrap()).unwrap()
}

fn agree<const D: usize>(
    acked: bool,
    disturbance: CubeFaults,
    messages: &[Message],
) -> OutputTrace {
    array_runs::agree(&machine::<D>(acked), |engine| {
        trace::<D>(engine, acked, &disturbance, messages)
    })
}

fn disturbed() -> CubeFaults {
    CubeFaults {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 2, t: 5 }],
        ..CubeFaults::default()
    }
}

/// Returns messages from each node to its complement, to a neighbour, and to one of the first
/// `favourites` nodes, where they must wait.
fn traffic<const D: usize>(favourites: u32) -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..1 << D)
        .flat_map(|s| [(s, s ^ ((1 << D) - 1)), (s, s % favourites), (s, s ^ 1)])
        .collect();
    messages(&pairs)
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn with_answers() {
    let outputs = agree::<3>(true, CubeFaults::default(), &traffic::<3>(2));
    // In a machine without faults no node is late or slips, and no wire clashes.
    let quiet = ["missed_deadline", "muted", "slips", "clash", "out_reason"];
    alive_but(&outputs, &quiet);
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn without_answers() {
    // On links without answers, a message is overwritten only if all messages need the same buffer.
    agree::<3>(false, CubeFaults::default(), &traffic::<3>(1));
}

#[test]
fn with_noise_and_a_slip() {
    agree::<2>(true, disturbed(), &traffic::<2>(1));
}
