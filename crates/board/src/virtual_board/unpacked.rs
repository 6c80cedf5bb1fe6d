//! Converts the output of icebox_vlog to Verilog for Verilator, with its PLL and RAMs.

use thiserror::Error;

/// Contents of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct UnpackedImage {
    /// Module with an additional output `reload`: the chip reloads image 0.
    pub verilog: String,
    pub pll: PllSettings,
    /// Contents of each block RAM: 256 words of 16 bits.
    pub rams: Vec<Vec<u16>>,
}

/// Dividers of a PLL with simple feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PllSettings {
    pub divr: u32,
    pub divf: u32,
    pub divq: u32,
}

/// The image does not belong to a supported board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the unpacked image has {0}")]
pub struct UnsupportedImage(pub(super) String);

fn unsupported_image<T>(what: impl Into<String>) -> Result<T, UnsupportedImage> {
    Err(UnsupportedImage(what.into()))
}

impl PllSettings {
    /// Output frequency in MHz (Lattice, "iCE40 sysCLOCK PLL").
    pub fn mhz(self, crystal_mhz: u32) -> f64 {
        let vco = f64::from(crystal_mhz) * f64::from(self.divf + 1) / f64::from(self.divr + 1);
        vco / f64::from(1u32 << self.divq)
    }
}

/// Reads the output of icebox_vlog. `top` is its module.
pub fn read(text: &str, top: &str) -> Result<UnpackedImage, UnsupportedImage> {
    let plls = instances(text, "SB_PLL40_CORE");
    let [pll] = plls[..] else {
        return unsupported_image(format!("{} PLLs instead of one", plls.len()));
    };
    let divider =
        |name| binary(pll, name).ok_or_else(|| UnsupportedImage(format!("a PLL without {name}")));
    Ok(UnpackedImage {
        verilog: with_reload(&with_plain_ports(text, top)?)?,
        pll: PllSettings { divr: divider("DIVR")?, divf: divider("DIVF")?, divq: divider("DIVQ")? },
        rams: instances(text, "SB_RAM40_4K")
            .into_iter()
            .map(|ram| {
                contents(ram).ok_or_else(|| UnsupportedImage("a block RAM without contents".into()))
            })
            .collect::<Result<_, _>>()?,
    })
}

/// Instances of a cell, each from its parameters to its end.
fn instances<'a>(text: &'a str, cell: &str) -> Vec<&'a str> {
    let begin = format!("\n{cell} #(\n");
    let after = text.match_indices(&begin).map(|(at, _)| &text[at + begin.len()..]);
    after.map(|rest| rest.split_once("\n);").map_or(rest, |(instance, _)| instance)).collect()
}

/// Value of a parameter in binary notation.
fn binary(instance: &str, name: &str) -> Option<u32> {
    let (_, value) = instance.split_once(&format!(".{name}("))?;
    let (_, digits) = value.split_once("'b")?;
    u32::from_str_radix(digits.split_once(')')?.0, 2).ok()
}

/// Words of a block RAM: 16 parameters of 16 words, the first one lowest.
fn contents(ram: &str) -> Option<Vec<u16>> {
    let mut words = Vec::with_capacity(256);
    for i in 0..16 {
        let (_, value) = ram.split_once(&format!(".INIT_{i:X}(256'h"))?;
        let digits = value.split_once(')')?.0;
        let word = |at: usize| u16::from_str_radix(digits.get(at..at + 4)?, 16).ok();
        for i in (0..16).rev() {
            words.push(word(4 * i)?);
        }
    }
    Some(words)
}

/// Lists the ports by name in the header and declares them after it. The output of icebox_vlog
/// declares them in the header and again as nets, which Verilog does not permit.
fn with_plain_ports(text: &str, top: &str) -> Result<String, UnsupportedImage> {
    let begin = format!("module {top} (");
    let header = text.split_once(&begin).and_then(|(before, rest)| {
        let (ports, after) = rest.split_once(");")?;
        Some((before, ports, after))
    });
    let Some((before, ports, after)) = header else {
        return unsupported_image(format!("no module {top}"));
    };
    let declared: Vec<&str> = ports.split(", ").collect();
    let names: Option<Vec<&str>> =
        declared.iter().map(|port| Some(port.split_once(' ')?.1)).collect();
    let Some(names) = names else {
        return unsupported_image(format!("a port that cannot be read in: {ports}"));
    };
    Ok(format!(
        "{before}{begin}{}, reload);\n{};\noutput reload;{after}",
        names.join(", "),
        declared.join(";\n")
    ))
}

/// Converts the cell that reloads the chip to an output.
fn with_reload(text: &str) -> Result<String, UnsupportedImage> {
    let begin = "\nSB_WARMBOOT (\n";
    let parts = text.split_once(begin).and_then(|(before, rest)| {
        let (pins, after) = rest.split_once("\n);")?;
        Some((before, pins, after))
    });
    let Some((before, pins, after)) = parts else {
        return unsupported_image("no reload signal");
    };
    let net = |pin: &str| {
        let (_, net) = pins.split_once(&format!(".{pin}("))?;
        Some(net.split_once(')')?.0)
    };
    let (Some(boot), Some(s0), Some(s1)) = (net("BOOT"), net("S0"), net("S1")) else {
        return unsupported_image(format!("a warm boot that cannot be read: {pins}"));
    };
    Ok(format!("{before}\nassign reload = {boot} & ~{s1} & ~{s0};{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let inits: Vec<String> = (0..16)
            .map(|i| {
                let words = (0..16).rev().map(|word| format!("{:04x}", 16 * i + word));
                format!("  .INIT_{i:X}(256'h{})", words.collect::<String>())
            })
            .collect();
        format!(
            "\nmodule t (input clk, output \\led[0] );\n\nwire clk, n1;\nreg \\led[0]  = 0;\n\n\
             SB_WARMBOOT (\n  .BOOT(n51),\n  .S0(n2),\n  .S1(n3),\n);\n\n\
             SB_PLL40_CORE #(\n  .DIVR(4'b0001),\n  .DIVF(7'b0000111),\n  .DIVQ(3'b100)\n\
             ) PLL_16_33 (\n  .REFERENCECLK(clk)\n);\n\n\
             SB_RAM40_4K #(\n{}\n) ram (\n  .RCLK(clk)\n);\n\nendmodule\n",
            inits.join(",\n")
        )
    }

    #[test]
    fn ports_and_reload_are_plain_verilog() {
        let verilog = read(&text(), "t").unwrap().verilog;
        assert!(
            verilog.starts_with(
                "\nmodule t (clk, \\led[0] , reload);\ninput clk;\noutput \\led[0] ;\noutput reload;\n"
            ),
            "{verilog}"
        );
        assert!(verilog.contains("\nassign reload = n51 & ~n3 & ~n2;\n"), "{verilog}");
        assert!(!verilog.contains("WARMBOOT"));
    }

    #[test]
    fn settings_and_contents_are_read() {
        let unpacked = read(&text(), "t").unwrap();
        assert_eq!(unpacked.pll.mhz(100), 25.0);
        assert_eq!(unpacked.rams, [(0..256).collect::<Vec<u16>>()]);
    }

    #[test]
    fn another_image_is_rejected() {
        let without = text().replace("SB_WARMBOOT (", "OTHER (");
        let error = read(&without, "t").unwrap_err().to_string();
        assert_eq!(error, "the unpacked image has no reload signal");
        let error = read("module t (input a);", "t").unwrap_err().to_string();
        assert!(error.contains("0 PLLs"), "{error}");
        assert!(read(&text(), "other").is_err());
    }
}
