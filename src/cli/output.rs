//! Standard output and standard error.

use super::Failure;
use anyhow::Context;
use clap::builder::styling::{AnsiColor, Style};
use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Writes to standard output. A reader that has gone, as `head` does, has read
/// enough: that is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error)
            .context("cannot write to standard output")
            .map_err(Failure::Failed),
        _ => Ok(()),
    }
}

/// Where a command says what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    Stdout,
    /// A file of the command is standard output.
    Stderr,
}

impl Report {
    /// Says it.
    pub fn print(self, text: &str) -> Result<(), Failure> {
        match self {
            Report::Stdout => print(text),
            Report::Stderr => {
                aside(text);
                Ok(())
            }
        }
    }
}

/// Writes to standard error what is beside the matter.
pub fn aside(text: &str) {
    // Nobody is left to tell if this fails.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Tells on standard error why the command failed.
pub fn report(failure: &Failure) {
    let stderr = io::stderr();
    let style = AnsiColor::Red.on_default().bold();
    let label = paint("error:", style, styled(&stderr));
    // Nobody is left to tell if this fails.
    let _ = writeln!(stderr.lock(), "{label} {failure}");
}

/// A heading of a table, in bold if `styled`.
pub fn heading(text: &str, styled: bool) -> String {
    paint(text, Style::new().bold(), styled)
}

/// Whether text may be styled there: on a terminal that can do it, for a user
/// who has not set `NO_COLOR`.
pub fn styled(stream: &impl IsTerminal) -> bool {
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
