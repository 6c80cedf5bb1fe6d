//! The emitted Verilog under Verilator, an object for each node, against the
//! engines: a fingerprint of every output of every node in every clock cycle, its
//! wires among them, and of its core's bus.

use crate::model;
use lockstep::lanes::{Keep, Options};
use phasecube::engine::{ByNode, LockstepEngine};
use phasecube::machine::cube::{CubeCircuit, Workload};
use phasecube::machine::MachineCircuit;
use phasecube::program::Firmware;
use phasecube::report::Bench;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Pattern, Recipe};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// What a core and its surroundings say to each other.
const BUS: [&str; 6] = [
    "request",
    "address",
    "write_data",
    "write_strobe",
    "ready",
    "read_data",
];

/// A whole run: until the last message has arrived, as the second model says, and a
/// phase more.
fn workload(dims: u64, pattern: Pattern, program: bool) -> (CubeCircuit, Workload) {
    let cube = Hypercube::new(dims).unwrap();
    let recipe = Recipe {
        pattern,
        seed: 6,
        payload: 4,
        order: ExchangeOrder::Pairs,
    };
    let messages = recipe.messages(cube).unwrap();
    let last = model::run(cube, &messages, model::Rule::Turns)
        .last_phase
        .unwrap();
    let mut circuit = CubeCircuit::new(cube, 4, true).unwrap();
    if program {
        let tools = Toolchain::open().unwrap();
        let firmware = Firmware::open("route", &tools, FOLDER.as_ref());
        circuit = circuit.with_program(&firmware.unwrap_or_else(|e| panic!("{e}")));
    }
    let workload = Workload {
        cube,
        timing: circuit.timing(),
        messages: messages[..].into(),
        clock_cycles: (last + 2) * u64::from(circuit.timing().clock_cycles()),
        every_clock_cycle: true,
        signals: match program {
            true => BUS.map(|signal| format!("node.core.{signal}")).into(),
            false => vec![],
        },
    };
    (circuit, workload)
}

/// The nodes of both machines have done the same, and not all of them the same.
fn same(verilator: &[u64], other: &[u64]) {
    let different: Vec<usize> = (0..other.len())
        .filter(|node| verilator[*node] != other[*node])
        .collect();
    assert!(different.is_empty(), "nodes that differ: {different:?}");
    assert!(verilator.iter().any(|hash| *hash != verilator[0]));
}

/// The engine, its nodes' signals kept.
fn lockstep(circuit: &CubeCircuit, workload: &Workload) -> LockstepEngine {
    let options = Options {
        keep: Keep::Named(workload.signals.clone()),
        ..Options::default()
    };
    circuit.lockstep(&options).unwrap()
}

fn verilator(circuit: &CubeCircuit, workload: &Workload, threads: usize) -> Vec<u64> {
    let tools = Toolchain::open().unwrap();
    let bench = Bench {
        tools: &tools,
        work_dir: FOLDER.as_ref(),
    };
    let hashes = bench.fingerprints(circuit, workload, threads);
    hashes.unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_3_cube_in_the_evaluator() {
    for program in [false, true] {
        let (circuit, workload) = workload(3, Pattern::Relation(2), program);
        let wanted = verilator(&circuit, &workload, 1);
        let mut evaluator = circuit.evaluator().unwrap();
        let mut nodes = ByNode::new(&mut *evaluator, 8);
        let outputs = circuit.array().unwrap().outputs();
        same(&wanted, &workload.run(&mut nodes, &outputs).unwrap());
    }
}

/// The other fingerprint, that of what is handed over and of the end, with which
/// engines leave out clock cycles in which nobody looks.
#[test]
fn the_3_cube_when_only_hosts_look() {
    for program in [false, true] {
        let (circuit, mut workload) = workload(3, Pattern::Relation(2), program);
        workload.every_clock_cycle = false;
        let wanted = verilator(&circuit, &workload, 1);
        let outputs = circuit.array().unwrap().outputs();
        let mut evaluator = circuit.evaluator().unwrap();
        let mut nodes = ByNode::new(&mut *evaluator, 8);
        same(&wanted, &workload.run(&mut nodes, &outputs).unwrap());
        let mut lockstep = lockstep(&circuit, &workload);
        same(&wanted, &workload.run(&mut lockstep, &outputs).unwrap());
    }
}

/// 256 nodes that run their program, every wire busy in every phase.
#[test]
fn the_8_cube_in_the_lockstep_engine() {
    let (circuit, workload) = workload(8, Pattern::Complement, true);
    let wanted = verilator(&circuit, &workload, 2);
    let mut lockstep = lockstep(&circuit, &workload);
    let outputs = circuit.array().unwrap().outputs();
    same(&wanted, &workload.run(&mut lockstep, &outputs).unwrap());
}
