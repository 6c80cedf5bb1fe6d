//! The kit's own test benches pass when run as its users run them.

use crate::kit::{icarus_or_verilator, kit, make, process_output, verilator, Simulator};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

fn passes(output: &Output, benches: usize) {
    let printed = process_output(output);
    assert!(output.status.success(), "{printed}");
    let passed = printed.lines().filter(|line| line.starts_with("PASSED"));
    assert_eq!(passed.count(), benches, "{printed}");
}

fn run(simulator: &Simulator, dims: u32, arguments: &[&str]) -> Output {
    let dir = kit(dims, str::to_owned);
    let arguments = [&[simulator.name], &simulator.arguments[..], arguments].concat();
    make(dir.path(), &simulator.tools, &arguments)
}

/// Runs all styles with fewer frames than by default, because Verilator runs all of them.
#[test]
#[ignore = "thorough: simulates with Icarus"]
fn under_icarus() {
    passes(&run(&icarus_or_verilator(), 4, &["FRAMES=1000"]), 5);
}

#[test]
#[ignore = "thorough: simulates with Icarus"]
fn under_icarus_for_one_and_sixteen_dimensions() {
    for (dims, step) in [(1, "STEP=3"), (16, "STEP=17")] {
        let arguments = ["FRAMES=300", step, "STYLES=selected-pins clocked-wires"];
        passes(&run(&icarus_or_verilator(), dims, &arguments), 3);
    }
}

/// 10,000 frames at each baud rate.
#[test]
#[ignore = "thorough: compiles with Verilator"]
fn under_verilator() {
    let styles = ["STYLES=selected-pins clocked-wires"];
    passes(&run(&verilator(), 4, &styles), 3);
}

/// A Verilator below the minimum version is rejected with a message before it loses a frame. So is
/// one that does not run. Newer versions and builds that print no version are accepted.
#[test]
fn an_old_verilator_is_rejected_with_a_message() {
    let dir = kit(4, str::to_owned);
    let fake = dir.path().join("fake-verilator");
    let says = |version: &str| {
        // All other calls of the script fail.
        let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && {version}\n");
        fs::write(&fake, script).unwrap();
        fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
        let fake = format!("VERILATOR={}", fake.display());
        let arguments = [&fake[..], "verilator"];
        let output = make(dir.path(), &[], &arguments);
        assert!(!output.status.success(), "it compiles nothing");
        process_output(&output)
    };
    for (version, reported) in [
        ("5.006 2023-01-22 rev (Debian 5.006-3)", "is 5.006:"),
        ("4.228 2022-10-01 rev v4.228", "is 4.228:"),
    ] {
        let printed = says(&format!("echo 'Verilator {version}'"));
        assert!(
            printed.contains("Verilator 5.020 or newer is needed") && printed.contains(reported),
            "{printed}"
        );
        assert!(!printed.contains("switch_tb"), "it is not called: {printed}");
    }
    let printed = says("exit 3");
    assert!(printed.contains("does not run"), "{printed}");
    for version in
        ["Verilator 5.020 2024-01-01 rev", "Verilator 5.048 x", "Verilator 10.2", " rev vUNKNOWN"]
    {
        let printed = says(&format!("echo '{version}'"));
        assert!(printed.contains("switch_tb"), "{version}: {printed}");
    }
}
