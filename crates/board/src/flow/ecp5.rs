//! Tool flow of the ECP5: yosys, nextpnr-ecp5, ecppack.

use super::{with_start_up, Flow, FlowInput, FlowOutput, ImageFormatError};
use crate::block_rams::BlockRams;
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

    fn block_rams(&self) -> BlockRams {
        BlockRams::ecp5(match self.chip {
            Ecp5Chip::F25 => 56,
            Ecp5Chip::F45 => 108,
            Ecp5Chip::F85 => 208,
        })
    }

    /// The state of 64 time-multiplexed nodes and more. Smaller groups of nodes have flip-flops enough.
    fn delay_memories(&self) -> Option<usize> {
        Some(48)
    }

    fn pll(&self, crystal_mhz: u32, mhz: u32) -> Option<String> {
        pll(crystal_mhz, mhz)
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
            seed: source.seed,
        };
        let FlowInput { verilog, top, constraints, .. } = source;
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
        check(file)
    }

    fn icebox_package(&self) -> Option<&'static str> {
        None
    }
}

// PLL of an ECP5: its dividers and its module. (Lattice, "ECP5 and ECP5-5G sysCLOCK PLL/DLL design
// and usage guide", FPGA-TN-02200; ranges from the family's data sheet, FPGA-DS-02012, table
// "sysCLOCK PLL timing".)

/// Dividers with the output fed back: fOUT = fIN `feedback` / `input`. The oscillator runs at fOUT
/// `output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dividers {
    pub input: u32,
    pub feedback: u32,
    pub output: u32,
}

/// Largest value of each divider.
const DIVIDER_MAX: u32 = 128;
/// Range of the phase detector's frequency, in MHz.
const PFD_MHZ: std::ops::RangeInclusive<u32> = 10..=400;
/// Range of the oscillator's frequency, in MHz.
const VCO_MHZ: std::ops::RangeInclusive<u32> = 400..=800;
/// Middle of the oscillator's range, where lock is most reliable, in MHz.
const VCO_MIDDLE_MHZ: u32 = 600;

/// Returns the dividers that make exactly `mhz` from the crystal's frequency, both in MHz.
pub fn dividers(crystal_mhz: u32, mhz: u32) -> Option<Dividers> {
    if mhz == 0 {
        return None;
    }
    let ratios = (1..=DIVIDER_MAX).filter(|input| {
        crystal_mhz.is_multiple_of(*input)
            && PFD_MHZ.contains(&(crystal_mhz / input))
            && (mhz * input).is_multiple_of(crystal_mhz)
    });
    let with_feedback = ratios.map(|input| (input, mhz * input / crystal_mhz));
    let (input, feedback) =
        with_feedback.into_iter().find(|(_, feedback)| (1..=DIVIDER_MAX).contains(feedback))?;
    let outputs = (1..=DIVIDER_MAX).filter(|output| VCO_MHZ.contains(&(mhz * output)));
    let output = outputs.min_by_key(|output| (mhz * output).abs_diff(VCO_MIDDLE_MHZ))?;
    Some(Dividers { input, feedback, output })
}

/// Module `pll` for a machine clock of `mhz`, with two outputs of the same phase. `None` if no
/// dividers make the frequency exactly.
pub fn pll(crystal_mhz: u32, mhz: u32) -> Option<String> {
    let Dividers { input, feedback, output } = dividers(crystal_mhz, mhz)?;
    // Aligns the output with the edge half a period after the feedback edge.
    let phase = output / 2 - output.is_multiple_of(2) as u32;
    Some(format!(
        "// The PLL: {crystal_mhz} MHz times {feedback} over {input}; its oscillator runs at {} MHz.\n\
         module pll (\n    input  wire clock_in,\n    output wire clock_out,\n    output wire second_out,\n    output wire locked\n);\n    \
         (* FREQUENCY_PIN_CLKI=\"{crystal_mhz}\", FREQUENCY_PIN_CLKOP=\"{mhz}\", FREQUENCY_PIN_CLKOS=\"{mhz}\" *)\n    \
         (* ICP_CURRENT=\"12\", LPF_RESISTOR=\"8\", MFG_ENABLE_FILTEROPAMP=\"1\", MFG_GMCREF_SEL=\"2\" *)\n    \
         EHXPLLL #(\n        \
         .CLKI_DIV({input}), .CLKFB_DIV({feedback}), .FEEDBK_PATH(\"CLKOP\"),\n        \
         .CLKOP_ENABLE(\"ENABLED\"), .CLKOP_DIV({output}), .CLKOP_CPHASE({phase}), .CLKOP_FPHASE(0),\n        \
         .CLKOS_ENABLE(\"ENABLED\"), .CLKOS_DIV({output}), .CLKOS_CPHASE({phase}), .CLKOS_FPHASE(0),\n        \
         .OUTDIVIDER_MUXB(\"DIVB\"), .OUTDIVIDER_MUXA(\"DIVA\"), .PLLRST_ENA(\"DISABLED\"), .INTFB_WAKE(\"DISABLED\"),\n        \
         .STDBY_ENABLE(\"DISABLED\"), .DPHASE_SOURCE(\"DISABLED\")\n    \
         ) cell_ (\n        \
         .CLKI(clock_in), .CLKFB(clock_out), .CLKOP(clock_out), .CLKOS(second_out), .LOCK(locked),\n        \
         .RST(1'b0), .STDBY(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0), .PLLWAKESYNC(1'b0),\n        \
         .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1)\n    \
         );\nendmodule\n",
        mhz * output,
    ))
}

