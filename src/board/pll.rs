//! The PLL of an iCE40, with the dividers that `rust-hdl-fpga-support` finds.

use super::pins::CRYSTAL_MHZ;
use rust_hdl::fpga::lattice::ice40::ice_pll::ICE40PLLBlock;
use rust_hdl::prelude::*;

const CRYSTAL: u64 = CRYSTAL_MHZ as u64 * 1_000_000;

/// The module `pll` for a machine clock of `mhz`; `None` for a frequency that the
/// dividers do not hit exactly.
pub fn pll(mhz: u32) -> Option<String> {
    macro_rules! one_of {
        ($($made:literal)*) => {
            match mhz {
                $($made => ICE40PLLBlock::<CRYSTAL, { $made * 1_000_000 }>::default().hdl(),)*
                _ => return None,
            }
        };
    }
    let hdl = one_of!(20 25 30 40 50 60 75 80 100 125 150 200);
    let Verilog::Custom(body) = hdl else {
        unreachable!("the package's PLL is text");
    };
    Some(format!(
        "// The PLL, as rust-hdl-fpga-support prints it.\n\
         module pll (\n    input  wire clock_in,\n    output wire clock_out,\n    output wire locked\n);\n\
         {body}endmodule\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a parameter in the text.
    fn parameter(text: &str, name: &str) -> f64 {
        let (_, value) = text.split_once(&format!(".{name}(32'h")).unwrap();
        let (value, _) = value.split_once(')').unwrap();
        f64::from(u32::from_str_radix(value, 16).unwrap())
    }

    /// The formula of Lattice's guide for simple feedback: fin (DIVF + 1) /
    /// ((DIVR + 1) 2^DIVQ).
    #[test]
    fn the_dividers_make_the_frequency() {
        let mut made = 0;
        for mhz in 1..=300 {
            let Some(text) = pll(mhz) else { continue };
            let [r, f, q] = ["DIVR", "DIVF", "DIVQ"].map(|name| parameter(&text, name));
            let is = f64::from(CRYSTAL_MHZ) * (f + 1.0) / ((r + 1.0) * q.exp2());
            assert_eq!(is, f64::from(mhz), "{text}");
            made += 1;
        }
        assert!(made > 10);
        assert!(pll(25).unwrap().contains(".LOCK(locked)"));
    }
}
