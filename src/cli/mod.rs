//! Command line: reads arguments, calls the library and prints results (docs/command-line.md).
//!
//! A file or folder holds one subcommand and has its name. These hold several or none:
//!
//! * `main_job`: `phasecube` without a command;
//! * `boards`: `boards`, `build`, `flash` and `board`;
//! * `on_board`: `load`, `send`, `collect` and `run-on-board`;
//! * `designs`: `verilog` and `cost`;
//! * `proofs`: `equivalence` and `prove`;
//! * `verilog_flags`: flags of the user's own Verilog; `verilog_bench`: `bench --verilog`;
//! * `own_designs`: the command line for circuits of another crate;
//! * `help`: groups of commands in `--help`, `completions` and `man`;
//! * `interface`: all commands and flags as JSON;
//! * [`args`]: arguments that several subcommands share;
//! * `file_flags`, `files`: checks of the files on a command line, and output files;
//! * `output`: standard output and standard error;
//! * `error`, `interrupt`: exit codes, and signals such as Ctrl-C;
//! * `suggest`: suggestions for misspelt words.

pub mod args;
mod bench;
mod boards;
mod claims;
#[cfg(test)]
mod command_lines;
mod compare;
mod compile;
mod core_test;
mod deadlock;
mod designs;
mod error;
mod file_flags;
mod files;
mod firmware;
mod help;
mod interface;
mod interrupt;
mod load;
mod main_job;
mod monitor;
mod on_board;
mod output;
mod own_designs;
mod panel;
mod proofs;
mod route;
mod run;
mod simulate;
mod starc;
mod suggest;
mod sweep;
mod verilog_bench;
mod verilog_flags;

pub use self::panel::PanelArgs;
pub use self::starc::StarcArgs;
pub use bench::BenchArgs;
pub use boards::{BoardArgs, BoardsArgs, BuildArgs, FlashArgs};
pub use claims::ClaimsArgs;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};
pub use compare::CompareArgs;
pub use compile::CompileArgs;
pub use core_test::CoreTestArgs;
pub use deadlock::DeadlockArgs;
pub use designs::{CostArgs, VerilogArgs};
pub use error::CliError;
use file_flags::InputFiles;
pub use firmware::FirmwareArgs;
pub use help::{CompletionsArgs, ManArgs};
pub use interface::InterfaceArgs;
use machine::flags::{OutputDir, OutputFile};
use machine::networks::{self, CommandOutput, NetworkCommand, Networks, Purpose};
pub use monitor::MonitorArgs;
pub use on_board::{CollectArgs, LoadProgramArgs, RunOnBoardArgs, SendArgs};
pub use own_designs::{designs_main, OwnCircuit, OwnDesigns};
pub use proofs::{EquivalenceArgs, ProveArgs};
pub use route::RouteArgs;
pub use run::RunArgs;
pub use simulate::SimulateArgs;
use std::any::TypeId;
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
pub use sweep::SweepArgs;
use toolchain::progress;

/// A hypercube computer whose only router is a time schedule
///
/// Without a command, runs the main job in a few minutes: simulates the machine on real messages,
/// emits its Verilog, makes an FPGA image, compares the networks, and prints the results. It
/// downloads the tools at first use.
#[derive(Debug, Parser)]
#[command(
    name = "phasecube",
    version,
    after_help = "Exit code: 0 after success, with no losses or only those that the mode permits; 1 if a run or \
                  check failed; 2 for bad arguments or files; 129 after SIGHUP, 130 after Ctrl-C \
                  and 143 after SIGTERM, with a report of the work done so far.\n\n\
                  Examples:\n  phasecube\n  phasecube help run"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Omit the closing explanation and progress lines
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Bench(BenchArgs),
    Board(BoardArgs),
    Boards(BoardsArgs),
    Build(BuildArgs),
    Claims(ClaimsArgs),
    Collect(CollectArgs),
    Compare(Box<CompareArgs>),
    Compile(CompileArgs),
    Completions(CompletionsArgs),
    CoreTest(CoreTestArgs),
    Cost(CostArgs),
    Deadlock(DeadlockArgs),
    Equivalence(EquivalenceArgs),
    Firmware(FirmwareArgs),
    Flash(FlashArgs),
    Interface(InterfaceArgs),
    Load(LoadProgramArgs),
    Man(ManArgs),
    Monitor(MonitorArgs),
    Panel(Box<PanelArgs>),
    Prove(ProveArgs),
    Route(RouteArgs),
    Run(Box<RunArgs>),
    RunOnBoard(RunOnBoardArgs),
    Send(SendArgs),
    Simulate(Box<SimulateArgs>),
    Starc(StarcArgs),
    Sweep(SweepArgs),
    Verilog(VerilogArgs),
}

