//! Pin mux for the fabric of a microcontroller.
//!
//! The Verilog is written by hand, because its number of dimensions is a parameter of the module. A
//! lowered circuit has no such parameter. `sim/kit` compares it with the lowered
//! [`PinMux`](rtl::tdma::PinMux) and [`PhaseSequencer`](rtl::tdma::PhaseSequencer).
//! The same tests run the kit's test benches on mutants.

use hdl::verilog::Prefix;

/// A file of the Verilog directory: its relative path and its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KitFile {
    pub name: String,
    pub text: String,
}

/// Name of the design in the catalogue, whose circuit the Verilog is compared with.
pub const DESIGN: &str = "pin-mux";

/// Default name of the directory.
pub const DIRECTORY: &str = "tdma_pin_mux";

/// File with the modules.
pub const RTL: &str = "tdma_pin_mux.v";

/// Additional files for other flows.
const CORE: &str = "tdma_pin_mux.core";
const LIST: &str = "tdma_pin_mux.f";
const CLOCK: &str = "tdma_pin_mux.sdc";

/// Files as written, for four dimensions.
const TEMPLATES: &[(&str, &str)] = &[
    (RTL, include_str!("tdma_pin_mux.v")),
    ("switch_tb.v", include_str!("switch_tb.v")),
    ("frames_tb.v", include_str!("frames_tb.v")),
    ("Makefile", include_str!("Makefile")),
    ("README.md", include_str!("README.md")),
    ("timing.json", include_str!("timing.json")),
    (CORE, include_str!("tdma_pin_mux.core")),
    (LIST, include_str!("tdma_pin_mux.f")),
    (CLOCK, include_str!("tdma_pin_mux.sdc")),
];

/// Prefix of the module names.
pub const PREFIX: &str = "tdma_";

/// Kit with `dims` dimensions, 1 to 16, as the default of every parameter.
///
/// # Panics
/// If `dims` is out of range.
pub fn files(dims: u32) -> Vec<KitFile> {
    let prefix = PREFIX.parse();
    files_with_prefix(dims, &prefix.expect("the kit's own prefix is one"))
}

/// Kit, with another prefix if one is given.
///
/// # Panics
/// If `dims` is not 1 to 16.
pub fn files_for(dims: u32, prefix: Option<&Prefix>) -> Vec<KitFile> {
    match prefix {
        Some(prefix) => files_with_prefix(dims, prefix),
        None => files(dims),
    }
}

/// Kit with another prefix for its modules, and for files that are named after a module.
///
/// # Panics
/// If `dims` is not 1 to 16.
pub fn files_with_prefix(dims: u32, prefix: &Prefix) -> Vec<KitFile> {
    assert!((1..=16).contains(&dims), "a cube has 1 to 16 dimensions");
    let for_dims = |text: &str| {
        text.replace("parameter DIMS = 4", &format!("parameter DIMS = {dims}"))
            .replace("DIMS      = 4", &format!("DIMS      = {dims}"))
            .replace("default: 4", &format!("default: {dims}"))
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
            .replace(PREFIX, prefix.as_str())
    };
    let files = TEMPLATES.iter().map(|&(name, text)| KitFile {
        name: name.replace(PREFIX, prefix.as_str()),
        text: for_dims(text),
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_parameter_is_the_number_of_dimensions() {
        for dims in [1, 4, 16] {
            for file in files(dims) {
                let defaults = file.text.matches(&format!("DIMS = {dims}")).count()
                    + file.text.matches(&format!("DIMS      = {dims}\n")).count()
                    + file.text.matches(&format!("default: {dims}\n")).count();
                let expected = match file.name.as_str() {
                    RTL => 7,
                    "README.md" | "timing.json" | LIST | CLOCK => continue,
                    _ => 1,
                };
                assert_eq!(defaults, expected, "{} for {dims}", file.name);
            }
        }
    }
}
