//! `phasecube sweep`: how the limits of the machine depend on its parameters.

mod load;
mod phase;

use super::file_flags::Inputs;
use super::Failure;
use crate::flags::OutputFlags;
use crate::networks::Networks;
use clap::{Args, Subcommand};
use load::LoadArgs;
use phase::PhaseArgs;

/// Measure what the machine's limits depend on
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube sweep phase --axis payload\n  phasecube sweep load --network torus --radix 8,8"
)]
pub struct SweepArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    Phase(PhaseArgs),
    Load(LoadArgs),
}

/// Output format of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Tables and plots.
    Text,
    /// One JSON object.
    Json,
    /// Comma-separated values.
    Csv,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
struct FormatFlags {
    #[command(flatten)]
    output: OutputFlags,

    /// Print comma-separated values and nothing else
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl FormatFlags {
    fn format(&self) -> Format {
        match (self.output.json, self.csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Text,
        }
    }
}

/// Runs the sweep and prints the results.
pub fn sweep(args: &SweepArgs, networks: &Networks, inputs: &Inputs) -> Result<(), Failure> {
    match &args.what {
        What::Phase(args) => phase::sweep(args),
        What::Load(args) => load::sweep(args, networks, inputs),
    }
}
