//! Standard output and standard error.

use super::files::OutputTarget;
use super::{interrupt, CliError};
use anyhow::Context;
use clap::builder::styling::{AnsiColor, Style};
use clap::ArgMatches;
use machine::networks::Networks;
use machine::text::{fitted, wrapped, WIDTH};
use serde::Serialize;
use std::env;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use terminal_size::{terminal_size, Width};
use toolchain::progress::without_bars;

/// Writes to standard output.
///
/// # Errors
/// As [`check_write`].
pub fn print(text: &str) -> Result<(), CliError> {
    let written = without_bars(|| {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    });
    check_write(written)
}

/// Prints text whose long lines are wrapped to the width of the terminal.
///
/// # Errors
/// As [`check_write`].
pub fn print_text(text: &str) -> Result<(), CliError> {
    match stdout_width() {
        Some(width) => print(&fitted(text, width)),
        None => print(text),
    }
}

/// Prints a report, as wide as the terminal. On a pipe it has its full width.
///
/// # Errors
/// As [`check_write`].
pub fn print_report(report: &dyn Display) -> Result<(), CliError> {
    print(&match stdout_width() {
        Some(width) => format!("{report:width$}"),
        None => report.to_string(),
    })
}

/// Prints a report as one JSON object, or as [`print_report`] does.
///
/// # Errors
/// As [`check_write`].
pub fn print_json_or(json: bool, report: &(impl Serialize + Display)) -> Result<(), CliError> {
    match json {
        true => print(&(to_json(report) + "\n")),
        false => print_report(report),
    }
}

fn to_json(report: &impl Serialize) -> String {
    serde_json::to_string(report).expect("numbers and names are JSON")
}

/// Maximum width of all output, or 0.
static WIDTH_MAX: AtomicUsize = AtomicUsize::new(0);

/// Limits the width of all output, also on a pipe.
pub fn limit_width(columns: usize) {
    WIDTH_MAX.store(columns, Ordering::Relaxed);
}

/// Returns the width of the terminal that standard output is connected to. `None` for a pipe.
pub fn stdout_width() -> Option<usize> {
    let most = Some(WIDTH_MAX.load(Ordering::Relaxed)).filter(|most| *most > 0);
    let width = terminal_width(&io::stdout());
    width.into_iter().chain(most).min()
}

/// Returns the width of paragraphs on standard output.
pub fn text_width() -> usize {
    stdout_width().map_or(WIDTH, |width| width.min(WIDTH))
}

/// Returns the width of the terminal that a standard stream is connected to, at least 40 columns.
fn terminal_width(stream: &impl IsTerminal) -> Option<usize> {
    let width = |(Width(columns), _)| usize::from(columns);
    let known = || terminal_size().map_or(80, width).max(40);
    stream.is_terminal().then(known)
}

