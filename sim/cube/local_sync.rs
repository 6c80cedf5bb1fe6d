//! A machine without the common `sync`. It works like the other machine until a node slips, and
//! that node is then lost permanently (`tdma-hypercube`, "The Insight", where `sync` is optional).

use crate::cube::{messages, PAYLOAD};
use crate::support::array_runs;
use crate::support::cube_runs;
use lockstep::lanes::LaneOptions;
use phasecube::engine::{ByNode, NodeEngine};
use phasecube::machine::{Delivery, EndReason, MachineCircuit, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeFaults, Slip, SyncSource};
use phasecube::report::OutputProbe;
use phasecube::routing::hypercube;
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;

const SLIPPED: u32 = 5;

fn circuit(dims: u32, sync: SyncSource) -> CubeCircuit {
    let circuit = CubeCircuit::new(Hypercube::of(dims), PAYLOAD, true).unwrap();
    circuit.with_sync(sync)
}

/// Runs up to `limit` superframes on an engine that has such a machine. `slips` lists nodes and
/// phases.
fn run_on(
    engine: &mut dyn NodeEngine,
    circuit: &CubeCircuit,
    slips: &[(u32, u64)],
    messages: &[Message],
    limit: u64,
) -> RunStats {
    let slips = slips.iter().map(|&(node, t)| Slip { node, t });
    let disturbance = CubeFaults { slips: slips.collect(), ..CubeFaults::default() };
    cube_runs::run_for(engine, circuit, &disturbance, messages, limit)
}

fn run(sync: SyncSource, slips: &[(u32, u64)]) -> RunStats {
    let circuit = circuit(3, sync);
    let array = circuit.array().unwrap();
    let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
    run_on(&mut engine, &circuit, slips, &traffic(), u64::MAX)
}

fn traffic() -> Vec<Message> {
    let pairs: Vec<(u32, u32)> =
        (0..8).flat_map(|s| [(s, s ^ 2), (s, !s & 7), (s, (s + 3) % 8)]).collect();
    messages(&pairs)
}

#[test]
fn without_a_slip_local_sync_changes_nothing() {
    let [wire, own] = [SyncSource::Wire, SyncSource::Local].map(|sync| run(sync, &[]));
    assert_eq!(wire.events, own.events);
    assert_eq!(wire.deliveries, own.deliveries);
    assert_eq!(wire.clock_cycles, own.clock_cycles);
}

/// The node slips in the first superframe, before any message has moved. It loses exactly the
/// messages whose route contains it, and never detects the slip.
#[test]
fn a_node_that_slips_never_regains_sync() {
    let run = run(SyncSource::Local, &[(SLIPPED, 0)]);
    for (message, delivery) in traffic().iter().zip(&run.deliveries) {
        let mut route = hypercube::hops(message.source, message.destination);
        let touches = route.any(|(from, _, to)| [from, to].contains(&SLIPPED));
        let delivered = matches!(delivery, Delivery::Delivered { .. });
        assert_eq!(delivered, !touches, "{message:?} {delivery:?}");
    }
    assert_eq!(run.end, EndReason::Complete);
    assert_eq!(run.figure("slips"), 0, "nobody notices");
    assert!(run.figure("clashes") > 0, "two ends hold a wire at once");
    assert_eq!(run.duplicated + run.undetected, 0);
}

/// With the common wire, the same slip is detected and costs only time.
#[test]
fn with_the_sync_wire_a_node_regains_sync() {
    let run = run(SyncSource::Wire, &[(SLIPPED, 7)]);
    assert_eq!(run.figure("slips"), 1);
    let home = |delivery: &Delivery| matches!(delivery, Delivery::Delivered { .. });
    assert!(run.deliveries.iter().all(home));
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn four_engines_agree() {
    let circuit = circuit(2, SyncSource::Local);
    let traffic = messages(&[(0, 3), (3, 0), (1, 2), (2, 2)]);
    array_runs::agree(&circuit.array().unwrap(), |engine| {
        let mut probe = OutputProbe::new(engine);
        run_on(&mut ByNode::new(&mut probe, 4), &circuit, &[(2, 1)], &traffic, 6);
        probe.into_trace()
    });
}
