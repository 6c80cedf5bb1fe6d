//! Every design published as a directory has a test bench that passes when run by a user and
//! detects faults.

use crate::kit::{icarus_or_verilator, make, process_output, verilator, Simulator, TOOLS};
use hdl::verilog::publish;
use phasecube::engine::agree::trace_with;
use phasecube::engine::{ports, EvaluatorEngine};
use phasecube::kit::{clock_cycles, default_stimulus, kit, pin_mux, publication};
use phasecube::machine::catalog::{CatalogEntry, CatalogGroup};
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Writes the files of a design.
fn directory(name: &str, dims: u32) -> TempDir {
    let design = CatalogEntry::named(name).unwrap().design(dims).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (file, text) in kit(&publish(&design, &publication())).unwrap() {
        fs::write(dir.path().join(file), text).unwrap();
    }
    dir
}

fn run(dir: &Path, simulator: &Simulator) -> Output {
    let arguments = [&[simulator.name], &simulator.arguments[..]].concat();
    make(dir, &simulator.tools, &arguments)
}

fn passes(name: &str, dims: u32, simulator: &Simulator) {
    bench_passes(name, directory(name, dims).path(), simulator);
}

/// Runs the bench in a directory that `verilog --out` wrote.
pub fn bench_passes(name: &str, dir: &Path, simulator: &Simulator) {
    let done = run(dir, simulator);
    let printed = process_output(&done);
    assert!(done.status.success(), "{name}: {printed}");
    assert!(printed.contains("PASSED: "), "{name}: {printed}");
}

/// Further sizes, at which ports or parts of a design differ from those of its default size.
const SIZES: [(&str, u32); 4] =
    [("phase-sequencer", 12), ("metacube-node", 6), ("torus-node", 3), ("rotation-switch", 9)];

/// Returns every design whose test bench is generated, in its default size, and the further sizes.
fn designs() -> impl Iterator<Item = (&'static str, u32)> {
    let generated =
        CatalogEntry::of(CatalogGroup::Design).filter(|entry| entry.name != pin_mux::DESIGN);
    let designs = generated.map(|entry| (entry.name, entry.default_dims));
    designs.chain(SIZES)
}

#[test]
#[ignore = "thorough: simulates with Icarus"]
fn under_icarus() {
    let simulator = icarus_or_verilator();
    for (name, dims) in designs() {
        passes(name, dims, &simulator);
    }
}

/// Designs in which the stimulus of the bench changes half of the outputs or fewer: they wait for a
/// program, a schedule, a valid frame, or a long phase.
const QUIET: [&str; 5] = ["phase-clock", "frame-engine", "compiled-node", "soft-node", "cube"];

/// The stimulus of a bench changes more than half of the outputs. Agreement on constants proves
/// little.
#[test]
#[ignore = "thorough: runs every design in the evaluator"]
fn the_outputs_of_every_design_change() {
    for (name, dims) in designs() {
        let design = CatalogEntry::named(name).unwrap().design(dims).unwrap();
        let circuit = publish(&design, &publication()).circuit;
        let ports = ports(&circuit);
        let mut engine = EvaluatorEngine::new(&circuit).unwrap();
        let stimulus = default_stimulus(&circuit, &ports);
        let trace = trace_with(&mut engine, stimulus, clock_cycles(&circuit)).unwrap();
        let outputs = trace[0].len();
        let changes = |i: &usize| trace.iter().any(|values| values[*i] != trace[0][*i]);
        let moving = (0..outputs).filter(changes).count();
        let most = 2 * moving > outputs;
        assert!(moving > 0 && most != QUIET.contains(&name), "{name}: {moving} of {outputs}");
    }
}

/// One design with logic only, and one with a memory.
#[test]
#[ignore = "thorough: compiles with Verilator"]
fn under_verilator() {
    for (name, dims) in [("phase-sequencer", 4), ("node", 2)] {
        passes(name, dims, &verilator());
    }
}

/// Injects one fault into each of several designs.
#[test]
fn a_bench_finds_a_fault() {
    for (name, dims, file, is, becomes) in [
        ("half-duplex-uart", 1, "half_duplex_uart", "shift_value >> 1", "shift_value >> 2"),
        ("phase-sequencer", 4, "phase_sequencer", "phase_value + 5'd1", "phase_value + 5'd2"),
        // The fault affects the last bit of a frame.
        ("node", 2, "crc16", "16'h1021", "16'h1023"),
    ] {
        let dir = directory(name, dims);
        let path = dir.path().join(format!("phasecube_{file}.v"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(is), "{name}: {text}");
        fs::write(&path, text.replacen(is, becomes, 1)).unwrap();
        let done = run(dir.path(), &icarus_or_verilator());
        let printed = process_output(&done);
        assert!(!done.status.success(), "{name}: {printed}");
        assert!(printed.contains("FAILED: in "), "{name}: {printed}");
    }
}

#[test]
fn verilator_finds_nothing() {
    let dir = concat!(env!("CARGO_TARGET_TMPDIR"), "/kit-lint");
    for dims in [1, 2, 4, 16] {
        let kit = pin_mux::files(dims);
        let rtl = kit.iter().find(|file| file.name == pin_mux::RTL).unwrap();
        for top in [
            "tdma_pin_mux",
            "tdma_clocked_pins",
            "tdma_clocked_wires",
            "tdma_selected_pins",
            "tdma_selected_wires",
        ] {
            // The file holds all modules, so only one can have its name.
            let found = TOOLS.lint(&rtl.text, top, &["DECLFILENAME"], dir.as_ref());
            found.unwrap_or_else(|e| panic!("{top} for {dims}: {e}"));
        }
    }
}
