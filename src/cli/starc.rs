//! `phasecube starc`: translates StarC to C.

use super::files::OutputTarget;
use super::{output, CliError};
use clap::Args;
use interconnect::topology::Hypercube;
use machine::flags::{within, OutputFile};
use machine::program::star;
use starc::Options;
use std::path::PathBuf;
use toolchain::progress;

/// Translate a StarC program to C
///
/// StarC is C with values that differ between processors and blocks of communication
/// (docs/starc.md). The C includes star.h. `run`, `board` and `load` translate a StarC file
/// themselves.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube starc heat.starc --out heat.c\n  phasecube run --firmware heat.starc --dims 12 --data none"
)]
pub struct StarcArgs {
    /// StarC file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// C file to write [default: standard output]
    #[arg(long, value_name = "FILE.c")]
    out: Option<OutputFile>,

    /// Dimensions of the machine, 1 to 16: the value of STAR_DIMENSIONS
    #[arg(long, value_name = "N", default_value = "12", value_parser = within::<u32>(1, Hypercube::MAX_DIMS.into()))]
    dims: u32,

    /// Reject conditions of if and loops that differ between processors
    #[arg(long)]
    strict: bool,
}

/// Translates the file, and prints or writes the C.
pub fn starc(args: &StarcArgs) -> Result<(), CliError> {
    let target = OutputTarget::from_flag("--out", args.out.as_ref())?;
    let options = Options { dims: args.dims, strict: args.strict, ..Options::default() };
    let translated = star::translate_file(&args.file, &options);
    let translation = translated.map_err(|e| CliError::BadInput(e.into()))?;
    if !translation.warnings.is_empty() {
        progress::note(translation.warnings.to_string().trim_end());
    }
    match target {
        None => output::print(&translation.c),
        Some(target) => target
            .write(|out| Ok(out.write_all(translation.c.as_bytes())?))
            .map_err(CliError::Failed),
    }
}
