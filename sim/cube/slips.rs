//! Nodes that miss the start of a phase, on perfect wires. Every message is delivered once, for
//! every phase length, node and phase.

use crate::cube::cube;
use crate::cube::delivery_counter::DeliveryCounter;
use crate::support::cube_runs;
use hdl::lower::lower;
use lockstep::lanes::LaneOptions;
use phasecube::engine::ObservedEngine;
use phasecube::machine::EndReason;
use phasecube::networks::tdma::cube::{cube_array, CubeFaults, Slip};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::rtl::tdma::CubeNode;
use phasecube::rtl::CLOCKS_PER_BIT;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, PAYLOAD_MAX};

/// Superframes between slips. A node loses sync until the next sync but one, and frames that it
/// missed are repeated in the superframe after that.
const APART: u64 = 3;

/// Every node misses every phase of a superframe. Before each slip, all nodes get a message for the
/// opposite node.
fn sweep<const D: usize>(payload: usize) {
    let cube = cube(D);
    let phases = 2 * D as u64;
    let nodes = u64::from(cube.nodes());
    let mut slips = vec![];
    let mut messages = vec![];
    let mut releases = vec![];
    // Before the first superframe no node is synchronised.
    for round in 1..=nodes * phases {
        let begin = round * APART * phases;
        slips.push(Slip { node: (round % nodes) as u32, t: begin + (round - 1) / nodes });
        for source in cube.addresses() {
            let number = round << 8 | u64::from(source);
            messages.push(Message {
                source,
                destination: !source & (cube.nodes() - 1),
                payload: number.to_le_bytes().into_iter().cycle().take(payload).collect(),
            });
            releases.push(begin);
        }
    }

    let timing =
        PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, payload + 2, Hypercube::of(D as u32), true);
    let node = CubeNode::<D, CLOCKS_PER_BIT, 7, 11>::new(timing.plan());
    let array = cube_array(cube, &lower(&node).unwrap()).unwrap();
    let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
    let mut counter = DeliveryCounter::new(&mut engine);
    let mut observed = ObservedEngine::new(&mut engine, vec![&mut counter]);
    let disturbance = CubeFaults { slips: slips.clone(), ..CubeFaults::default() };
    let circuit = cube_runs::circuit(cube, timing);
    let load = cube_runs::load_from(&messages, &releases, timing);
    let control = cube_runs::limit(&circuit, u64::MAX);
    let run = cube_runs::run_load(&mut observed, &circuit, &disturbance, &load, control);
    let which = format!("{D} dimensions, {payload} bytes");
    assert_eq!(run.end, EndReason::Complete, "{which}");
    assert_eq!(run.figure("slips"), slips.len() as u64, "{which}");
    assert!(
        counter.delivered == DeliveryCounter::delivered_once(&messages),
        "{which}: messages were lost or doubled"
    );
    assert_eq!(counter.dropped, 0, "{which}");
    assert_eq!(run.duplicated + run.undetected, 0, "{which}");
    let timeouts = run.figure("silences");
    assert!(timeouts > 0, "{which}: the slips were felt");
}

#[test]
fn on_the_1_cube() {
    (0..=PAYLOAD_MAX).for_each(sweep::<1>);
}

/// Tests a fifth of the lengths, to save time. The 1-cube tests all of them, and `prove link-node`
/// proves that a phase may have any length.
#[test]
#[ignore = "thorough: exhaustive"]
fn on_the_2_cube() {
    (0..=PAYLOAD_MAX).step_by(5).for_each(sweep::<2>);
}

/// Tests a fourteenth of the lengths.
#[test]
#[ignore = "thorough: exhaustive"]
fn on_the_3_cube() {
    (0..=PAYLOAD_MAX).step_by(14).for_each(sweep::<3>);
}
