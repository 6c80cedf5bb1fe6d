//! Tool flow of the iCE40: yosys, nextpnr-ice40, icepack, icemulti.

use super::{with_start_up, Flow, FlowInput, FlowOutput, ImageFormatError};
use crate::block_rams::BlockRams;
use hdl::prelude::*;
use rust_hdl::fpga::lattice::ice40::ice_pll::ICE40PLLBlock;
use std::path::Path;
use thiserror::Error;
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

    fn block_rams(&self) -> BlockRams {
        match self.device.starts_with("up") {
            true => BlockRams::ice40(30),
            false => BlockRams::ice40(32),
        }
    }

    fn delay_memories(&self) -> Option<usize> {
        None
    }

    fn pll(&self, crystal_mhz: u32, mhz: u32) -> Option<String> {
        pll(crystal_mhz, mhz)
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
            seed: source.seed,
            synth_flags,
            ..Ice40Options::default()
        };
        let FlowInput { verilog, top, constraints, .. } = source;
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

// PLL of an iCE40, with the dividers that `rust-hdl-fpga-support` computes.

/// Module `pll` for a machine clock of `mhz`, with a crystal of `crystal_mhz`. `None` if no
/// dividers make the frequency exactly. At the crystal's own frequency the module contains no PLL.
pub fn pll(crystal_mhz: u32, mhz: u32) -> Option<String> {
    macro_rules! one_of {
        ($($crystal:literal: $($made:literal)*;)*) => {
            match (crystal_mhz, mhz) {
                $($(($crystal, $made) => ICE40PLLBlock::<
                    { $crystal * 1_000_000 },
                    { $made * 1_000_000 },
                >::default().hdl(),)*)*
                _ if crystal_mhz == mhz => return Some(NO_PLL.into()),
                _ => return None,
            }
        };
    }
    let hdl = one_of! {
        100: 20 25 30 40 50 60 75 80 100 125 150 200;
        12: 18 24 30 36 48 60 72 96;
    };
    let Verilog::Custom(body) = hdl else {
        unreachable!("the package's PLL is text");
    };
    Some(format!(
        "// The PLL, as rust-hdl-fpga-support prints it.\n\
         module pll (\n    input  wire clock_in,\n    output wire clock_out,\n    output wire locked\n);\n\
         {body}endmodule\n"
    ))
}

/// Module that passes the crystal's clock unchanged.
const NO_PLL: &str = "// No PLL: the crystal's own clock.\n\
                      module pll (\n    input  wire clock_in,\n    output wire clock_out,\n    output wire locked\n);\n    \
                      assign clock_out = clock_in;\n    assign locked = 1'b1;\nendmodule\n";

// Flash file of an iCE40: a table of five boot vectors, and the image to which all of them point.
// One vector is for power-on, and one for each image that the chip can reload. (icemulti writes
// the file; Lattice, "iCE40 programming and configuration".)

/// Number of vectors in the table. `VECTOR_LENGTH` is the length of each in bytes.
const VECTOR_COUNT: usize = 5;
const VECTOR_LENGTH: usize = 32;

/// First bytes of a vector. The address follows, high byte first.
const VECTOR_PREFIX: [u8; 9] = [0x7e, 0xaa, 0x99, 0x7e, 0x92, 0x00, 0x00, 0x44, 0x03];

/// First bytes of an image after its comment.
const PREAMBLE: [u8; 4] = [0x7e, 0xaa, 0x99, 0x7e];

/// Reason why a file is not an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Ice40ImageError {
    #[error("it has no table of boot vectors; accepted: an image of `phasecube build`")]
    NoTable,
    #[error("its boot vectors name several images; accepted: one")]
    Several,
    #[error("its boot vectors name byte {0}, where no image begins")]
    Nothing(usize),
}

