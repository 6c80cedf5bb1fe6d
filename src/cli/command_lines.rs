//! Command lines for tests that cover all commands.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use std::ffi::OsString;

/// Returns the commands that have no subcommands, each with the words that call it.
pub fn leaf_commands(root: &Command) -> Vec<(Vec<String>, Command)> {
    leaf_commands_below(root, &[root.get_name().to_owned()])
}

fn leaf_commands_below(command: &Command, words: &[String]) -> Vec<(Vec<String>, Command)> {
    let mut all = vec![];
    for sub in command.get_subcommands() {
        let words = [words, &[sub.get_name().to_owned()]].concat();
        match sub.has_subcommands() {
            true => all.extend(leaf_commands_below(sub, &words)),
            false => all.push((words, sub.clone())),
        }
    }
    all
}

/// Reads a command line. Missing required arguments are filled in with a program of this project or
/// with a file that does not exist.
pub fn parse_words(root: &Command, mut words: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    for _ in 0..9 {
        let error = match root.clone().try_get_matches_from(&words) {
            Ok(matches) => return Ok(matches),
            Err(error) => error,
        };
        let missing = match (error.kind(), error.get(ContextKind::InvalidArg)) {
            (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) => missing,
            _ => return Err(error),
        };
        // `--data <FILE.csv>`, `<PROGRAM>`
        let flag = missing[0].split_once(' ').map(|(flag, _)| flag.into());
        words.extend(flag);
        let is_program = missing[0].ends_with("<PROGRAM>");
        words.push(if is_program { "route" } else { "no-such-file" }.into());
    }
    panic!("{words:?}");
}