/// Command to run: a built-in command, or a command that a network provides.
enum ParsedCommand {
    BuiltIn(Cli),
    OfNetwork(&'static NetworkCommand, ArgMatches),
}

/// Returns the built-in commands, with the flags and commands of the networks.
fn command(networks: &Networks) -> clap::Command {
    let purposes = [
        ("bench", Purpose::Bench),
        ("run", Purpose::Run),
        ("panel", Purpose::Run),
        ("compare", Purpose::Compare),
        ("deadlock", Purpose::Run),
        ("route", Purpose::Route),
    ];
    let mut command = Cli::command();
    for (name, purpose) in purposes {
        command = command.mut_subcommand(name, |sub| networks.add_flags(sub, purpose));
    }
    command = command.mut_subcommand("deadlock", deadlock::hide_flags_of_confirm);
    command = command.mut_subcommand("sweep", |sweep| {
        sweep.mut_subcommand("load", |sub| networks.add_flags(sub, Purpose::Compare))
    });
    let own = networks.commands().map(|own| (own.command)());
    with_hints(help::with_grouped_help(command.subcommands(own)))
}

/// Adds hints for shells, so that they complete the names of output files and directories.
///
/// A negative number after a flag is the value of the flag, so that the error names the flag.
fn with_hints(command: clap::Command) -> clap::Command {
    let hinted = |argument: clap::Arg| {
        let takes_values = argument.get_action().takes_values();
        let argument = argument.allow_negative_numbers(takes_values);
        match argument.get_value_parser().type_id() {
            id if id == TypeId::of::<OutputFile>() => argument.value_hint(ValueHint::FilePath),
            id if id == TypeId::of::<OutputDir>() => argument.value_hint(ValueHint::DirPath),
            _ => argument,
        }
    };
    command.mut_args(hinted).mut_subcommands(with_hints)
}

/// Parses a command line.
fn parse_matches<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<ArgMatches, clap::Error> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let mut command = command(networks);
    let parsed = command.try_get_matches_from_mut(&words);
    parsed.map_err(|error| suggest::with_suggestion(error, &command, &words))
}

/// Returns the command selected by the arguments.
fn selected_command(
    networks: &Networks,
    matches: &ArgMatches,
) -> Result<ParsedCommand, clap::Error> {
    if let Some((name, flags)) = matches.subcommand() {
        let own = networks.commands();
        if let Some(own) = own.into_iter().find(|own| (own.command)().get_name() == name) {
            return Ok(ParsedCommand::OfNetwork(own, flags.clone()));
        }
    }
    Cli::from_arg_matches(matches).map(ParsedCommand::BuiltIn)
}

/// Checks that a command line can be parsed with these networks. The first word is the program
/// name.
///
/// # Errors
/// Errors of the parser, as the command line prints them.
pub fn check_command_line<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<(), clap::Error> {
    read_command_line(networks, words).map(drop)
}

/// Runs a command line with these networks. The first word is the program name.
///
/// # Errors
/// Errors of the command, as the command line prints them.
pub fn run_command_line<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<(), CliError> {
    let (parsed, matches) =
        read_command_line(networks, words).map_err(|e| CliError::BadInput(e.into()))?;
    run_parsed(&parsed, &matches, networks).map(drop)
}

fn read_command_line<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<(ParsedCommand, ArgMatches), clap::Error> {
    let matches = parse_matches(networks, words)?;
    Ok((selected_command(networks, &matches)?, matches))
}

/// Runs a command. Returns what its result means, if the result decides that.
fn run_parsed(
    parsed: &ParsedCommand,
    matches: &ArgMatches,
    networks: &Networks,
) -> Result<Option<String>, CliError> {
    let inputs = file_flags::check_files(&command(networks), matches)?;
    match parsed {
        ParsedCommand::BuiltIn(cli) => run_built_in(cli, networks, &inputs),
        ParsedCommand::OfNetwork(own, flags) => run_of_network(own, flags, &inputs).map(|()| None),
    }
}