/// Returns the one image to which all boot vectors point.
///
/// # Errors
/// If the file has another format.
pub fn image(file: &[u8]) -> Result<&[u8], Ice40ImageError> {
    let address = |vector: &[u8]| {
        let address = vector.strip_prefix(&VECTOR_PREFIX)?.first_chunk::<3>()?;
        Some(address.iter().fold(0, |a, byte| a << 8 | usize::from(*byte)))
    };
    let vectors = file.chunks(VECTOR_LENGTH).take(VECTOR_COUNT);
    let addresses: Option<Vec<usize>> = vectors.map(address).collect();
    let addresses =
        addresses.filter(|all| all.len() == VECTOR_COUNT).ok_or(Ice40ImageError::NoTable)?;
    let first = addresses[0];
    if addresses.iter().any(|address| *address != first) {
        return Err(Ice40ImageError::Several);
    }
    let image = file.get(first..).unwrap_or_default();
    // The comment is enclosed by the bytes FF 00 and 00 FF.
    let begins = image.starts_with(&[0xff, 0x00])
        && image.windows(PREAMBLE.len()).take(256).any(|w| w == PREAMBLE);
    match begins {
        true => Ok(image),
        false => Err(Ice40ImageError::Nothing(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value of a parameter in the text.
    fn parameter(text: &str, name: &str) -> f64 {
        let (_, value) = text.split_once(&format!(".{name}(32'h")).unwrap();
        let (value, _) = value.split_once(')').unwrap();
        f64::from(u32::from_str_radix(value, 16).unwrap())
    }

    /// Formula of Lattice's guide for simple feedback: fin (DIVF + 1) / ((DIVR + 1) 2^DIVQ). The
    /// quotient fin / (DIVR + 1) is 10 to 133 MHz, and the oscillator's frequency before DIVQ 533
    /// to 1,066 MHz.
    #[test]
    fn the_dividers_make_the_frequency() {
        for (crystal, least) in [(100, 10), (12, 5)] {
            let mut made = 0;
            for mhz in (1..=300).filter(|mhz| *mhz != crystal || crystal == 100) {
                let Some(text) = pll(crystal, mhz) else {
                    continue;
                };
                let [r, f, q] = ["DIVR", "DIVF", "DIVQ"].map(|name| parameter(&text, name));
                let compared = f64::from(crystal) / (r + 1.0);
                let oscillator = compared * (f + 1.0);
                assert_eq!(oscillator / q.exp2(), f64::from(mhz), "{text}");
                assert!((10.0..=133.0).contains(&compared), "{text}");
                assert!((533.0..=1066.0).contains(&oscillator), "{text}");
                made += 1;
            }
            assert!(made > least, "{crystal}");
        }
        assert!(pll(100, 25).unwrap().contains(".LOCK(locked)"));
    }

    #[test]
    fn the_crystal_frequency_needs_no_pll() {
        let text = pll(12, 12).unwrap();
        assert!(!text.contains("SB_PLL"), "{text}");
        assert!(text.contains("assign clock_out = clock_in;"), "{text}");
        assert_eq!(pll(12, 25), None);
        assert_eq!(pll(100, 26), None);
    }
}

#[cfg(test)]
mod ice40_image_tests {
    use super::*;

    fn file(address: u8) -> Vec<u8> {
        let mut vector = VECTOR_PREFIX.to_vec();
        vector.extend([0, 0, address]);
        vector.resize(VECTOR_LENGTH, 0);
        let mut file = vector.repeat(VECTOR_COUNT);
        file.extend([0xff, 0x00, 0x00, 0xff]);
        file.extend(PREAMBLE);
        file
    }

    #[test]
    fn the_image_at_the_vectors_is_returned() {
        let file = file(160);
        assert_eq!(image(&file).unwrap(), &file[160..]);
    }

    #[test]
    fn other_files_are_rejected() {
        assert_eq!(image(b"text"), Err(Ice40ImageError::NoTable));
        assert_eq!(image(&file(160)[160..]), Err(Ice40ImageError::NoTable));
        assert_eq!(image(&file(161)), Err(Ice40ImageError::Nothing(161)));
        let mut two = file(160);
        two[VECTOR_LENGTH + 11] = 0;
        assert_eq!(image(&two), Err(Ice40ImageError::Several));
    }
}
