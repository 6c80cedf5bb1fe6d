//! Tool flow of the iCE40: yosys, nextpnr-ice40, icepack, icemulti.

use super::ice40_image::image;
use super::{ice40_pll, with_start_up, Flow, FlowInput, FlowOutput, ImageFormatError};
use std::path::Path;
use toolchain::{Ice40Options, Result, Toolchain};

/// iCE40 on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ice40Flow {
    /// Device option of nextpnr without the dashes: `hx8k`, `up5k`.
    pub device: &'static str,
    /// Package, as nextpnr calls it: `cb132`.
    pub package: &'static str,
}

impl Flow for Ice40Flow {
    fn chip(&self) -> String {
        let device = self.device.to_uppercase();
        format!("iCE40 {device}, package {}", self.package)
    }

    fn pll(&self, crystal_mhz: u32, mhz: u32) -> Option<String> {
        ice40_pll::pll(crystal_mhz, mhz)
    }

    fn top_template(&self) -> String {
        with_start_up(include_str!("ice40.v"), "button_level")
    }

    fn make(&self, tools: &Toolchain, source: &FlowInput, work_dir: &Path) -> Result<FlowOutput> {
        // Yosys weighs paths by the delays of the part.
        let synth_flags = match self.device.starts_with("up") {
            true => vec!["-device u".into()],
            false => vec![],
        };
        let chip = Ice40Options {
            device: self.device.into(),
            package: self.package.into(),
            freq_mhz: f64::from(source.mhz),
            synth_flags,
            ..Ice40Options::default()
        };
        let FlowInput {
            verilog,
            top,
            constraints,
            ..
        } = source;
        let made = tools.bitstream_ice40(verilog, top, constraints, work_dir, &chip)?;
        Ok(FlowOutput {
            report: made.report,
            placement: made.placement,
            netlist: made.netlist,
            image: made.flash,
        })
    }

    fn extension(&self) -> &'static str {
        "bin"
    }

    fn check(&self, file: &[u8]) -> std::result::Result<(), ImageFormatError> {
        match image(file) {
            Ok(_) => Ok(()),
            Err(error) => Err(ImageFormatError(error.to_string())),
        }
    }

    fn icebox_package(&self) -> Option<&'static str> {
        Some(self.package)
    }
}
