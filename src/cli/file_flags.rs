//! Files that a command line names. An output must be neither an input nor another output.
//!
//! The check covers every command, before the command reads or runs anything. It finds the files
//! by the type of a value: [`OutputFile`] is written, and any other path is read. Files are compared
//! by identity, so links and other spellings of a path make no difference.

use super::files::{FileId, OutputTarget};
use super::CliError;
use anyhow::anyhow;
use board::port::PortName;
use clap::{Arg, ArgMatches, Command};
use interconnect::traffic::TrafficPattern;
use machine::flags::OutputFile;
use machine::program::ProgramName;
use std::any::Any;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Regular files that a command reads.
#[derive(Debug, Default)]
pub struct InputFiles(Vec<InputFile>);

#[derive(Debug)]
struct InputFile {
    /// Flag and value. A positional argument has the value alone.
    label: String,
    id: FileId,
}

/// File that a command writes.
struct CheckedOutput {
    flag: String,
    target: OutputTarget,
    id: Option<FileId>,
}

/// Checks all files that the command line names; returns the inputs.
///
/// # Errors
/// Bad input, if an output cannot be written, or is an input or another output.
pub fn check_files(command: &Command, matches: &ArgMatches) -> Result<InputFiles, CliError> {
    let (mut inputs, mut outputs) = (vec![], vec![]);
    let mut json = false;
    let (mut command, mut matches) = (command, matches);
    loop {
        json |= matches!(matches.try_get_one::<bool>("json"), Ok(Some(true)));
        for argument in command.get_arguments() {
            inputs.extend(input_files(argument, matches));
            for file in typed_values::<OutputFile>(argument, matches) {
                let flag = flag_name(argument);
                let target = OutputTarget::new(&flag, &file)?;
                let id = target.id();
                outputs.push(CheckedOutput { flag, target, id });
            }
        }
        let inner = matches.subcommand();
        match inner.and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner))) {
            Some(inner) => (command, matches) = inner,
            None => break,
        }
    }
    let inputs = InputFiles(inputs);
    check_stdout(&inputs, &outputs, json)?;
    for (number, output) in outputs.iter().enumerate() {
        let CheckedOutput { flag, target, id } = output;
        let is_same = |other: &&CheckedOutput| {
            let both_stdout = other.target.is_stdout() && target.is_stdout();
            both_stdout || id.is_some() && other.id == *id
        };
        if let Some(other) = outputs[..number].iter().find(is_same) {
            return bad_input(format!(
                "{} and {flag} both go to the same place; accepted: another file for {flag}",
                other.flag
            ));
        }
        inputs.check_not_input(&format!("{flag} {}", target.display_path()), target, flag)?;
    }
    Ok(inputs)
}

/// Rejects a standard output that is also an input or another output of the command.
fn check_stdout(
    inputs: &InputFiles,
    outputs: &[CheckedOutput],
    json: bool,
) -> Result<(), CliError> {
    let stdout = FileId::of_stdout();
    if let Some(input) = inputs.0.iter().find(|input| Some(&input.id) == stdout.as_ref()) {
        return bad_input(format!(
            "standard output is the file of {}, which the command reads; accepted: another \
             standard output",
            input.label
        ));
    }
    for CheckedOutput { flag, target, id } in outputs {
        if json && target.is_stdout() {
            return bad_input(format!(
                "--json and {flag} both go to standard output; accepted: a file for {flag}"
            ));
        }
        if !target.is_stdout() && stdout.is_some() && *id == stdout {
            return bad_input(format!(
                "{flag} {} is standard output, where the command prints; accepted: another file \
                 for {flag}, or -",
                target.display_path()
            ));
        }
    }
    Ok(())
}

impl InputFiles {
    /// Rejects an output that is an input.
    ///
    /// # Errors
    /// Bad input, naming the output as `shown` and the input.
    pub fn check_not_input(
        &self,
        shown: &str,
        target: &OutputTarget,
        flag: &str,
    ) -> Result<(), CliError> {
        let id = target.id();
        match self.0.iter().find(|input| Some(&input.id) == id.as_ref()) {
            None => Ok(()),
            Some(input) => bad_input(format!(
                "{shown} would replace the file of {}, which the command reads; accepted: another \
                 file for {flag}",
                input.label
            )),
        }
    }
}

/// Returns the regular files that an argument names for reading.
fn input_files(argument: &Arg, matches: &ArgMatches) -> Vec<InputFile> {
    let prefix = match argument.is_positional() {
        true => String::new(),
        false => format!("{} ", flag_name(argument)),
    };
    let mut inputs = vec![];
    let mut input = |shown: &dyn Display, path: &Path| {
        let shown = format!("{prefix}{shown}");
        inputs.extend(FileId::of_regular(path).map(|id| InputFile { label: shown, id }));
    };
    for path in typed_values::<PathBuf>(argument, matches) {
        input(&path.display(), &path);
    }
    for program in typed_values::<ProgramName>(argument, matches) {
        if let Some(path) = program.user_path() {
            input(&program, path);
        }
    }
    for port in typed_values::<PortName>(argument, matches) {
        if let PortName::Device(path) = &port {
            input(&port, path);
        }
    }
    for pattern in typed_values::<TrafficPattern>(argument, matches) {
        if let TrafficPattern::File(path) = &pattern {
            input(&pattern, path);
        }
    }
    inputs
}

/// Returns the values of an argument, if they have this type.
fn typed_values<T: Any + Clone + Send + Sync>(argument: &Arg, matches: &ArgMatches) -> Vec<T> {
    let values = matches.try_get_many::<T>(argument.get_id().as_str());
    let values = values.ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

/// Formats the argument as a user writes it.
fn flag_name(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => argument.get_id().to_string(),
    }
}

fn bad_input<T>(what: String) -> Result<T, CliError> {
    Err(CliError::BadInput(anyhow!(what)))
}

#[cfg(test)]
mod tests;
