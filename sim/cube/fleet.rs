//! The emitted Verilog under Verilator, an object for each node, against the
//! engines: a fingerprint of every output of every node in every clock cycle.

use phasecube::engine::Whole;
use phasecube::machine::cube::{CubeCircuit, Workload};
use phasecube::machine::MachineCircuit;
use phasecube::program::Firmware;
use phasecube::report::Bench;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Pattern, Recipe};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

fn workload(dims: u64, phases: u64, program: bool) -> (CubeCircuit, Workload) {
    let cube = Hypercube::new(dims).unwrap();
    let recipe = Recipe {
        pattern: Pattern::Relation(2),
        seed: 3,
        payload: 4,
        order: ExchangeOrder::Pairs,
    };
    let mut circuit = CubeCircuit::new(cube, 4, true, 256).unwrap();
    if program {
        let tools = Toolchain::open().unwrap();
        let firmware = Firmware::open("route", &tools, FOLDER.as_ref());
        circuit = circuit.with_program(&firmware.unwrap_or_else(|e| panic!("{e}")));
    }
    let workload = Workload {
        cube,
        timing: circuit.timing(),
        messages: recipe.list(cube).unwrap(),
        clock_cycles: phases * u64::from(circuit.timing().clock_cycles()),
        every_clock_cycle: true,
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
        let (circuit, workload) = workload(3, 9, program);
        let wanted = verilator(&circuit, &workload, 1);
        let mut evaluator = circuit.evaluator().unwrap();
        let mut nodes = Whole::new(&mut *evaluator, 8);
        let outputs = circuit.array().unwrap().outputs();
        same(&wanted, &workload.run(&mut nodes, &outputs).unwrap());
    }
}

/// The other fingerprint, that of what is handed over and of the end, with which
/// engines leave out clock cycles in which nobody looks.
#[test]
fn the_3_cube_when_only_hosts_look() {
    for program in [false, true] {
        let (circuit, mut workload) = workload(3, 9, program);
        workload.every_clock_cycle = false;
        let wanted = verilator(&circuit, &workload, 1);
        let outputs = circuit.array().unwrap().outputs();
        let mut evaluator = circuit.evaluator().unwrap();
        let mut nodes = Whole::new(&mut *evaluator, 8);
        same(&wanted, &workload.run(&mut nodes, &outputs).unwrap());
        let mut lockstep = circuit.lockstep(&Default::default()).unwrap();
        same(&wanted, &workload.run(&mut lockstep, &outputs).unwrap());
    }
}

/// 256 nodes that run their program, over a superframe and more of traffic.
#[test]
fn the_8_cube_in_the_lockstep_engine() {
    let (circuit, workload) = workload(8, 17, true);
    let wanted = verilator(&circuit, &workload, 2);
    let mut lockstep = circuit.lockstep(&Default::default()).unwrap();
    let outputs = circuit.array().unwrap().outputs();
    same(&wanted, &workload.run(&mut lockstep, &outputs).unwrap());
}
