//! The kit is synthesised for three targets, and its cost matches its README.

use crate::kit::directory::{kit, make, process_output, TOOLS};
use phasecube::kit::pin_mux;
use phasecube::report::CostTable;

#[test]
#[ignore = "thorough: synthesises with yosys"]
fn for_ice40_ecp5_and_generic_luts() {
    let dir = kit(4, str::to_owned);
    let yosys = TOOLS.yosys().unwrap();
    let output = make(dir.path(), &[("YOSYS", yosys)], &["synth"]);
    let said = process_output(&output);
    assert!(output.status.success(), "{said}");
    for target in ["ice40", "ecp5", "generic"] {
        let log = dir.path().join(format!("build/synth-{target}.log"));
        let log = std::fs::read_to_string(log).unwrap();
        for latch in ["DLATCH", "$_DLATCH", "SB_LATCH"] {
            assert!(!log.contains(latch), "{target}: {log}");
        }
        // Open-drain wires become tristate buffers instead of constant pads.
        assert!(log.contains("$_TBUF_"), "{target}: {log}");
        let cell = match target {
            "ice40" => "SB_DFF",
            "ecp5" => "TRELLIS_FF",
            _ => "$_DFF_P_",
        };
        assert!(log.matches(cell).count() >= 5, "{target}: {log}");
    }
}

/// Measures the table in the README as the README describes.
#[test]
#[ignore = "thorough: synthesises with yosys"]
fn the_readme_states_the_cost() {
    let kit = pin_mux::files(4);
    let text = |name| &kit.iter().find(|file| file.name == name).unwrap().text;
    let dir = concat!(env!("CARGO_TARGET_TMPDIR"), "/kit-cost");
    for top in [
        "tdma_pin_mux",
        "tdma_phase_counter",
        "tdma_clocked_pins",
        "tdma_selected_pins",
    ] {
        let table = CostTable::of_verilog(&TOOLS, text(pin_mux::RTL), top, dir.as_ref()).unwrap();
        let cost = &table.blocks[0];
        let row = format!("| `{top}` | {} | {} |", cost.logic_cells, cost.flip_flops);
        assert!(text("README.md").contains(&row), "the README lacks {row}");
    }
}
