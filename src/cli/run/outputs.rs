//! Output files of a run, checked before anything is built.

use super::RunArgs;
use crate::cli::files::OutputTarget;
use crate::cli::output::Report;
use crate::cli::CliError;
use anyhow::anyhow;
use machine::wave::FileKind;
use std::path::Path;

/// Output files of a run.
#[derive(Clone, Debug)]
pub struct RunOutputs {
    pub dump: Option<OutputTarget>,
    pub picture: Option<OutputTarget>,
    pub wave: Option<OutputTarget>,
    pub results: Option<OutputTarget>,
}

impl RunOutputs {
    /// Checks the output files.
    ///
    /// # Errors
    /// Bad input, if one of them cannot be written.
    pub fn check(args: &RunArgs) -> Result<Self, CliError> {
        let outputs = RunOutputs {
            dump: args.traffic.dump_target()?,
            picture: OutputTarget::from_flag("--picture", args.look.picture.as_ref())?,
            wave: OutputTarget::from_flag("--wave", args.look.wave.as_ref())?,
            results: OutputTarget::from_flag("--results", args.data.results.as_ref())?,
        };
        if let Some(path) = &args.look.picture {
            let svg = path.extension().is_some_and(|end| end == "svg");
            let named = outputs
                .picture
                .as_ref()
                .is_some_and(OutputTarget::is_seekable);
            if named && !svg {
                return bad_input(format!(
                    "--picture {}: a picture is SVG; accepted: a name that ends in .svg, or - for \
                     standard output",
                    path.display()
                ));
            }
        }
        Ok(outputs)
    }

    /// Stream of the report.
    pub fn report_stream(&self) -> Report {
        Report::avoiding([&self.dump, &self.picture, &self.wave, &self.results])
    }
}

/// Returns the waveform format for this file name. An output that cannot seek, such as standard
/// output, gets a VCD.
///
/// # Errors
/// Bad input, if the format is unknown, or needs to seek and the output cannot.
pub fn wave_kind(path: &Path, target: &OutputTarget) -> Result<FileKind, CliError> {
    match (FileKind::of(path), target.is_seekable()) {
        (kind, true) => kind.map_err(|e| CliError::BadInput(anyhow!(e).context("--wave"))),
        (Ok(FileKind::Fst), false) => bad_input(format!(
            "--wave {}: a FST cannot be written to a device or pipe; accepted: a file, or a name \
             that ends in .vcd",
            path.display()
        )),
        (_, false) => Ok(FileKind::Vcd),
    }
}

fn bad_input<T>(what: String) -> Result<T, CliError> {
    Err(CliError::BadInput(anyhow!(what)))
}
