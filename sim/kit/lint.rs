//! The linter reports nothing in the kit's modules, for any number of dimensions that a user may
//! set.

use crate::kit::TOOLS;
use phasecube::kit::pin_mux;

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
