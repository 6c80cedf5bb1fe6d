//! The files that a run writes, checked before anything is built.

use super::RunArgs;
use crate::cli::files::Target;
use crate::cli::output::Report;
use crate::cli::Failure;
use crate::wave::FileKind;
use anyhow::anyhow;
use std::path::{Path, PathBuf};

/// The files of a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    pub dump: Option<Target>,
    pub picture: Option<Target>,
    pub wave: Option<Target>,
    pub results: Option<Target>,
}

impl Outputs {
    /// # Errors
    /// Bad input, if one of them cannot be written, or two are the same.
    pub fn check(args: &RunArgs) -> Result<Self, Failure> {
        let target = |flag, path: &Option<PathBuf>| {
            let target = path.as_ref().map(|path| Target::new(flag, path));
            target.transpose()
        };
        let outputs = Outputs {
            dump: args.traffic.dump_target()?,
            picture: target("--picture", &args.look.picture)?,
            wave: target("--wave", &args.look.wave)?,
            results: target("--results", &args.data.results)?,
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
        outputs.are_apart(args.output.json)?;
        Ok(outputs)
    }

    fn are_apart(&self, json: bool) -> Result<(), Failure> {
        let all = [
            ("--dump-traffic", &self.dump),
            ("--picture", &self.picture),
            ("--wave", &self.wave),
            ("--results", &self.results),
        ];
        let given = all
            .iter()
            .filter_map(|(flag, target)| Some((flag, target.as_ref()?)));
        let given: Vec<_> = given.collect();
        for (i, (flag, target)) in given.iter().enumerate() {
            if json && target.is_stdout() {
                return bad(format!(
                    "--json and {flag} both go to standard output; accepted: a file for {flag}"
                ));
            }
            if let Some((other, _)) = given[..i].iter().find(|(_, other)| other.is_same(target)) {
                return bad(format!(
                    "{other} and {flag} both go to the same place; accepted: another file for \
                     {flag}"
                ));
            }
        }
        Ok(())
    }

    /// Where the report goes.
    pub fn report(&self) -> Report {
        let all = [&self.dump, &self.picture, &self.wave, &self.results];
        match all.into_iter().flatten().any(Target::is_stdout) {
            true => Report::Stderr,
            false => Report::Stdout,
        }
    }
}

/// The kind of waveform that this name asks for; where it cannot be gone back to, as on
/// standard output, it is a VCD.
///
/// # Errors
/// Bad input, if there is no such kind, or it cannot be written there.
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
