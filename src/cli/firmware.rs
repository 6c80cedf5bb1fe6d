//! `phasecube firmware`: writes a project with programs for the nodes.

use super::{files, CliError};
use clap::Args;
use machine::flags::OutputDir;
use machine::program::template;

/// Write a project with programs for the nodes in C, C++ and Rust
///
/// The project has a Makefile, a CMake build, a crate with safe functions for Rust, the runtime and
/// its linker script. It needs nothing else of Phasecube. Its README.md names the compilers. `run`
/// and `load` take the ELF files. They also compile a single C or C++ file themselves.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube firmware --out my-programs\n  make -C my-programs\n  phasecube run --firmware my-programs/build/sum.elf --dims 3 --data my-programs/numbers.csv"
)]
pub struct FirmwareArgs {
    /// Directory of the project; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: OutputDir,

    /// Replace files in the directory that were changed by hand
    #[arg(long)]
    force: bool,
}

/// Writes the project, and prints the number of its files.
pub fn firmware(args: &FirmwareArgs) -> Result<(), CliError> {
    let reason = "changed by hand, or of another version";
    files::write_kit(&args.out, &template::files(), args.force, reason)
}
