//! Files that a command line names. An output must be neither an input nor another output.
//!
//! The check covers every command, before the command reads or runs anything. It finds the files
//! by the type of a value: [`OutputFile`] is written, and any other path is read. Files are compared
//! by identity, so links and other spellings of a path make no difference.

use super::files::{FileId, Target};
use super::Failure;
use crate::board::address::PortName;
use crate::flags::OutputFile;
use crate::program::ProgramName;
use crate::traffic::Pattern;
use anyhow::anyhow;
use clap::{Arg, ArgMatches, Command};
use std::any::Any;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Regular files that a command reads.
#[derive(Debug, Default)]
pub struct Inputs(Vec<Input>);

#[derive(Debug)]
struct Input {
    /// Flag and value. A positional argument has the value alone.
    shown: String,
    id: FileId,
}

/// File that a command writes.
struct Output {
    flag: String,
    target: Target,
    id: Option<FileId>,
}

/// Checks all files that the command line names; returns the inputs.
///
/// # Errors
/// Bad input, if an output cannot be written, or is an input or another output.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<Inputs, Failure> {
    let (mut inputs, mut outputs) = (vec![], vec![]);
    let mut json = false;
    let (mut command, mut matches) = (command, matches);
    loop {
        json |= matches!(matches.try_get_one::<bool>("json"), Ok(Some(true)));
        for argument in command.get_arguments() {
            inputs.extend(inputs_of(argument, matches));
            for file in values::<OutputFile>(argument, matches) {
                let flag = name(argument);
                let target = Target::new(&flag, &file)?;
                let id = target.id();
                outputs.push(Output { flag, target, id });
            }
        }
        let inner = matches.subcommand();
        match inner.and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner))) {
            Some(inner) => (command, matches) = inner,
            None => break,
        }
    }
    let inputs = Inputs(inputs);
    check_stdout(&inputs, &outputs, json)?;
    for (number, output) in outputs.iter().enumerate() {
        let Output { flag, target, id } = output;
        let is_same = |other: &&Output| {
            let both_stdout = other.target.is_stdout() && target.is_stdout();
            both_stdout || id.is_some() && other.id == *id
        };
        if let Some(other) = outputs[..number].iter().find(is_same) {
            return bad(format!(
                "{} and {flag} both go to the same place; accepted: another file for {flag}",
                other.flag
            ));
        }
        inputs.check_apart(&format!("{flag} {}", target.shown()), target, flag)?;
    }
    Ok(inputs)
}

/// Rejects a standard output that is also an input or another output of the command.
fn check_stdout(inputs: &Inputs, outputs: &[Output], json: bool) -> Result<(), Failure> {
    let stdout = FileId::of_stdout();
    if let Some(input) = inputs
        .0
        .iter()
        .find(|input| Some(&input.id) == stdout.as_ref())
    {
        return bad(format!(
            "standard output is the file of {}, which the command reads; accepted: another \
             standard output",
            input.shown
        ));
    }
    for Output { flag, target, id } in outputs {
        if json && target.is_stdout() {
            return bad(format!(
                "--json and {flag} both go to standard output; accepted: a file for {flag}"
            ));
        }
        if !target.is_stdout() && stdout.is_some() && *id == stdout {
            return bad(format!(
                "{flag} {} is standard output, where the command prints; accepted: another file \
                 for {flag}, or -",
                target.shown()
            ));
        }
    }
    Ok(())
}

impl Inputs {
    /// Rejects an output that is an input.
    ///
    /// # Errors
    /// Bad input, naming the output as `shown` and the input.
    pub fn check_apart(&self, shown: &str, target: &Target, flag: &str) -> Result<(), Failure> {
        let id = target.id();
        match self.0.iter().find(|input| Some(&input.id) == id.as_ref()) {
            None => Ok(()),
            Some(input) => bad(format!(
                "{shown} would replace the file of {}, which the command reads; accepted: another \
                 file for {flag}",
                input.shown
            )),
        }
    }
}

/// Returns the regular files that an argument names for reading.
fn inputs_of(argument: &Arg, matches: &ArgMatches) -> Vec<Input> {
    let prefix = match argument.is_positional() {
        true => String::new(),
        false => format!("{} ", name(argument)),
    };
    let mut inputs = vec![];
    let mut input = |shown: &dyn Display, path: &Path| {
        let shown = format!("{prefix}{shown}");
        inputs.extend(FileId::of_regular(path).map(|id| Input { shown, id }));
    };
    for path in values::<PathBuf>(argument, matches) {
        input(&path.display(), &path);
    }
    for program in values::<ProgramName>(argument, matches) {
        if let Some(path) = program.file() {
            input(&program, path);
        }
    }
    for port in values::<PortName>(argument, matches) {
        if let PortName::Device(path) = &port {
            input(&port, path);
        }
    }
    for pattern in values::<Pattern>(argument, matches) {
        if let Pattern::File(path) = &pattern {
            input(&pattern, path);
        }
    }
    inputs
}

/// Returns the values of an argument, if they have this type.
fn values<T: Any + Clone + Send + Sync>(argument: &Arg, matches: &ArgMatches) -> Vec<T> {
    let values = matches.try_get_many::<T>(argument.get_id().as_str());
    let values = values.ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

/// Formats the argument as a user writes it.
fn name(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => argument.get_id().to_string(),
    }
}

fn bad<T>(what: String) -> Result<T, Failure> {
    Err(Failure::BadInput(anyhow!(what)))
}

#[cfg(test)]
mod tests;
