//! PLL of an ECP5: its dividers and its module. (Lattice, "ECP5 and ECP5-5G sysCLOCK PLL/DLL design
//! and usage guide", FPGA-TN-02200; ranges from the family's data sheet, FPGA-DS-02012, table
//! "sysCLOCK PLL timing".)

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
    let (input, feedback) = with_feedback
        .into_iter()
        .find(|(_, feedback)| (1..=DIVIDER_MAX).contains(feedback))?;
    let outputs = (1..=DIVIDER_MAX).filter(|output| VCO_MHZ.contains(&(mhz * output)));
    let output = outputs.min_by_key(|output| (mhz * output).abs_diff(VCO_MIDDLE_MHZ))?;
    Some(Dividers {
        input,
        feedback,
        output,
    })
}

/// Module `pll` for a machine clock of `mhz`, with two outputs of the same phase. `None` if no
/// dividers make the frequency exactly.
pub fn pll(crystal_mhz: u32, mhz: u32) -> Option<String> {
    let Dividers {
        input,
        feedback,
        output,
    } = dividers(crystal_mhz, mhz)?;
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
        for said in [
            ".CLKI_DIV(1)",
            ".CLKFB_DIV(2)",
            ".CLKOP_DIV(12)",
            ".CLKOP_CPHASE(5)",
            "oscillator runs at 600 MHz",
            ".LOCK(locked)",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }
}
