//! Tool flow from the Verilog of a design to the image of a chip: the part common to all chip
//! families.

mod ecp5;
pub(super) mod ice40;

pub use ecp5::Ecp5Flow;
pub use ice40::Ice40Flow;

use crate::block_rams::BlockRams;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toolchain::{Placement, Result, SynthReport, Toolchain};

/// Tool flow from Verilog to an image, for one chip.
pub trait Flow: fmt::Debug + Sync {
    /// Chip name for display: `iCE40 HX8K, package cb132`.
    fn chip(&self) -> String;

    /// Block RAMs of the chip.
    fn block_rams(&self) -> BlockRams;

    /// Length of the delay lines from which the chip can make memories of logic cells
    /// ([`with_delay_memories`](lockstep::design::Design::with_delay_memories)). `None` if its logic cells cannot be memories.
    fn delay_memories(&self) -> Option<usize>;

    /// Module `pll` inside the top module. The PLL makes a clock of `mhz` from the crystal's, both
    /// in MHz. `None` if it cannot make that frequency exactly.
    fn pll(&self, crystal_mhz: u32, mhz: u32) -> Option<String>;

    /// Template of the top module around a design. `@TOP@` is its name and `@DESIGN@` the name of
    /// the design's module. `@CRYSTAL@` and `@MHZ@` are the frequencies in MHz.
    fn top_template(&self) -> String;

    /// Synthesises and places the module `top` of `verilog`, and packs the image. The pins come
    /// from the constraint file, and the flow aims at clocks of at least `mhz`. Results in
    /// `work_dir` from the same sources and tools are reused.
    ///
    /// # Errors
    /// If the design does not fit, or a tool is missing or fails. A clock that is too slow is no
    /// error: the placement reports it.
    fn make(&self, tools: &Toolchain, source: &FlowInput, work_dir: &Path) -> Result<FlowOutput>;

    /// Extension of the flash file: `bin`.
    fn extension(&self) -> &'static str;

    /// Checks that a file can be an image for such a chip.
    ///
    /// # Errors
    /// Describes the fault in the file.
    fn check(&self, file: &[u8]) -> std::result::Result<(), ImageFormatError>;

    /// Package, as icebox_vlog calls it, if images can be unpacked and simulated.
    fn icebox_package(&self) -> Option<&'static str>;
}

/// Fills in the parts `@SETTLED@` and `@PRESSED@` that all top modules share. `@SETTLED@` waits for
/// the PLL, and `@PRESSED@` for the button, whose level is the wire `button`.
fn with_start_up(around: &str, button: &str) -> String {
    around
        .replace("    // @SETTLED@\n", include_str!("settled.v"))
        .replace("    // @PRESSED@\n", include_str!("pressed.v"))
        .replace("@BUTTON@", button)
}

/// Sources of an image.
#[derive(Clone, Copy, Debug)]
pub struct FlowInput<'a> {
    /// Verilog text of all modules.
    pub verilog: &'a str,
    /// Name of the top module.
    pub top: &'a str,
    /// Text of the constraint file.
    pub constraints: &'a str,
    /// Frequency of the machine clock, in MHz.
    pub mhz: u32,
    /// Seed of the placement.
    pub seed: u32,
}

/// Results of a flow.
#[derive(Clone, Debug)]
pub struct FlowOutput {
    /// Resources of the whole chip, and the tools.
    pub report: SynthReport,
    /// Cells, clocks and critical paths.
    pub placement: Placement,
    /// Placed and routed netlist, in yosys's JSON.
    pub netlist: PathBuf,
    /// File for the flash.
    pub image: PathBuf,
}

/// Reason why a file is not an image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ImageFormatError(pub String);
