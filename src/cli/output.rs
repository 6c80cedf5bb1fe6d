//! Standard output and standard error.

use super::files::OutputTarget;
use super::{interrupt, CliError};
use anyhow::Context;
use clap::builder::styling::{AnsiColor, Style};
use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Writes to standard output.
///
/// # Errors
/// As [`check_write`].
pub fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    check_write(written.and_then(|()| stdout.flush()))
}

/// Judges a write to standard output. A reader that closes its end, as `head` does, is no
/// failure. Neither is a terminal that has hung up.
///
/// # Errors
/// If the write failed for another reason.
pub fn check_write(written: io::Result<()>) -> Result<(), CliError> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe && !interrupt::is_hung_up() => {
            Err(error)
                .context("cannot write to standard output")
                .map_err(CliError::Failed)
        }
        _ => Ok(()),
    }
}

/// Stream that a command reports on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    Stdout,
    /// Standard error, because a file of the command goes to standard output.
    Stderr,
}

impl Report {
    /// Returns standard output, unless a file of the command goes there.
    pub fn avoiding<'a>(files: impl IntoIterator<Item = &'a Option<OutputTarget>>) -> Self {
        match files.into_iter().flatten().any(OutputTarget::is_stdout) {
            true => Report::Stderr,
            false => Report::Stdout,
        }
    }

    /// Prints the text on this stream.
    pub fn print(self, text: &str) -> Result<(), CliError> {
        match self {
            Report::Stdout => print(text),
            Report::Stderr => {
                print_aside(text);
                Ok(())
            }
        }
    }
}

/// Writes text that is not part of the output to standard error.
pub fn print_aside(text: &str) {
    // A failure here cannot be reported anywhere.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints the error of the command on standard error.
pub fn print_error(failure: &CliError) {
    let stderr = io::stderr();
    let style = AnsiColor::Red.on_default().bold();
    let label = paint("error:", style, may_style(&stderr));
    // A failure here cannot be reported anywhere.
    let _ = writeln!(stderr.lock(), "{label} {failure}");
}

/// Formats a heading of a table, in bold if `styled`.
pub fn heading(text: &str, styled: bool) -> String {
    paint(text, Style::new().bold(), styled)
}

/// Whether text on this stream may be styled. The stream must be a terminal with that capability,
/// and `NO_COLOR` must not be set.
pub fn may_style(stream: &impl IsTerminal) -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !refused && !dumb
}

fn paint(text: &str, style: Style, styled: bool) -> String {
    if styled {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}
