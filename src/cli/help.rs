//! Groups of commands in the order of `--help`.

use super::suggest::nearest;
use super::{command, files, output, CliError};
use anyhow::anyhow;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use lab::claims::ClaimLedger;
use machine::flags::OutputDir;
use machine::networks::Networks;
use machine::text::wrapped;
use std::fmt::Write;

/// Groups with their commands. Commands of networks go into the last group.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Run a machine", &["run", "panel", "starc", "firmware", "route", "compile"]),
    ("Run your own Verilog", &["simulate"]),
    ("Compare and measure", &["compare", "sweep", "bench", "cost"]),
    ("Check", &["claims", "deadlock", "prove", "equivalence", "core-test"]),
    ("Circuits", &["verilog", "boards", "build", "flash"]),
    ("Boards, real or simulated", &["board", "load", "send", "collect", "run-on-board", "monitor"]),
    ("About the program", &["completions", "interface", "man", "help"]),
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
        .filter(|sub| !GROUPS.iter().any(|(_, names)| names.contains(&sub.get_name())))
        .collect();
    if !others.is_empty() {
        group(NETWORK_GROUP, &others);
    }
    text
}

// `phasecube completions SHELL` and `phasecube man`: shell completions and manual pages.

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
    let mut root = with_plain_words(with_names(command(networks))?);
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut root, NAME, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if args.shell == Shell::Fish {
        add_fish_positions(&root, "", &mut script);
    }
    output::print(&script)
}

/// Adds the lists of words that the commands check themselves: commands after `man`, and papers and
/// claims after `claims`.
fn with_names(command: Command) -> Result<Command, CliError> {
    let listed = |names: Vec<String>| {
        // Words of a parser live until the process ends.
        let names = names.into_iter().map(|name| &*name.leak());
        PossibleValuesParser::new(names)
    };
    let commands = command.get_subcommands().map(|sub| sub.get_name().into());
    let commands = listed(commands.collect());
    let ledger = ClaimLedger::standard()?;
    let papers = ledger.papers.iter().map(|paper| paper.name.clone());
    let claims = ledger.claims().map(|claim| claim.id.clone());
    let claims = listed(papers.chain(claims).collect());
    Ok(command
        .mut_subcommand("man", |man| {
            man.mut_arg("command", |argument| argument.value_parser(commands))
        })
        .mut_subcommand("claims", |sub| {
            sub.mut_arg("names", |argument| argument.value_parser(claims))
        }))
}

/// Removes words such as `Node<2, 3>` from the lists. The scripts do not quote them: in fish they are
/// syntax errors, in bash they become several words.
fn with_plain_words(command: Command) -> Command {
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let filtered = |argument: Arg| {
        let words = argument.get_possible_values();
        match words.iter().all(|word| plain(word.get_name())) {
            true => argument,
            false => argument.value_parser(PossibleValuesParser::new(
                words.into_iter().filter(|word| plain(word.get_name())),
            )),
        }
    };
    command.mut_args(filtered).mut_subcommands(with_plain_words)
}

/// Adds the words of positional arguments, which the generator for fish leaves out. `within` is the
/// command that contains this one.
fn add_fish_positions(command: &Command, within: &str, script: &mut String) {
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        let condition = match within {
            "" => format!("__fish_{NAME}_using_subcommand {name}"),
            _ => format!(
                "__fish_{NAME}_using_subcommand {within}; and __fish_seen_subcommand_from {name}"
            ),
        };
        for argument in sub.get_positionals() {
            let words = argument.get_possible_values();
            let words: Vec<&str> = words.iter().map(|word| word.get_name()).collect();
            if !words.is_empty() {
                let words = words.join(" ");
                writeln!(script, "complete -c {NAME} -n \"{condition}\" -a \"{words}\"")
                    .expect("a String accepts all text");
            }
        }
        add_fish_positions(sub, name, script);
    }
}

/// Print the manual page of the program or of a command, in roff
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube man run\n  phasecube man --out ~/.local/share/man/man1"
)]
pub struct ManArgs {
    /// Command, such as run or sweep load [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Write the pages of the program and of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<OutputDir>,
}

/// Prints a manual page, or writes all of them.
pub fn man(args: &ManArgs, networks: &Networks) -> Result<(), CliError> {
    let mut root = command(networks).disable_help_subcommand(true);
    root.build();
    if let Some(dir) = &args.out {
        let pages = pages(&root, &[])?;
        files::write_all(dir, &pages).map_err(CliError::Failed)?;
        return output::print(&format!("{} pages in {}\n", pages.len(), dir.display()));
    }
    let (mut at, mut above) = (&root, vec![]);
    for word in &args.command {
        above.push(page_name(at));
        at = at.find_subcommand(word).ok_or_else(|| {
            let names: Vec<&str> = at.get_subcommands().map(Command::get_name).collect();
            let accepted = match names.is_empty() {
                true => "no more words".to_owned(),
                false => names.join(", "),
            };
            let tip = nearest(word, names)
                .map_or(String::new(), |name| format!("; a similar command exists: {name}"));
            CliError::BadInput(anyhow!("there is no command {word:?}; accepted: {accepted}{tip}"))
        })?;
    }
    output::print(&page(at, &above)?)
}

/// Returns the pages of a command and of the commands below it, with their file names.
fn pages(command: &Command, above: &[String]) -> Result<Vec<(String, String)>, CliError> {
    let file = format!("{}.1", page_name(command));
    let mut all = vec![(file, page(command, above)?)];
    let above = [above, &[page_name(command)]].concat();
    for sub in command.get_subcommands() {
        all.extend(pages(sub, &above)?);
    }
    Ok(all)
}

fn page_name(command: &Command) -> String {
    let name = command.get_display_name().unwrap_or(command.get_name());
    name.replace(' ', "-")
}

/// Formats the page of a command. It refers to the pages above and below it.
fn page(command: &Command, above: &[String]) -> Result<String, CliError> {
    let mut page = vec![];
    let man = Man::new(command.clone().disable_help_subcommand(true));
    let written = man.render(&mut page);
    written.map_err(|e| CliError::Failed(e.into()))?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    let below = command.get_subcommands().map(page_name);
    let others: Vec<String> = above.iter().cloned().chain(below).collect();
    if !others.is_empty() {
        let others = others.iter().map(|name| {
            let name = name.replace('-', "\\-");
            format!("\\fB{name}\\fR(1)")
        });
        page += ".SH \"SEE ALSO\"\n";
        page += &others.collect::<Vec<_>>().join(", ");
        page.push('\n');
    }
    Ok(page)
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
        let all: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        for name in &all {
            let found = cli.find_subcommand(name).is_some() || *name == "help";
            assert!(found, "{name} is no command");
            assert_eq!(all.iter().filter(|n| *n == name).count(), 1, "{name}");
        }
        // Commands of networks go into the last group. All other commands need a group of their
        // own.
        for sub in Cli::command().get_subcommands() {
            assert!(all.contains(&sub.get_name()), "{} has no group", sub.get_name());
        }
    }
}
