//! Cubes of 13 to 16 dimensions, with the nodes of the command line. The results match the second
//! models. The 16-cube is the smallest one whose buffer numbers have five bits.

use crate::cube::{cube, pattern, PAYLOAD};
use crate::firmware::{firmware, pool_route};
use crate::model::{self, CubeRule};
use crate::model_adaptive::{self, AdaptiveChoice, AdaptiveRule};
use crate::support::cube_runs::{deliveries_as_modelled, limit, load, run_load};
use crate::support::programs::{check, CASES};
use lockstep::lanes::LaneOptions;
use phasecube::machine::{Delivery, EndReason, Load, MachineCircuit, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeFaults};
use phasecube::rtl::tdma::pool_slots;
use phasecube::traffic::Message;

/// Superframes after which a run of the adaptive model fails.
const ADAPTIVE_LIMIT: u64 = 4_000;

fn circuit(dims: usize) -> CubeCircuit {
    CubeCircuit::new(cube(dims), PAYLOAD, true).unwrap()
}

/// Runs messages to the end in the lockstep engine, without a log.
fn run(circuit: &CubeCircuit, messages: &[Message]) -> RunStats {
    let mut engine = circuit.array().unwrap().lockstep(&LaneOptions::default()).unwrap();
    let load = Load { keep_events: false, ..load(messages) };
    let control = limit(circuit, u64::MAX);
    let run = run_load(&mut engine, circuit, &CubeFaults::default(), &load, control);
    assert_eq!(run.end, EndReason::Complete);
    assert_eq!(run.figure("late"), 0);
    run
}

/// Compares e-cube routing with the model. Returns the superframes.
fn routes_by_e_cube(circuit: &CubeCircuit, messages: &[Message], which: &str) -> u64 {
    let found = run(circuit, messages);
    let dims = circuit.shape().bits() as usize;
    let wanted = model::run_observed(cube(dims), messages, CubeRule::Turns, |_| {});
    deliveries_as_modelled(&found, &wanted, messages, which);
    assert_eq!((found.hops, found.figure("refused")), (wanted.hops, wanted.naks));
    wanted.superframes
}

/// Compares adaptive routing with the model. Returns the superframes.
fn routes_adaptively(circuit: &CubeCircuit, messages: &[Message], which: &str) -> u64 {
    let found = run(circuit, messages);
    let dims = circuit.shape().bits() as usize;
    let rule = AdaptiveRule { slots: pool_slots(dims), choice: AdaptiveChoice::Nearest };
    let wanted = model_adaptive::run_observed(cube(dims), messages, rule, ADAPTIVE_LIMIT, |_| {});
    for (i, (delivery, wanted)) in found.deliveries.iter().zip(&wanted.delivered).enumerate() {
        let reported = match delivery {
            Delivery::ToSelf => None,
            Delivery::Delivered { t } => Some(u64::from(*t)),
            other => panic!("{which}: message {i} is {other:?}"),
        };
        assert_eq!(reported, *wanted, "{which}: message {i}");
    }
    assert_eq!(found.hops, wanted.hops, "{which}");
    wanted.superframes
}

/// Returns messages between the corners of a cube and their neighbours. Those to node 0 pass the
/// injection buffer of the last node, which has the highest number of a buffer.
fn corners(dims: usize) -> Vec<Message> {
    let last = (1 << dims) - 1;
    let near_last = last ^ 1 << (dims - 1);
    let pairs = [
        (0, last),
        (last, 0),
        (last, 1),
        (last, near_last),
        (near_last, 0),
        (1, last),
        (near_last, last),
    ];
    crate::cube::messages(&pairs)
}

#[test]
fn few_messages_of_13_dimensions_match_the_model() {
    routes_by_e_cube(&circuit(13), &corners(13), "13 dimensions");
}

#[test]
#[ignore = "thorough: 8,192 nodes"]
fn a_permutation_of_13_dimensions_matches_the_models() {
    let list = pattern("permutation", 1, 13);
    routes_by_e_cube(&circuit(13), &list, "e-cube");
    let adaptive = circuit(13).adaptive();
    assert_eq!(routes_adaptively(&adaptive, &list, "adaptive"), 3);
}

#[test]
#[ignore = "thorough: 65,536 nodes"]
fn few_messages_of_14_to_16_dimensions_match_the_models() {
    for dims in 14..=16 {
        let which = format!("{dims} dimensions");
        routes_by_e_cube(&circuit(dims), &corners(dims), &which);
        routes_adaptively(&circuit(dims).adaptive(), &corners(dims), &which);
    }
}

#[test]
#[ignore = "thorough: 65,536 nodes"]
fn patterns_of_16_dimensions_match_the_models() {
    let adaptive = circuit(16).adaptive();
    let bitrev = pattern("bitrev", 1, 16);
    assert_eq!(routes_adaptively(&adaptive, &bitrev, "bitrev"), 6);
    let complement = pattern("complement", 1, 16);
    assert_eq!(routes_by_e_cube(&circuit(16), &complement, "complement"), 1);
}

/// The program `route` decides like the forwarder, with and without a pool.
#[test]
#[ignore = "thorough: soft nodes of up to 65,536 nodes"]
fn programs_route_in_large_cubes_like_the_models() {
    let soft = circuit(13).with_program(&firmware("route"));
    routes_by_e_cube(&soft, &pattern("permutation", 2, 13), "13 dimensions");
    let soft = circuit(16).with_program(&firmware("route"));
    routes_by_e_cube(&soft, &corners(16), "16 dimensions");
    let pool = circuit(16).adaptive().with_program(&pool_route());
    let found = run(&pool, &corners(16));
    assert!(found.deliveries.iter().all(|delivery| matches!(delivery, Delivery::Delivered { .. })));
}

/// Each program adds the words of all nodes. `functional::a_sum_over_large_cubes_runs_alike` has the
/// 16-cube.
#[test]
#[ignore = "thorough: soft nodes of 8,192 nodes"]
fn programs_compute_in_a_13_cube() {
    for name in ["parallel_sum", "prefix_sum"] {
        let case = CASES.iter().find(|case| case.name == name).unwrap();
        assert_eq!(check(case, &firmware(name), 13, 1), 1, "{name}");
    }
}
