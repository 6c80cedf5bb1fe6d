//! A machine without the common `sync`. It works like the other machine until a node slips, and
//! that node is then lost permanently (`tdma-hypercube`, "The Insight", where `sync` is optional).

use crate::cube::machine::{messages, PAYLOAD};
use crate::support::array_runs;
use lockstep::lanes::Options;
use phasecube::engine::{ByNode, NodeEngine};
use phasecube::machine::{End, Fate, MachineCircuit};
use phasecube::networks::tdma::cube::{
    CubeCircuit, CubeMachine, CubeRun, Disturbance, Slip, SyncSource,
};
use phasecube::report::Probe;
use phasecube::routing::ecube;
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
) -> CubeRun {
    let slips = slips.iter().map(|&(node, t)| Slip { node, t });
    let disturbance = Disturbance {
        slips: slips.collect(),
        ..Disturbance::default()
    };
    let mut machine = CubeMachine::new(engine, circuit.shape(), circuit.timing(), disturbance);
    machine.limit = limit;
    machine.run(messages).unwrap()
}

fn run(sync: SyncSource, slips: &[(u32, u64)]) -> CubeRun {
    let circuit = circuit(3, sync);
    let array = circuit.array().unwrap();
    let mut engine = array.lockstep(&Options::default()).unwrap();
    run_on(&mut engine, &circuit, slips, &traffic(), u64::MAX)
}

fn traffic() -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..8)
        .flat_map(|s| [(s, s ^ 2), (s, !s & 7), (s, (s + 3) % 8)])
        .collect();
    messages(&pairs)
}

#[test]
fn without_a_slip_nothing_is_different() {
    let [wire, own] = [SyncSource::Wire, SyncSource::Own].map(|sync| run(sync, &[]));
    assert_eq!(wire.events, own.events);
    assert_eq!(wire.fates, own.fates);
    assert_eq!(wire.clock_cycles, own.clock_cycles);
}

/// The node slips in the first superframe, before any message has moved. It loses exactly the
/// messages whose route contains it, and never detects the slip.
#[test]
fn a_node_that_slips_is_out_of_step_for_good() {
    let run = run(SyncSource::Own, &[(SLIPPED, 0)]);
    for (message, fate) in traffic().iter().zip(&run.fates) {
        let mut way = ecube::hops(message.source, message.destination);
        let touches = way.any(|(from, _, to)| [from, to].contains(&SLIPPED));
        let delivered = matches!(fate, Fate::Delivered { .. });
        assert_eq!(delivered, !touches, "{message:?} {fate:?}");
    }
    assert_eq!(run.end, End::Complete);
    assert_eq!(run.slips, 0, "nobody notices");
    assert!(run.clashes > 0, "two ends hold a wire at once");
    assert_eq!(run.counters.duplicated + run.counters.undetected, 0);
}

/// With the common wire, the same slip is detected and costs only time.
#[test]
fn with_the_wire_it_comes_back() {
    let run = run(SyncSource::Wire, &[(SLIPPED, 7)]);
    assert_eq!(run.slips, 1);
    let home = |fate: &Fate| matches!(fate, Fate::Delivered { .. });
    assert!(run.fates.iter().all(home));
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn four_engines_agree() {
    let circuit = circuit(2, SyncSource::Own);
    let blocks = circuit.blocks().unwrap();
    let traffic = messages(&[(0, 3), (3, 0), (1, 2), (2, 2)]);
    array_runs::agree(&circuit.array().unwrap(), blocks, |engine| {
        let mut probe = Probe::new(engine);
        run_on(
            &mut ByNode::new(&mut probe, 4),
            &circuit,
            &[(2, 1)],
            &traffic,
            6,
        );
        probe.into_trace()
    });
}