/// Runs a command of a network. Its files go to `--out`, or to a directory of its name.
fn run_of_network(
    own: &NetworkCommand,
    flags: &ArgMatches,
    inputs: &InputFiles,
) -> Result<(), CliError> {
    let out = flags.try_get_one::<OutputDir>("out").ok().flatten();
    let json = matches!(flags.try_get_one::<bool>("json"), Ok(Some(true)));
    let dir = match out {
        Some(dir) => Some(dir.to_path_buf()),
        None if json || own.files.is_empty() => None,
        None => Some(build_dir().join((own.command)().get_name())),
    };
    if let Some(dir) = &dir {
        files::check_files("--out", dir, own.files, inputs)?;
    }
    let CommandOutput { report, files } = (own.run)(flags, &build_dir())?;
    let written = dir.map(|dir| files::write_report(&dir, &files));
    let written = written.transpose()?;
    if json {
        return output::print(&report.to_string());
    }
    output::print_report(&report)?;
    output::print(&written.unwrap_or_default())
}

fn run_built_in(
    cli: &Cli,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<Option<String>, CliError> {
    let done = match &cli.command {
        None => main_job::main_job(networks),
        Some(Command::Bench(args)) => return bench::bench(args, networks).map(Some),
        Some(Command::Board(args)) => boards::board(args),
        Some(Command::Boards(args)) => boards::boards(args),
        Some(Command::Build(args)) => boards::build(args),
        Some(Command::Claims(args)) => return claims::claims(args).map(Some),
        Some(Command::Collect(args)) => on_board::collect(args),
        Some(Command::Compare(args)) => {
            return compare::compare(args, networks, inputs).map(Some);
        }
        Some(Command::Compile(args)) => compile::compile(args),
        Some(Command::Completions(args)) => help::completions(args, networks),
        Some(Command::CoreTest(args)) => core_test::core_test(args),
        Some(Command::Cost(args)) => designs::cost(args),
        Some(Command::Deadlock(args)) => return deadlock::deadlock(args, networks).map(Some),
        Some(Command::Equivalence(args)) => return proofs::equivalence(args),
        Some(Command::Firmware(args)) => firmware::firmware(args),
        Some(Command::Flash(args)) => boards::flash(args),
        Some(Command::Interface(args)) => interface::interface(args, networks),
        Some(Command::Load(args)) => on_board::load(args),
        Some(Command::Man(args)) => help::man(args, networks),
        Some(Command::Monitor(args)) => monitor::monitor(args),
        Some(Command::Panel(args)) => {
            return panel::panel(args, networks).map(|outcome| Some(run::meaning(&outcome)));
        }
        Some(Command::Prove(args)) => return proofs::prove(args),
        Some(Command::Route(args)) => route::route(args, networks),
        Some(Command::Run(args)) => {
            return run::run(args, networks).map(|outcome| Some(run::meaning(&outcome)));
        }
        Some(Command::RunOnBoard(args)) => on_board::run_on_board(args),
        Some(Command::Send(args)) => on_board::send(args),
        Some(Command::Simulate(args)) => simulate::simulate(args),
        Some(Command::Starc(args)) => self::starc::starc(args),
        Some(Command::Sweep(args)) => return sweep::sweep(args, networks, inputs),
        Some(Command::Verilog(args)) => designs::verilog(args),
    };
    done.map(|()| None)
}

/// Runs the command line of the process with the networks of this crate.
pub fn main() -> ExitCode {
    main_with(&networks::standard())
}

/// Runs the command line of the process with these networks. A network from outside this crate gets
/// all commands this way.
pub fn main_with(networks: &Networks) -> ExitCode {
    let (parsed, matches) = match read_command_line(networks, std::env::args_os()) {
        Ok(read) => read,
        Err(error) => return exit_code(print_help(&error)),
    };
    if matches.get_flag("quiet") {
        progress::suppress_lines();
    }
    // A run starts to listen for signals itself when it can report its progress. Until then a
    // signal must end it directly.
    let runs = |cli: &Cli| matches!(cli.command, Some(Command::Run(_) | Command::Panel(_)));
    if !matches!(&parsed, ParsedCommand::BuiltIn(cli) if runs(cli)) {
        interrupt::install();
    }
    let done = run_parsed(&parsed, &matches, networks);
    if let Ok(meaning) = &done {
        output::print_explanation(networks, &matches, meaning.as_deref());
    }
    exit_code(done.map(drop))
}

/// Prints help or the version. Exits if the arguments are wrong.
fn print_help(error: &clap::Error) -> Result<(), CliError> {
    if error.use_stderr() {
        error.exit();
    }
    output::check_write(error.print().and_then(|()| io::stdout().flush()))
}

/// Prints an error and returns the exit code of the process.
fn exit_code(done: Result<(), CliError>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, CliError::Stopped(_)) {
                output::print_error(&error);
            }
            error.exit_code().into()
        }
    }
}

// Common output directory of the subcommands.

