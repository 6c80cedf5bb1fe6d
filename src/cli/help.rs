//! Groups of commands in the order of `--help`.

use super::{command, output, CliError};
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use lab::report::wrapped;
use machine::networks::Networks;
use std::fmt::Write;

/// Groups with their commands. Commands of networks go into the last group.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Run a machine", &["run", "route", "compile"]),
    ("Run your own Verilog", &["simulate"]),
    (
        "Compare and measure",
        &["compare", "sweep", "bench", "cost"],
    ),
    (
        "Check",
        &["claims", "deadlock", "prove", "equivalence", "core-test"],
    ),
    ("Circuits", &["verilog", "boards", "build", "flash"]),
    (
        "Boards, real or simulated",
        &[
            "board",
            "load",
            "send",
            "collect",
            "run-on-board",
            "monitor",
        ],
    ),
    ("About the program", &["completions", "man", "help"]),
];

const NETWORK_GROUP: &str = "Of one network";

/// Width in characters of the narrowest terminal that the help is formatted for.
const WIDTH: usize = 80;

/// Column in which the descriptions begin.
const INDENT: usize = 16;

/// Returns the command with subcommands listed in groups in its help.
pub fn with_grouped_help(command: Command) -> Command {
    let list = grouped_list(&command);
    // The double braces become template tags of clap.
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    ))
}

fn grouped_list(command: &Command) -> String {
    let mut text = String::new();
    let mut group = |title: &str, commands: &[&Command]| {
        let _ = writeln!(text, "{title}:");
        for command in commands {
            let about = command.get_about().map(ToString::to_string);
            let about = wrapped(&about.unwrap_or_default(), WIDTH - INDENT);
            let about = about.trim_end().replace('\n', &format!("\n{:INDENT$}", ""));
            let name = command.get_name();
            let _ = writeln!(text, "  {name:<width$}{about}", width = INDENT - 2);
        }
        text.push('\n');
    };
    let help = Command::new("help").about("Print help, or all flags of a command");
    for (title, names) in GROUPS {
        let commands: Vec<&Command> = names
            .iter()
            .filter_map(|name| match *name {
                "help" => Some(&help),
                _ => command.find_subcommand(name),
            })
            .collect();
        group(title, &commands);
    }
    let others: Vec<&Command> = command
        .get_subcommands()
        .filter(|sub| {
            !GROUPS
                .iter()
                .any(|(_, names)| names.contains(&sub.get_name()))
        })
        .collect();
    if !others.is_empty() {
        group(NETWORK_GROUP, &others);
    }
    text
}

// `phasecube completions SHELL` and `phasecube man`: shell completions and the manual page.

/// Name of the program.
const NAME: &str = "phasecube";

/// Print completions for a shell
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example:\n  phasecube completions bash\n\nFor bash, append it to ~/.bash_completion; for fish, write it to ~/.config/fish/completions/phasecube.fish; \
                  for zsh, write it as _phasecube to a folder of $fpath."
)]
pub struct CompletionsArgs {
    /// Shell that the completions are for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completions.
pub fn completions(args: &CompletionsArgs, networks: &Networks) -> Result<(), CliError> {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut command(networks), NAME, &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page.
pub fn man(networks: &Networks) -> Result<(), CliError> {
    let mut page = vec![];
    let written = Man::new(command(networks)).render(&mut page);
    written.map_err(|e| CliError::Failed(e.into()))?;
    output::print(&String::from_utf8_lossy(&page))
}

#[cfg(test)]
mod tests {
    use super::GROUPS;
    use crate::cli::{command, Cli};
    use clap::CommandFactory;
    use machine::networks;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let cli = command(&networks::standard());
        let all: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        for name in &all {
            let found = cli.find_subcommand(name).is_some() || *name == "help";
            assert!(found, "{name} is no command");
            assert_eq!(all.iter().filter(|n| *n == name).count(), 1, "{name}");
        }
        // Commands of networks go into the last group. All other commands need a group of their
        // own.
        for sub in Cli::command().get_subcommands() {
            assert!(
                all.contains(&sub.get_name()),
                "{} has no group",
                sub.get_name()
            );
        }
    }
}
