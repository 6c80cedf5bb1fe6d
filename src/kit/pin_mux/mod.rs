//! The pin mux for the fabric of a microcontroller.
//!
//! The Verilog is written by hand, because its number of dimensions is a parameter
//! of the module, which a lowered circuit does not have. `sim/kit` runs it against
//! the lowered [`PinMux`](crate::rtl::tdma::PinMux) and
//! [`PhaseSequencer`](crate::rtl::tdma::PhaseSequencer), and its test benches
//! against mutants of it.

/// A file of the kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KitFile {
    pub name: &'static str,
    pub text: String,
}

/// What a directory that nobody named is called.
pub const DIRECTORY: &str = "tdma_pin_mux";

/// The modules.
pub const RTL: &str = "tdma_pin_mux.v";

/// As they are written: for four dimensions.
const TEMPLATES: &[(&str, &str)] = &[
    (RTL, include_str!("tdma_pin_mux.v")),
    ("switch_tb.v", include_str!("switch_tb.v")),
    ("frames_tb.v", include_str!("frames_tb.v")),
    ("Makefile", include_str!("Makefile")),
    ("README.md", include_str!("README.md")),
    ("timing.json", include_str!("timing.json")),
];

/// The kit with `dims` dimensions, 1 to 16, as the default of every parameter.
///
/// # Panics
/// Outside of that.
pub fn files(dims: u32) -> Vec<KitFile> {
    assert!((1..=16).contains(&dims), "a cube has 1 to 16 dimensions");
    let for_dims = |text: &str| {
        text.replace("parameter DIMS = 4", &format!("parameter DIMS = {dims}"))
            .replace("DIMS      = 4", &format!("DIMS      = {dims}"))
    };
    let files = TEMPLATES.iter().map(|&(name, text)| KitFile {
        name,
        text: for_dims(text),
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_dimensions_is_every_default() {
        for dims in [1, 4, 16] {
            for file in files(dims) {
                let defaults = file.text.matches(&format!("DIMS = {dims}")).count()
                    + file.text.matches(&format!("DIMS      = {dims}\n")).count();
                let expected = match file.name {
                    RTL => 7,
                    "README.md" | "timing.json" => continue,
                    _ => 1,
                };
                assert_eq!(defaults, expected, "{} for {dims}", file.name);
            }
        }
    }
}
