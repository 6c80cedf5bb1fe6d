//! The flags of the TDMA cube.

use super::disturbed::DisturbanceFlags;
use super::link::LinkFlags;
use super::machine::Program;
use crate::flags::within;
use clap::Args;

/// Heading of the flags for programs.
const PROGRAM: &str = "Nodes that run a program";

/// Those of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchFlags {
    /// What the nodes run: route, an ELF file or a C file (.c); or none: hardware forwarders
    #[arg(long, value_name = "PROGRAM", default_value = "route")]
    pub firmware: String,
}

impl BenchFlags {
    /// The program, if there is one.
    pub fn program(&self) -> Option<Program> {
        (self.firmware != "none").then(|| Program {
            name: self.firmware.clone(),
            service: None,
        })
    }
}

/// Those of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunFlags {
    #[command(flatten)]
    pub link: LinkFlags,

    #[command(flatten)]
    pub disturbance: DisturbanceFlags,

    /// End the run after so many superframes, whatever is still under way
    #[arg(long, value_name = "N", help_heading = "Simulation", value_parser = within::<u64>(1, u32::MAX.into()))]
    pub superframes: Option<u64>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

/// What nodes run in place of a forwarder.
#[derive(Clone, Debug, Args)]
pub struct ProgramFlags {
    /// Nodes that run a program instead of a forwarder: route, an ELF file, or a C file (.c)
    #[arg(long, value_name = "PROGRAM", help_heading = PROGRAM)]
    pub firmware: Option<String>,

    /// Bit-times of the service window, in which the programs decide; 1 to 4000; by default what route needs
    #[arg(long, value_name = "BITS", requires = "firmware", help_heading = PROGRAM, value_parser = within::<u32>(1, 4000))]
    pub service: Option<u32>,

    /// Show what the cores do with their time
    #[arg(long, requires = "firmware", help_heading = PROGRAM)]
    pub profile: bool,
}

impl ProgramFlags {
    /// The program, if there is one.
    pub fn program(&self) -> Option<Program> {
        self.firmware.as_ref().map(|name| Program {
            name: name.clone(),
            service: self.service,
        })
    }
}
