//! The emitted Verilog under Verilator, with one object for each node, against the engines.
//! Compares a fingerprint of every output of every node in every clock cycle, including its wires
//! and the bus of its core.

use crate::model;
use lockstep::lanes::{Keep, LaneOptions};
use phasecube::engine::{
    InputRecorder, InputRecording, LockstepEngine, NodeEngine, Replay, WordStream,
};
use phasecube::machine::{drive_for, Load, MachineCircuit};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeDriver, CubeFaults};
use phasecube::program::{Firmware, NodeKind};
use phasecube::report::EngineBench;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, MessageList, Recipe, TrafficPattern};
use std::sync::Arc;

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// Signals between a core and its surroundings.
const BUS: [&str; 6] = ["request", "address", "write_data", "write_strobe", "ready", "read_data"];

/// A cube with traffic, for a number of clock cycles.
struct Workload {
    circuit: CubeCircuit,
    messages: Arc<MessageList>,
    clock_cycles: u64,
}

impl Workload {
    /// Records the inputs that the machine's driver sets on this engine.
    fn record(&self, engine: &mut dyn NodeEngine) -> InputRecording {
        let stream = WordStream {
            valid: "out_valid".into(),
            toggles: false,
            data: "out_data".into(),
            last: Some("out_last".into()),
        };
        let mut recorder = InputRecorder::new(engine, stream);
        let (faults, load) = (CubeFaults::default(), Load::at_once(self.messages.clone()));
        let mut driver = CubeDriver::new(&mut recorder, &self.circuit, &faults, &load);
        drive_for(&mut driver, self.clock_cycles).unwrap();
        drop(driver);
        recorder.finish().until(self.clock_cycles)
    }
}

/// Returns a whole run. It lasts until the second model delivers the last message, plus one phase.
fn workload(dims: u64, pattern: TrafficPattern, program: bool) -> (CubeCircuit, Workload) {
    let cube = Hypercube::new(dims).unwrap();
    let recipe = Recipe { pattern, seed: 6, payload: 4, order: ExchangeOrder::Pairs };
    let messages = recipe.messages(cube).unwrap();
    let last = model::run(cube, &messages, model::CubeRule::Turns).last_phase.unwrap();
    let mut circuit = CubeCircuit::new(cube, 4, true).unwrap();
    if program {
        let tools = Toolchain::open().unwrap();
        let firmware = Firmware::open("route", NodeKind::CUBE, &tools, FOLDER.as_ref());
        circuit = circuit.with_program(&firmware.unwrap_or_else(|e| panic!("{e}")));
    }
    let workload = Workload {
        circuit: circuit.clone(),
        messages: Arc::new(messages[..].into()),
        clock_cycles: (last + 2) * u64::from(circuit.timing().clock_cycles()),
    };
    (circuit, workload)
}

/// Returns a whole run as recorded on the lockstep engine.
fn recorded(dims: u64, pattern: TrafficPattern, program: bool) -> (CubeCircuit, Replay) {
    let (circuit, workload) = workload(dims, pattern, program);
    let mut engine = circuit.array().unwrap().lockstep(&LaneOptions::default()).unwrap();
    let replay = Replay {
        recording: workload.record(&mut engine),
        every_clock_cycle: true,
        signals: match program {
            true => BUS.map(|signal| format!("node.core.{signal}")).into(),
            false => vec![],
        },
    };
    (circuit, replay)
}

/// Checks that the nodes of both machines behave alike, and that not all nodes do the same.
pub fn same(wanted: &[u64], other: &[u64]) {
    assert_eq!(wanted.len(), other.len());
    let different: Vec<usize> =
        (0..other.len()).filter(|node| wanted[*node] != other[*node]).collect();
    assert!(different.is_empty(), "nodes that differ: {different:?}");
    assert!(wanted.iter().any(|hash| *hash != wanted[0]));
}

/// Returns the engine, with the nodes' signals kept.
fn lockstep(circuit: &CubeCircuit, replay: &Replay) -> LockstepEngine {
    let options =
        LaneOptions { keep: Keep::Named(replay.signals.clone()), ..LaneOptions::default() };
    circuit.array().unwrap().lockstep(&options).unwrap()
}

fn verilator(circuit: &CubeCircuit, replay: &Replay, threads: usize) -> Vec<u64> {
    let tools = Toolchain::open().unwrap();
    let bench = EngineBench::new(&tools, FOLDER.as_ref(), || circuit.array(), replay).unwrap();
    let hashes = bench.fingerprints(threads);
    hashes.unwrap_or_else(|e| panic!("{e}"))
}

/// Hosts that poll in every clock cycle set the same inputs as hosts that are called.
#[test]
fn the_recording_is_the_same_on_every_engine() {
    let (circuit, workload) = workload(3, TrafficPattern::Relation(2), false);
    let mut lockstep = circuit.array().unwrap().lockstep(&LaneOptions::default()).unwrap();
    let wanted = workload.record(&mut lockstep);
    let mut evaluator = circuit.array().unwrap().evaluator().unwrap();
    assert!(workload.record(&mut evaluator) == wanted);
    assert_eq!(wanted.clock_cycles, workload.clock_cycles);
    // Every node offers its messages byte by byte until all are sent.
    let input = |name: &str| wanted.inputs.iter().position(|i| i == name).unwrap();
    for changes in &wanted.nodes {
        let mut valid = changes.iter().filter(|c| c.input == input("host_valid"));
        assert_eq!(valid.next_back().unwrap().value, 0);
        let data = changes.iter().filter(|c| c.input == input("host_data"));
        assert!(data.count() >= 4);
    }
}

#[test]
#[ignore = "thorough: nodes against Verilator"]
fn the_3_cube_in_the_evaluator() {
    for program in [false, true] {
        let (circuit, replay) = recorded(3, TrafficPattern::Relation(2), program);
        let wanted = verilator(&circuit, &replay, 1);
        let mut nodes = circuit.array().unwrap().evaluator().unwrap();
        let outputs = circuit.array().unwrap().outputs();
        same(&wanted, &replay.run(&mut nodes, &outputs).unwrap());
    }
}

/// Compares the second kind of fingerprint, which covers deliveries and the final state. Engines
/// may then skip clock cycles that no host observes.
#[test]
#[ignore = "thorough: nodes against Verilator"]
fn the_3_cube_compared_by_deliveries_and_final_state() {
    for program in [false, true] {
        let (circuit, mut replay) = recorded(3, TrafficPattern::Relation(2), program);
        replay.every_clock_cycle = false;
        let wanted = verilator(&circuit, &replay, 1);
        let outputs = circuit.array().unwrap().outputs();
        let mut nodes = circuit.array().unwrap().evaluator().unwrap();
        same(&wanted, &replay.run(&mut nodes, &outputs).unwrap());
        let mut lockstep = lockstep(&circuit, &replay);
        same(&wanted, &replay.run(&mut lockstep, &outputs).unwrap());
    }
}

/// 256 nodes that run their program, with every wire busy in every phase.
#[test]
#[ignore = "thorough: 256 nodes against Verilator"]
fn the_8_cube_in_the_lockstep_engine() {
    let (circuit, replay) = recorded(8, TrafficPattern::Complement, true);
    let wanted = verilator(&circuit, &replay, 2);
    let mut lockstep = lockstep(&circuit, &replay);
    let outputs = circuit.array().unwrap().outputs();
    same(&wanted, &replay.run(&mut lockstep, &outputs).unwrap());
}
