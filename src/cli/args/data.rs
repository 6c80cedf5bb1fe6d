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
    /// Input data of the programs: a CSV file with lines node,value,value,.. of 32-bit values, or
    /// none. The run has no traffic and ends when all programs have ended
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = CONFLICTS)]
    pub data: Option<PathBuf>,

    /// Expected results of the programs, in the form of --data. The run fails if a program returns
    /// other values
    #[arg(long, value_name = "FILE.csv", requires = "data")]
    pub check: Option<PathBuf>,

    /// Maximum difference between a returned and an expected value
    #[arg(long, value_name = "N", requires = "check", default_value = "0")]
    pub tolerance: u32,

    /// Write the results of the programs to this file, in the form of --data; - for standard output
    #[arg(long, value_name = "FILE.csv", requires = "data")]
    pub results: Option<OutputFile>,
}
