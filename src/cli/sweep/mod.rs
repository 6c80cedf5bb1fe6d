//! `phasecube sweep`: how the limits of the machine depend on its parameters.

mod load;
mod phase;

use super::file_flags::InputFiles;
use super::CliError;
use clap::{Args, Subcommand};
use load::SweepLoadArgs;
use machine::flags::OutputFlags;
use machine::networks::Networks;
use phase::SweepPhaseArgs;

/// Measure the limits of a machine against its parameters
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube sweep phase --axis payload\n  phasecube sweep load --network torus --radix 8,8"
)]
pub struct SweepArgs {
    #[command(subcommand)]
    what: SweepCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum SweepCommand {
    Phase(SweepPhaseArgs),
    Load(SweepLoadArgs),
}

/// Output format of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SweepFormat {
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
    fn format(&self) -> SweepFormat {
        match (self.output.json, self.csv) {
            (true, _) => SweepFormat::Json,
            (_, true) => SweepFormat::Csv,
            _ => SweepFormat::Text,
        }
    }
}

/// Runs the sweep and prints the results.
pub fn sweep(args: &SweepArgs, networks: &Networks, inputs: &InputFiles) -> Result<(), CliError> {
    match &args.what {
        SweepCommand::Phase(args) => phase::sweep(args),
        SweepCommand::Load(args) => load::sweep(args, networks, inputs),
    }
}
