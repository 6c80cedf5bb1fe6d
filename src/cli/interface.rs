//! `phasecube interface`: all commands and their arguments as JSON, for other programs.

use super::{command, output, CliError};
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Args, Command};
use machine::flags::{OutputDir, OutputFile};
use machine::networks::Networks;
use serde::Serialize;
use std::any::TypeId;
use std::path::PathBuf;

/// Print all commands and their flags as JSON, for other programs
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube interface")]
pub struct InterfaceArgs {}

/// Output of the command.
#[derive(Serialize)]
struct Interface {
    version: &'static str,
    commands: Vec<CommandEntry>,
}

/// Command without subcommands.
#[derive(Serialize)]
struct CommandEntry {
    /// Words that call it: `["sweep", "load"]`.
    words: Vec<String>,
    about: String,
    arguments: Vec<ArgumentEntry>,
}

#[derive(Serialize)]
pub(super) struct ArgumentEntry {
    /// Name as an identifier: `dump_traffic`.
    name: String,
    /// Flag without its dashes. `None` for an argument that has a position instead.
    flag: Option<String>,
    help: String,
    /// `switch` for a flag without a value, `list` for several values, else `value`.
    kind: &'static str,
    /// Type of a value: `integer`, `number`, `path` or `text`.
    value: Option<&'static str>,
    /// Accepted values, if they are a closed list.
    choices: Vec<String>,
    /// Character between the values of a list. `None` if each value is a word of its own.
    separator: Option<char>,
    /// True if the flag is repeated for each value of a list.
    repeated: bool,
    default: Vec<String>,
    required: bool,
}

/// Prints the interface.
pub fn interface(_: &InterfaceArgs, networks: &Networks) -> Result<(), CliError> {
    let interface = Interface::new(networks);
    let json = serde_json::to_string_pretty(&interface).expect("names and texts are JSON");
    output::print(&(json + "\n"))
}

impl Interface {
    fn new(networks: &Networks) -> Self {
        let mut root = command(networks).disable_help_subcommand(true);
        root.build();
        let mut commands = vec![];
        add_commands(&root, &[], &mut commands);
        Interface { version: env!("CARGO_PKG_VERSION"), commands }
    }
}

/// Adds the commands below this one that have no subcommands.
fn add_commands(command: &Command, words: &[String], all: &mut Vec<CommandEntry>) {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let words = [words, &[sub.get_name().to_owned()]].concat();
        if sub.has_subcommands() {
            add_commands(sub, &words, all);
            continue;
        }
        let listed = |argument: &&Arg| {
            let id = argument.get_id().as_str();
            !argument.is_hide_set() && !["help", "version", "quiet"].contains(&id)
        };
        all.push(CommandEntry {
            words,
            about: sub.get_about().map(ToString::to_string).unwrap_or_default(),
            arguments: sub.get_arguments().filter(listed).map(ArgumentEntry::new).collect(),
        });
    }
}

impl ArgumentEntry {
    pub fn new(argument: &Arg) -> Self {
        debug_assert!(
            argument.is_positional() || argument.get_long().is_some(),
            "{} needs a long name, without which scripts give it by its position",
            argument.get_id()
        );
        let takes_value = argument.get_action().takes_values();
        let several = argument.get_num_args().is_some_and(|count| count.max_values() > 1);
        let repeated = matches!(argument.get_action(), ArgAction::Append);
        let separator = argument.get_value_delimiter();
        let help = argument.get_long_help().or(argument.get_help());
        let choices = argument.get_possible_values();
        let choices = choices.iter().filter(|choice| takes_value && !choice.is_hide_set());
        let default = argument.get_default_values().iter().filter(|_| takes_value);
        ArgumentEntry {
            name: argument.get_long().unwrap_or(argument.get_id().as_str()).replace('-', "_"),
            flag: argument.get_long().map(str::to_owned),
            help: help.map(ToString::to_string).unwrap_or_default(),
            kind: match takes_value {
                false => "switch",
                true if several || repeated || separator.is_some() => "list",
                true => "value",
            },
            value: takes_value.then(|| value_type(argument.get_value_parser())),
            choices: choices.map(|value| value.get_name().to_owned()).collect(),
            separator,
            repeated: repeated && !several && separator.is_none(),
            default: default.map(|value| value.to_string_lossy().into_owned()).collect(),
            required: argument.is_required_set(),
        }
    }
}

impl ArgumentEntry {
    /// True if the argument is a flag of this name.
    pub fn is_flag(&self, name: &str) -> bool {
        self.flag.is_some() && self.name == name
    }

    /// Character between the values of a list. `None` if each value has a flag of its own.
    pub fn list_separator(&self) -> Option<char> {
        self.separator
    }
}

/// Returns the type of the values that a parser accepts. Types of their own are text.
fn value_type(parser: &ValueParser) -> &'static str {
    let is_any = |types: &[TypeId]| types.iter().any(|id| parser.type_id() == *id);
    let integers = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ];
    let paths = [TypeId::of::<PathBuf>(), TypeId::of::<OutputFile>(), TypeId::of::<OutputDir>()];
    match () {
        () if is_any(&integers) => "integer",
        () if is_any(&[TypeId::of::<f64>()]) => "number",
        () if is_any(&paths) => "path",
        () => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::networks;

    fn argument<'a>(interface: &'a Interface, command: &str, name: &str) -> &'a ArgumentEntry {
        let words: Vec<&str> = command.split(' ').collect();
        let command = interface.commands.iter().find(|command| command.words == words);
        let mut arguments = command.unwrap().arguments.iter();
        arguments.find(|argument| argument.name == name).unwrap()
    }

    #[test]
    fn arguments_are_described() {
        let interface = Interface::new(&networks::standard());
        let of = |command, name| {
            let argument = argument(&interface, command, name);
            (argument.kind, argument.value, argument.separator, argument.repeated)
        };
        for (command, name, wanted) in [
            ("run", "radix", ("list", Some("integer"), Some(','), false)),
            ("run", "dead", ("list", Some("text"), None, true)),
            ("run", "trace", ("switch", None, None, false)),
            ("run", "noise", ("value", Some("number"), None, false)),
            ("run", "dump_traffic", ("value", Some("path"), None, false)),
            ("sweep load", "json", ("switch", None, None, false)),
        ] {
            assert_eq!(of(command, name), wanted, "{command} {name}");
        }
        assert_eq!(argument(&interface, "run", "dims").default, ["3"]);
        let network = argument(&interface, "run", "network");
        assert!(network.choices.contains(&"torus".to_owned()));
        let source = argument(&interface, "route", "source");
        assert_eq!((&source.flag, source.kind), (&None, "value"));
    }
}
