//! Tool flow of the ECP5: yosys, nextpnr-ecp5, ecppack.

use super::{ecp5_image, ecp5_pll, with_start_up, Flow, Made, NotAnImage, Source};
use crate::toolchain::{Ecp5, Ecp5Chip, Result, Toolchain};
use std::path::Path;

/// ECP5 on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecp5Flow {
    pub chip: Ecp5Chip,
    /// Package, as nextpnr calls it: `CABGA381`.
    pub package: &'static str,
    /// Speed grade: 6, 7 or 8, the fastest.
    pub speed: u32,
    /// LEDs that light when their pin is low, one bit each.
    pub low_leds: u8,
    /// True if the board has a pin that reloads the chip when low (port `reload_n`).
    pub reloads: bool,
    /// Ports that are unused and that the board requires to be high.
    pub high: &'static [&'static str],
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

    fn around(&self) -> String {
        let mut ports = String::new();
        let mut levels = String::new();
        for port in self.high {
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
            .replace("@LOW_LEDS@", &format!("8'b{:08b}", self.low_leds))
    }

    fn make(&self, tools: &Toolchain, source: &Source, work_dir: &Path) -> Result<Made> {
        let chip = Ecp5 {
            chip: self.chip,
            package: self.package.into(),
            speed: self.speed,
            freq_mhz: f64::from(source.mhz),
            ..Ecp5::default()
        };
        let Source {
            verilog,
            top,
            constraints,
            ..
        } = source;
        let made = tools.bitstream_ecp5(verilog, top, constraints, work_dir, &chip)?;
        Ok(Made {
            report: made.report,
            placement: made.placement,
            netlist: made.netlist,
            image: made.bit,
        })
    }

    fn extension(&self) -> &'static str {
        "bit"
    }

    fn check(&self, file: &[u8]) -> std::result::Result<(), NotAnImage> {
        ecp5_image::check(file)
    }

    fn unpacked(&self) -> Option<&'static str> {
        None
    }
}