// Flash file of an ECP5: a comment, the preamble, commands. (Lattice, "ECP5 and ECP5-5G sysCONFIG
// usage guide", FPGA-TN-02039.)

/// Preamble in front of the commands.
const PREAMBLE: [u8; 4] = [0xff, 0xff, 0xbd, 0xb3];

/// Largest length of the comment, in bytes.
const COMMENT_MAX: usize = 4096;

/// Checks that a file can be an image.
///
/// # Errors
/// If it has no preamble.
pub fn check(file: &[u8]) -> Result<(), ImageFormatError> {
    let head = &file[..file.len().min(COMMENT_MAX)];
    match head.windows(PREAMBLE.len()).any(|w| w == PREAMBLE) {
        true => Ok(()),
        false => Err(ImageFormatError(
            "it has no preamble of an ECP5 (ff ff bd b3); accepted: an image of `phasecube build`"
                .into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formulas and ranges of the guide and the data sheet, written down independently:
    ///
    /// * fPFD = fIN / CLKI_DIV, 10 to 400 MHz
    /// * fOUT = fPFD CLKFB_DIV, 3.125 to 400 MHz
    /// * fVCO = fOUT CLKOP_DIV, 400 to 800 MHz
    /// * fIN is 8 to 400 MHz
    /// * each divider is 1 to 128
    #[test]
    fn dividers_follow_the_data_sheet() {
        let mut made = 0;
        for crystal in [12, 25, 48, 50, 100] {
            for mhz in 1..=400 {
                let Some(found) = dividers(crystal, mhz) else {
                    continue;
                };
                let parameter = |d: u32| {
                    assert!((1..=128).contains(&d), "{found:?}");
                    f64::from(d)
                };
                let compared = f64::from(crystal) / parameter(found.input);
                let out = compared * parameter(found.feedback);
                let oscillator = out * parameter(found.output);
                assert!((10.0..=400.0).contains(&compared), "{found:?}");
                assert_eq!(out, f64::from(mhz), "{crystal} {found:?}");
                assert!((3.125..=400.0).contains(&out), "{found:?}");
                assert!((400.0..=800.0).contains(&oscillator), "{found:?}");
                made += 1;
            }
        }
        assert!(made > 50, "{made}");
        // Results of ecppll 1.4: `ecppll -i 25 -o 25`, `-o 50`, `-o 100`.
        let of = |mhz| dividers(25, mhz).map(|d| (d.input, d.feedback, d.output));
        assert_eq!(of(25), Some((1, 1, 24)));
        assert_eq!(of(50), Some((1, 2, 12)));
        assert_eq!(of(100), Some((1, 4, 6)));
    }

    #[test]
    fn an_inexact_frequency_is_rejected() {
        for (crystal, mhz) in [(25, 0), (25, 26), (25, 3), (12, 25), (9, 9)] {
            assert_eq!(dividers(crystal, mhz), None, "{crystal} {mhz}");
        }
        assert!(pll(25, 26).is_none());
    }

    /// The module contains each parameter unchanged.
    #[test]
    fn the_module_has_the_dividers() {
        let text = pll(25, 50).unwrap();
        for printed in [
            ".CLKI_DIV(1)",
            ".CLKFB_DIV(2)",
            ".CLKOP_DIV(12)",
            ".CLKOP_CPHASE(5)",
            "oscillator runs at 600 MHz",
            ".LOCK(locked)",
        ] {
            assert!(text.contains(printed), "{printed}: {text}");
        }
    }
}

#[cfg(test)]
mod ecp5_image_tests {
    use super::check;

    #[test]
    fn an_image_has_the_preamble() {
        let mut file = vec![0xff, 0x00, b'a', 0x00];
        assert!(check(&file).is_err());
        file.extend([0xff, 0xff, 0xbd, 0xb3, 0xff]);
        assert!(check(&file).is_ok());
        let late = [vec![0; 5000], file].concat();
        assert!(check(&late).is_err());
        assert!(check(b"").is_err());
    }
}
