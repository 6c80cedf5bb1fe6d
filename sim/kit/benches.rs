//! The kit's own test benches pass, as its user runs them.

use crate::directory::{icarus, kit, make, said, verilator_flags, TOOLS};
use std::process::Output;

fn passes(output: &Output, benches: usize) {
    let said = said(output);
    assert!(output.status.success(), "{said}");
    let passed = said.lines().filter(|line| line.starts_with("PASSED"));
    assert_eq!(passed.count(), benches, "{said}");
}

/// All styles, with fewer frames than by default: the other simulator runs them all.
#[test]
fn under_icarus() {
    let dir = kit(4, str::to_owned);
    let output = make(dir.path(), &icarus(), &["icarus", "FRAMES=1000"]);
    passes(&output, 5);
}

#[test]
fn under_icarus_for_one_and_sixteen_dimensions() {
    for (dims, step) in [(1, "STEP=3"), (16, "STEP=17")] {
        let dir = kit(dims, str::to_owned);
        let arguments = [
            "icarus",
            "FRAMES=300",
            step,
            "STYLES=selected-pins clocked-wires",
        ];
        passes(&make(dir.path(), &icarus(), &arguments), 3);
    }
}

/// 10,000 frames at each baud.
#[test]
fn under_verilator() {
    let dir = kit(4, str::to_owned);
    let verilator = TOOLS.verilator().unwrap();
    let flags = verilator_flags(&verilator);
    let arguments = ["verilator", flags, "STYLES=selected-pins clocked-wires"];
    let output = make(dir.path(), &[("VERILATOR", verilator)], &arguments);
    passes(&output, 3);
}
