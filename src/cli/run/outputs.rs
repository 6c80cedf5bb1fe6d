//! Output files of a run, checked before anything is built.

use super::RunArgs;
use crate::cli::files::Target;
use crate::cli::output::Report;
use crate::cli::Failure;
use crate::wave::FileKind;
use anyhow::anyhow;
use std::path::Path;

/// Output files of a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    pub dump: Option<Target>,
    pub picture: Option<Target>,
    pub wave: Option<Target>,
    pub results: Option<Target>,
}

impl Outputs {
    /// Checks the output files.
    ///
    /// # Errors
    /// Bad input, if one of them cannot be written.
    pub fn check(args: &RunArgs) -> Result<Self, Failure> {
        let outputs = Outputs {
            dump: args.traffic.dump_target()?,
            picture: Target::given("--picture", args.look.picture.as_ref())?,
            wave: Target::given("--wave", args.look.wave.as_ref())?,
            results: Target::given("--results", args.data.results.as_ref())?,
        };
        if let Some(path) = &args.look.picture {
            let svg = path.extension().is_some_and(|end| end == "svg");
            let named = outputs.picture.as_ref().is_some_and(Target::is_seekable);
            if named && !svg {
                return bad(format!(
                    "--picture {}: a picture is SVG; accepted: a name that ends in .svg, or - for \
                     standard output",
                    path.display()
                ));
            }
        }
        Ok(outputs)
    }

    /// Stream of the report.
    pub fn report(&self) -> Report {
        Report::beside([&self.dump, &self.picture, &self.wave, &self.results])
    }
}

/// Returns the waveform format for this file name. An output that cannot seek, such as standard
/// output, gets a VCD.
///
/// # Errors
/// Bad input, if the format is unknown, or needs to seek and the output cannot.
pub fn wave_kind(path: &Path, target: &Target) -> Result<FileKind, Failure> {
    match (FileKind::of(path), target.is_seekable()) {
        (kind, true) => kind.map_err(|e| Failure::BadInput(anyhow!(e).context("--wave"))),
        (Ok(FileKind::Fst), false) => bad(format!(
            "--wave {}: a FST cannot be written to a device or pipe; accepted: a file, or a name \
             that ends in .vcd",
            path.display()
        )),
        (_, false) => Ok(FileKind::Vcd),
    }
}

fn bad<T>(what: String) -> Result<T, Failure> {
    Err(Failure::BadInput(anyhow!(what)))
}
