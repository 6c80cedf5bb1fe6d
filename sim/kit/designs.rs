//! Every design published as a directory has a test bench that passes when run by a user and
//! detects faults.

use crate::kit::{icarus_or_verilator, make, process_output, verilator, Simulator};
use hdl::verilog::publish;
use phasecube::kit::{catalog, kit, publication};
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Writes the files of a design.
fn directory(name: &str, dims: u32) -> TempDir {
    let entry = catalog().iter().find(|entry| entry.name == name).unwrap();
    let design = entry.design(dims).unwrap();
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
    let done = run(directory(name, dims).path(), simulator);
    let said = process_output(&done);
    assert!(done.status.success(), "{name}: {said}");
    assert!(said.contains("PASSED: "), "{name}: {said}");
}

#[test]
#[ignore = "thorough: simulates with Icarus"]
fn under_icarus() {
    let simulator = icarus_or_verilator();
    for (name, dims) in [
        ("phase-clock", 4),
        ("phase-sequencer", 12),
        ("uart", 1),
        ("half-duplex-uart", 1),
        ("frame-engine", 4),
        ("node", 3),
        ("metacube-node", 6),
        ("compiled-node", 4),
        ("soft-core", 1),
        ("soft-node", 3),
        ("cube", 2),
        ("cm1-router", 3),
        ("cm1-cube", 1),
        ("torus-node", 2),
        ("rotation-switch", 3),
        ("byte-channel", 1),
        ("host-port", 1),
        ("link", 1),
    ] {
        passes(name, dims, &simulator);
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
        (
            "half-duplex-uart",
            1,
            "half_duplex_uart",
            "shift_2 >> 1",
            "shift_2 >> 2",
        ),
        (
            "phase-sequencer",
            4,
            "phase_sequencer",
            "phase_2 + 5'd1",
            "phase_2 + 5'd2",
        ),
        // The fault affects the last bit of a frame.
        ("node", 2, "crc16", "16'h1021", "16'h1023"),
    ] {
        let dir = directory(name, dims);
        let path = dir.path().join(format!("phasecube_{file}.v"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(is), "{name}: {text}");
        fs::write(&path, text.replacen(is, becomes, 1)).unwrap();
        let done = run(dir.path(), &icarus_or_verilator());
        let said = process_output(&done);
        assert!(!done.status.success(), "{name}: {said}");
        assert!(said.contains("FAILED: in "), "{name}: {said}");
    }
}
