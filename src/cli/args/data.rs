//! Input data of programs, and the results expected of them.

use clap::Args;
use machine::flags::OutputFile;
use std::path::PathBuf;

/// These flags conflict with `--data`, because such a run has no traffic.
const CONFLICTS: [&str; 5] = ["pattern", "schedule", "dump_traffic", "trace", "picture"];

/// What programs are given, and what is expected of them.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Nodes that run a program")]
pub struct DataArgs {
    /// What the program of each node is given: CSV, node,value,value,.. with values of 32 bits; or
    /// none. The run ends when all programs have ended, and there is no traffic
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = CONFLICTS)]
    pub data: Option<PathBuf>,

    /// What the programs are expected to return, in the same form; the exit code says whether they do
    #[arg(long, value_name = "FILE.csv", requires = "data")]
    pub check: Option<PathBuf>,

    /// By how much a value may differ from what is expected
    #[arg(long, value_name = "N", requires = "check", default_value = "0")]
    pub tolerance: u32,

    /// Write what the programs return, in the same form; - for standard output
    #[arg(long, value_name = "FILE.csv", requires = "data")]
    pub results: Option<OutputFile>,
}
