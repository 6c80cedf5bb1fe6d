//! Versions as the tools print them.

use super::pins::Tool;
use std::cmp::Ordering;
use std::fmt;

/// Dotted version number. Leading zeros do not count: Verilator's 5.020 is (5, 20).
#[derive(Debug, Clone)]
pub struct Version {
    numbers: Vec<u64>,
    text: String,
}

impl Version {
    /// First dotted number (`N.N`, `N.N.N` ...) in a text.
    pub fn first_in(text: &str) -> Option<Version> {
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            if !bytes[start].is_ascii_digit() {
                start += 1;
                continue;
            }
            let length =
                bytes[start..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
            let word = text[start..start + length].trim_end_matches('.');
            let numbers: Option<Vec<u64>> = word.split('.').map(|n| n.parse().ok()).collect();
            match numbers {
                Some(numbers) if numbers.len() >= 2 => {
                    return Some(Version { numbers, text: word.to_string() });
                }
                _ => start += length,
            }
        }
        None
    }

    /// Version in the output of `tool --version`. `None` if the output contains no version, as for
    /// a build from a bare commit.
    pub fn printed_by(tool: Tool, output: &str) -> Option<Version> {
        let marker = match tool {
            Tool::Yosys => "Yosys ",
            Tool::NextpnrIce40 | Tool::NextpnrEcp5 => "(Version ",
            Tool::Verilator => "Verilator ",
            Tool::Slang => "slang version ",
            Tool::RiscvCc => {
                // `riscv64-unknown-elf-gcc (its packager's words) 12.2.0`
                let line = output.lines().next()?;
                return Version::first_in(line.rsplit(") ").next()?);
            }
            Tool::Iverilog => "Icarus Verilog version ",
            Tool::Vvp => "Icarus Verilog runtime version ",
            // Bitwuzla prints the number alone.
            Tool::Bitwuzla => return Version::first_in(output.lines().next()?),
            Tool::Icepack | Tool::Iceunpack | Tool::Icemulti | Tool::IceboxVlog => return None,
            Tool::YosysSmtbmc | Tool::Ecppack => return None,
        };
        let line = output.lines().find(|line| line.contains(marker))?;
        let after = &line[line.find(marker)? + marker.len()..];
        // Only the word right after the marker is the version. Further numbers are dates and
        // compilers.
        Version::first_in(after.split_whitespace().next()?)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let length = self.numbers.len().max(other.numbers.len());
        let at = |version: &Version, i: usize| version.numbers.get(i).copied().unwrap_or(0);
        (0..length)
            .map(|i| at(self, i).cmp(&at(other, i)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(tool: Tool, output: &str) -> Option<String> {
        Version::printed_by(tool, output).map(|v| v.to_string())
    }

    // Claim: the version is read from each tool's real output.
    #[test]
    fn tool_outputs_are_parsed() {
        let yosys = "Yosys 0.40+22 (git sha1 28ba3cb92, clang++ 14.0.6 -fPIC)";
        assert_eq!(printed(Tool::Yosys, yosys).unwrap(), "0.40");
        let debian = "nextpnr-ice40 -- Next Generation Place and Route (Version 0.4-1)";
        assert_eq!(printed(Tool::NextpnrIce40, debian).unwrap(), "0.4");
        let newer = "\"nextpnr-ice40\" -- Next Generation Place and Route (Version nextpnr-0.11.1)";
        assert_eq!(printed(Tool::NextpnrIce40, newer).unwrap(), "0.11.1");
        let verilator = "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)";
        assert_eq!(printed(Tool::Verilator, verilator).unwrap(), "5.006");
        let gcc = "riscv64-unknown-elf-gcc (14.2.0+19) 14.2.0\nCopyright (C) 2024";
        assert_eq!(printed(Tool::RiscvCc, gcc).unwrap(), "14.2.0");
        let icarus = "Icarus Verilog version 11.0 (stable) ()\n\nCopyright 1998-2020";
        assert_eq!(printed(Tool::Iverilog, icarus).unwrap(), "11.0");
        assert_eq!(printed(Tool::Bitwuzla, "0.10.0\n").unwrap(), "0.10.0");
        let runtime = "Icarus Verilog runtime version 12.0 (stable) ()";
        assert_eq!(printed(Tool::Vvp, runtime).unwrap(), "12.0");
    }

    // Claim: an output without a version is not mistaken for one.
    #[test]
    fn a_bare_commit_is_no_version() {
        let bare = "nextpnr-ice40 -- Next Generation Place and Route (Version 5d1b8ddc)";
        assert_eq!(printed(Tool::NextpnrIce40, bare), None);
        assert_eq!(printed(Tool::Verilator, " rev vUNKNOWN-built2026"), None);
        assert_eq!(printed(Tool::Yosys, ""), None);
    }

    // Claim: versions compare by number, part by part.
    #[test]
    fn compares_by_number() {
        let v = |text| Version::first_in(text).unwrap();
        assert!(v("0.9") < v("0.40"));
        assert!(v("0.11.1") > v("0.7"));
        assert!(v("5.020") > v("5.006"));
        assert!(v("5.020") == v("5.20.0"));
    }
}
