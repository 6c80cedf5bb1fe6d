//! Payloads of every length, up to the longest that a frame carries.

use crate::cube::{cube, evaluator, PAYLOAD};
use crate::support::cube_runs;
use hdl::lower::lower;
use phasecube::engine::{ByNode, EvaluatorEngine};
use phasecube::machine::Delivery;
use phasecube::networks::tdma::cube::{cube_array, CubeFaults};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::rtl::tdma::CubeNode;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, SplitMix64, PAYLOAD_MAX};

#[test]
fn messages_of_0_to_78_bytes_arrive_unchanged() {
    let timing = PhaseTiming::forwarder(4, PAYLOAD_MAX + 2, Hypercube::of(2), true);
    let node = lower(&CubeNode::<2, 4, 7, 11>::new(timing.plan())).unwrap();
    let array = cube_array(cube(2), &node).unwrap();
    let mut engine = EvaluatorEngine::new(&array.whole()).unwrap();
    let mut random = SplitMix64::new(3);
    let messages: Vec<Message> = (0..=PAYLOAD_MAX)
        .map(|length| Message {
            source: random.below(4) as u32,
            destination: random.below(4) as u32,
            payload: (0..length).map(|_| random.below(256) as u8).collect(),
        })
        .collect();
    let mut nodes = ByNode::new(&mut engine, 4);
    let circuit = cube_runs::circuit(cube(2), timing);
    // The driver compares delivered bytes with sent bytes.
    let run = cube_runs::run(&mut nodes, &circuit, &CubeFaults::default(), &messages);
    let arrived = |f: &Delivery| matches!(f, Delivery::Delivered { .. } | Delivery::ToSelf);
    assert!(run.deliveries.iter().all(arrived));
    assert_eq!((run.undetected, run.figure("late")), (0, 0));
}

/// With a service window that is too short, nodes are late and report it, and no message is lost.
#[test]
fn a_node_that_misses_its_deadline_loses_nothing() {
    let mut timing = crate::cube::timing(3, true);
    timing.service = 3;
    let mut engine = evaluator::<3>(timing);
    let mut messages = crate::cube::messages(&[(0, 7), (1, 6), (7, 0), (5, 2), (2, 5)]);
    // With shorter messages than the maximum, the forwarder would be ready in time.
    for message in &mut messages {
        message.payload.resize(PAYLOAD, 0x5A);
    }
    let mut nodes = ByNode::new(&mut engine, 8);
    let circuit = cube_runs::circuit(cube(3), timing);
    let run = cube_runs::run_for(&mut nodes, &circuit, &CubeFaults::default(), &messages, 60);
    assert!(run.figure("late") > 0);
    let lost = |f: &Delivery| !matches!(f, Delivery::Delivered { .. } | Delivery::UnderWay);
    assert!(!run.deliveries.iter().any(lost));
    assert_eq!(run.undetected + run.duplicated, 0);
}