/// Judges a write to standard output. A reader that closes its end, as `head` does, is no
/// failure. Neither is a terminal that has hung up.
///
/// # Errors
/// If the write failed for another reason.
pub fn check_write(written: io::Result<()>) -> Result<(), CliError> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe && !interrupt::is_hung_up() => {
            Err(error).context("cannot write to standard output").map_err(CliError::Failed)
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

    /// Prints text on this stream, as [`print_text`] does.
    pub fn print_text(self, text: &str) -> Result<(), CliError> {
        match self {
            Report::Stdout => print_text(text),
            Report::Stderr => self.print(text),
        }
    }

    /// Prints a report as one JSON object, or its text as [`print_text`] does.
    pub fn print_json_or(
        self,
        json: bool,
        report: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        match json {
            true => self.print(&(to_json(report) + "\n")),
            false => self.print_text(&text()),
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
    let _ = without_bars(|| io::stderr().lock().write_all(text.as_bytes()));
}

/// Prints the error of the command on standard error.
pub fn print_error(error: &CliError) {
    let stderr = io::stderr();
    let style = AnsiColor::Red.on_default().bold();
    let label = paint("error:", style, may_style(&stderr));
    // A failure here cannot be reported anywhere.
    let mut text = error.to_string();
    if let Some(width) = terminal_width(&stderr) {
        text = fitted(&format!("error: {text}"), width)["error: ".len()..].to_owned();
    }
    let _ = writeln!(stderr.lock(), "{label} {text}");
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

// Explanations printed after the output of a command. They go to standard error, so that the
// output can be piped to another program. `--quiet` and `--json` omit them.

/// Explains the result of the command that has just succeeded, or what its output is.
pub fn print_explanation(networks: &Networks, matches: &ArgMatches, meaning: Option<&str>) {
    let Some(command) = command_to_explain(matches) else {
        return;
    };
    if let Some(text) = meaning.or_else(|| explanation(networks, command)) {
        let width = terminal_width(&io::stderr()).map_or(WIDTH, |width| width.min(WIDTH));
        print_aside(&wrapped(&format!("What this means: {text}"), width));
    }
}

/// Returns the command to explain.
fn command_to_explain(matches: &ArgMatches) -> Option<&str> {
    let set =
        |matches: &ArgMatches, flag| matches!(matches.try_get_one::<bool>(flag), Ok(Some(true)));
    let (name, flags) = matches.subcommand()?;
    // A command may have subcommands, each with its own flags.
    let mut within = Some(flags);
    while let Some(flags) = within {
        // The table of `boards --cubes` ends with its own explanation.
        if ["json", "quiet", "cubes"].iter().any(|flag| set(flags, flag)) {
            return None;
        }
        within = flags.subcommand().map(|(_, inner)| inner);
    }
    Some(name)
}

/// Returns the explanation of this command's output; `None` if the output explains itself.
fn explanation(networks: &Networks, command: &str) -> Option<&'static str> {
    let of_a_network = networks.commands().find(|own| (own.command)().get_name() == command);
    match of_a_network {
        Some(own) => Some(own.meaning),
        None => built_in_explanation(command),
    }
}

fn built_in_explanation(command: &str) -> Option<&'static str> {
    Some(match command {
        "boards" => {
            "`build --board NAME` makes an image for each board. \"never\": no image has run on \
             that board; its pins and commands are the published ones."
        }
        "build" => {
            "the design fits the chip and meets its clock. `flash` writes the image; `monitor \
             --virtual` simulates it, if it is for an iCE40."
        }
        "compile" => {
            "fewer superframes are better, and no schedule is shorter than the bound. `run \
             --compiled FILE` follows the file."
        }
        "core-test" => {
            "PASS: the program ran on the circuit of the soft core and reported success."
        }
        "cost" => {
            "logic cells and block RAMs of an iCE40 HX8K, which has 7,680 and 32 (with --ecp5, of \
             the chip named); fmax is the clock at which the slowest path still works."
        }
        "collect" => {
            "each line is a message that the program of a node sent to its host since the last \
             `collect`."
        }
        "run-on-board" => {
            "each message of the list was delivered, or is listed as lost or dropped."
        }
        "monitor" => {
            "t is the phase in which the message arrived, counted from the start of the run."
        }
        "simulate" => {
            "lanes with equal signatures had equal outputs in every clock cycle. `--check` compares \
             the outputs with Verilator."
        }
        "route" => "each line is a hop, in the phase in which its link is open.",
        "sweep" => "each line is a measurement, with the limit that prevents a better one.",
        "verilog" => "plain Verilog for any tool, which needs nothing else of this project.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::explanation;
    use crate::cli::command;
    use machine::networks;

    #[test]
    fn commands_with_results_have_an_explanation() {
        let silent = [
            "board",
            "completions",
            "firmware",
            "flash",
            "interface",
            "load",
            "man",
            "send",
            "starc",
        ];
        // The result of these commands decides the explanation.
        let own =
            ["bench", "claims", "compare", "deadlock", "equivalence", "panel", "prove", "run"];
        let networks = networks::standard();
        for command in command(&networks).get_subcommands() {
            let name = command.get_name();
            assert_eq!(
                explanation(&networks, name).is_none(),
                silent.contains(&name) || own.contains(&name),
                "{name}"
            );
        }
    }
}
