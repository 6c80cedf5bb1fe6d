//! PLL of an iCE40, with the dividers that `rust-hdl-fpga-support` computes.

use hdl::prelude::*;
use rust_hdl::fpga::lattice::ice40::ice_pll::ICE40PLLBlock;

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