/// Output directory for generated files: `phasecube/` in Cargo's target directory. The target
/// directory is `$CARGO_TARGET_DIR`, or else `target` in the current directory.
fn build_dir() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    PathBuf::from(target.unwrap_or_else(|| "target".into())).join("phasecube")
}

/// Directory with the measured costs of circuits.
fn cost_dir() -> PathBuf {
    build_dir().join("cost")
}

#[cfg(test)]
mod tests {
    use super::{command, command_lines, parse_matches};
    use clap::error::ContextKind;
    use machine::networks;
    use std::ffi::OsString;

    /// Returns this command and all its subcommands.
    fn commands(command: &clap::Command) -> Vec<clap::Command> {
        let inner = command.get_subcommands().flat_map(commands);
        std::iter::once(command.clone()).chain(inner).collect()
    }

    #[test]
    fn every_command_has_valid_examples() {
        for command in commands(&command(&networks::standard())) {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let lines = help.lines().filter(|line| line.starts_with("  phasecube"));
            let examples: Vec<&str> = lines.collect();
            assert!(!examples.is_empty(), "{name}: {help:?}");
            for example in examples {
                let words = shlex::split(example).expect("words as of a shell");
                let parsed = parse_matches(&networks::standard(), words);
                let help = |e: &clap::Error| e.kind() == clap::error::ErrorKind::DisplayHelp;
                assert!(!parsed.is_err_and(|e| !help(&e)), "{example}");
            }
        }
    }

    /// The help of an argument contains every accepted word, or names the command that lists them.
    #[test]
    fn help_lists_every_accepted_word() {
        let root = command(&networks::standard());
        let (mut met, mut missing) = (vec![], vec![]);
        for (words, command) in command_lines::leaf_commands(&root) {
            let with_value = |argument: &&clap::Arg| argument.get_action().takes_values();
            for argument in command.get_arguments().filter(with_value) {
                let mut line: Vec<OsString> = words.iter().map(OsString::from).collect();
                line.extend(argument.get_long().map(|long| format!("--{long}").into()));
                line.push("no-such-word".into());
                let Err(error) = command_lines::parse_words(&root, line) else {
                    continue;
                };
                let of = error.get(ContextKind::InvalidArg).map(ToString::to_string);
                let of = of.unwrap_or_default();
                let of_this = match (argument.get_long(), argument.get_value_names()) {
                    (Some(long), _) => of.split(' ').next() == Some(&format!("--{long}")),
                    (None, names) => names.is_some_and(|names| of.contains(names[0].as_str())),
                };
                let text = error.to_string();
                let reported = text.lines().next().and_then(|line| line.split_once("; accepted: "));
                let (true, Some((before, accepted))) = (of_this, reported) else {
                    continue;
                };
                if !before.contains("there is no") {
                    continue;
                }
                let help = argument.get_long_help().or(argument.get_help());
                let help = help.map(ToString::to_string).unwrap_or_default();
                let listed = ["--list", "`phasecube boards`", "as in `run`"];
                let elsewhere = listed.iter().any(|place| help.contains(place));
                let unnamed = |word: &&str| !elsewhere && !help.contains(word);
                let id = argument.get_id();
                let of = accepted.split(", ").filter(unnamed);
                missing.extend(of.map(|word| format!("{words:?} {id}: {word}")));
                met.push(argument.get_id().to_string());
            }
        }
        for known in ["design", "pattern", "schedule", "routing", "engine", "board", "eject"] {
            assert!(met.iter().any(|met| met == known), "{known}: {met:?}");
        }
    }

    /// The heading of a group of arguments must not apply to the arguments after the group.
    #[test]
    fn arguments_are_listed_under_their_own_heading() {
        let cli = command(&networks::standard());
        for (name, argument, heading) in [
            ("run", "dims", "Machine"),
            ("run", "pattern", "Traffic"),
            ("run", "threads", "Simulation"),
            ("run", "superframes", "Simulation"),
            ("run", "trace", "Looking inside"),
            ("run", "service", "Nodes that run a program"),
            ("run", "eject", "With --network cm1"),
            ("run", "message", "Looking inside"),
            ("run", "json", "Output"),
            ("compare", "payload", "Traffic"),
            ("compare", "out", "Output"),
            ("route", "dims", "Machine"),
        ] {
            let command = cli.find_subcommand(name).unwrap();
            let mut arguments = command.get_arguments();
            let found = arguments.find(|a| a.get_long() == Some(argument)).unwrap();
            assert_eq!(found.get_help_heading(), Some(heading), "{name} --{argument}");
        }
    }

    /// clap checks names, defaults and positions on request only.
    #[test]
    fn the_command_line_is_well_formed() {
        command(&networks::standard()).debug_assert();
    }
}
