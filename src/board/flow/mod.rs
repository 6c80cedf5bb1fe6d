//! From the Verilog of a design to the image of a chip: what all families of chips have in
//! common.

mod ecp5;
mod ecp5_image;
mod ecp5_pll;
mod ice40;
pub(super) mod ice40_image;
mod ice40_pll;

pub use ecp5::Ecp5Flow;
pub use ice40::Ice40Flow;

use crate::toolchain::{Placement, Result, SynthReport, Toolchain};
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What makes an image of Verilog, for one chip.
pub trait Flow: fmt::Debug + Sync {
    /// The chip, for a person: `iCE40 HX8K, package cb132`.
    fn chip(&self) -> String;

    /// The module `pll` of the module on top: it makes a clock of `mhz` of the crystal's, both
    /// in MHz. `None` if it does not make that frequency exactly.
    fn pll(&self, crystal_mhz: u32, mhz: u32) -> Option<String>;

    /// The module on top of a design, a template: `@TOP@` is its name, `@DESIGN@` that of
    /// the design's module, `@CRYSTAL@` and `@MHZ@` the frequencies in MHz.
    fn around(&self) -> String;

    /// Synthesises and places the module `top` of `verilog` with the pins of the constraint
    /// file's text, its clocks of `mhz` at least if that can be; packs the image. What was
    /// made before in `work_dir` of the same sources by the same tools is used again.
    ///
    /// # Errors
    /// If it does not fit, or a tool is missing or fails. A clock that is missed is none:
    /// the placement tells it.
    fn make(&self, tools: &Toolchain, source: &Source, work_dir: &Path) -> Result<Made>;

    /// How the file for the flash ends: `bin`.
    fn extension(&self) -> &'static str;

    /// Whether a file can be an image for such a chip.
    ///
    /// # Errors
    /// If not: what is wrong with it.
    fn check(&self, file: &[u8]) -> std::result::Result<(), NotAnImage>;

    /// The package, as icebox_vlog calls it, if images can be unpacked and simulated.
    fn unpacked(&self) -> Option<&'static str>;
}

/// A module on top with what all of them do in place of `@SETTLED@` and `@PRESSED@`: wait for
/// the PLL and for the button, whose level is that of the wire `button`.
fn with_start_up(around: &str, button: &str) -> String {
    around
        .replace("    // @SETTLED@\n", include_str!("settled.v"))
        .replace("    // @PRESSED@\n", include_str!("pressed.v"))
        .replace("@BUTTON@", button)
}

/// What a flow makes an image of.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// All modules.
    pub verilog: &'a str,
    /// The module on top.
    pub top: &'a str,
    /// The constraint file's text.
    pub constraints: &'a str,
    /// The frequency of the machine's clock, in MHz.
    pub mhz: u32,
}

/// What a flow made.
#[derive(Clone, Debug)]
pub struct Made {
    /// What the whole chip costs, and the tools.
    pub report: SynthReport,
    /// Its cells, clocks and critical paths.
    pub placement: Placement,
    /// The netlist that was placed and routed, in yosys's JSON.
    pub netlist: PathBuf,
    /// The file for the flash.
    pub image: PathBuf,
}

/// Why a file is no image; the message says what.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotAnImage(pub String);
