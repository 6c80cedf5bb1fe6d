//! `--json`.

use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}
