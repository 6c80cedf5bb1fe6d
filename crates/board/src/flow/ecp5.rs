//! Tool flow of the ECP5: yosys, nextpnr-ecp5, ecppack.

use super::{ecp5_image, ecp5_pll, with_start_up, Flow, FlowInput, FlowOutput, ImageFormatError};
use std::path::Path;
use toolchain::{Ecp5Chip, Ecp5Options, Result, Toolchain};

/// ECP5 on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecp5Flow {
    pub chip: Ecp5Chip,
    /// Package, as nextpnr calls it: `CABGA381`.
    pub package: &'static str,
    /// Speed grade: 6, 7 or 8, the fastest.
    pub speed: u32,
    /// LEDs that light when their pin is low, one bit each.
    pub active_low_leds: u8,
    /// True if the board has a pin that reloads the chip when low (port `reload_n`).
    pub reloads: bool,
    /// Ports that are unused and that the board requires to be high.
    pub tied_high: &'static [&'static str],
}

impl Flow for Ecp5Flow {
    fn chip(&self) -> String {
        let (_, name) = self.chip.names();
        let (package, speed) = (self.package, self.speed);
        format!("{name}, package {package}, speed grade {speed}")
    }

    fn pll(&self, crystal_mhz: u32, mhz: u32) -> Option<String> {
        ecp5_pll::pll(crystal_mhz, mhz)
    }

    fn top_template(&self) -> String {
        let mut ports = String::new();
        let mut levels = String::new();
        for port in self.tied_high {
            ports += &format!("    output wire       {port},\n");
            levels += &format!("    assign {port} = 1'b1;\n");
        }
        if self.reloads {
            ports += "    output wire       reload_n,\n";
            levels += "    assign reload_n = ~pressed[14];\n";
        }
        with_start_up(include_str!("ecp5.v"), "button")
            .replace("    // @PORTS@\n", &ports)
            .replace("    // @LEVELS@\n", &levels)
            .replace("@LOW_LEDS@", &format!("8'b{:08b}", self.active_low_leds))
    }

    fn make(&self, tools: &Toolchain, source: &FlowInput, work_dir: &Path) -> Result<FlowOutput> {
        let chip = Ecp5Options {
            chip: self.chip,
            package: self.package.into(),
            speed: self.speed,
            freq_mhz: f64::from(source.mhz),
            ..Ecp5Options::default()
        };
        let FlowInput {
            verilog,
            top,
            constraints,
            ..
        } = source;
        let made = tools.bitstream_ecp5(verilog, top, constraints, work_dir, &chip)?;
        Ok(FlowOutput {
            report: made.report,
            placement: made.placement,
            netlist: made.netlist,
            image: made.bit,
        })
    }

    fn extension(&self) -> &'static str {
        "bit"
    }

    fn check(&self, file: &[u8]) -> std::result::Result<(), ImageFormatError> {
        ecp5_image::check(file)
    }

    fn icebox_package(&self) -> Option<&'static str> {
        None
    }
}
