//! The command line: reads arguments, calls the library, prints
//! (docs/command-line.md). One file for each subcommand.

pub mod args;
mod bench;
mod board;
mod boards;
mod build;
mod builds;
mod claims;
mod compare;
mod compile;
mod core_test;
mod cost;
mod deadlock;
mod equivalence;
mod failure;
mod files;
mod flash;
mod groups;
mod interrupt;
mod main_job;
mod manual;
mod meaning;
mod monitor;
mod on_board;
mod on_usb;
mod output;
mod prove;
mod route;
mod run;
mod statistics;
mod sweep;
mod verilog;

pub use bench::BenchArgs;
pub use board::BoardArgs;
pub use boards::BoardsArgs;
pub use build::BuildArgs;
pub use claims::ClaimsArgs;
pub use compare::CompareArgs;
pub use compile::CompileArgs;
pub use core_test::CoreTestArgs;
pub use cost::CostArgs;
pub use deadlock::DeadlockArgs;
pub use equivalence::EquivalenceArgs;
pub use failure::Failure;
pub use flash::FlashArgs;
pub use manual::CompletionsArgs;
pub use monitor::MonitorArgs;
pub use on_board::{CollectArgs, LoadArgs, RunOnBoardArgs, SendArgs};
pub use prove::ProveArgs;
pub use route::RouteArgs;
pub use run::RunArgs;
pub use sweep::SweepArgs;
pub use verilog::VerilogArgs;

use builds::{builds, costs};

use crate::networks::{self, Networks, OwnCommand, Purpose};
use crate::toolchain::progress;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// A hypercube computer whose only router is a time schedule
///
/// Without a command: simulate the machine on real messages, emit its Verilog,
/// synthesise it and print a summary.
#[derive(Debug, Parser)]
#[command(
    name = "phasecube",
    version,
    after_help = "Exit code: 0 it ran, and any losses are what the mode permits; 1 a run or check \
                  failed; 2 bad arguments or files; 130 after Ctrl-C and 143 after SIGTERM, when \
                  what was done so far has been told.\n\n\
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
    Flash(FlashArgs),
    Load(LoadArgs),
    /// Print the manual page, in roff
    #[command(after_help = "Example:\n  phasecube man")]
    Man,
    Monitor(MonitorArgs),
    Prove(ProveArgs),
    Route(RouteArgs),
    Run(Box<RunArgs>),
    RunOnBoard(RunOnBoardArgs),
    Send(SendArgs),
    Sweep(SweepArgs),
    Verilog(VerilogArgs),
}

/// What the command line asks for: one of our commands, or one of a network's own.
enum Asked {
    Ours(Cli),
    Own(&'static OwnCommand, ArgMatches),
}

/// Our commands, with the flags and the commands of the networks.
fn command(networks: &Networks) -> clap::Command {
    let purposes = [
        ("bench", Purpose::Bench),
        ("run", Purpose::Run),
        ("compare", Purpose::Compare),
        ("deadlock", Purpose::Run),
        ("route", Purpose::Route),
    ];
    let mut command = Cli::command();
    for (name, purpose) in purposes {
        command = command.mut_subcommand(name, |sub| networks.add_flags(sub, purpose));
    }
    command = command.mut_subcommand("sweep", |sweep| {
        sweep.mut_subcommand("load", |sub| networks.add_flags(sub, Purpose::Compare))
    });
    groups::grouped(command.subcommands(networks.commands().map(|own| (own.command)())))
}

/// Reads a command line.
fn parse<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<ArgMatches, clap::Error> {
    command(networks).try_get_matches_from(words)
}

/// What was asked for.
fn asked(networks: &Networks, matches: &ArgMatches) -> Result<Asked, clap::Error> {
    if let Some((name, flags)) = matches.subcommand() {
        let own = networks.commands();
        if let Some(own) = own
            .into_iter()
            .find(|own| (own.command)().get_name() == name)
        {
            return Ok(Asked::Own(own, flags.clone()));
        }
    }
    Cli::from_arg_matches(matches).map(Asked::Ours)
}

/// Whether a command line can be read, with these networks: what stands first is the name
/// of the program.
///
/// # Errors
/// As the command line tells them.
pub fn accepts<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<(), clap::Error> {
    let asked = parse(networks, words).and_then(|matches| asked(networks, &matches));
    asked.map(|_| ())
}

/// Does what a command line asks for, with these networks: what stands first is the name
/// of the program.
///
/// # Errors
/// As the command line tells them.
pub fn perform<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<(), Failure> {
    run_asked(&read(networks, words)?, networks)
}

/// Reads what a command line asks for.
fn read<T: Into<OsString> + Clone>(
    networks: &Networks,
    words: impl IntoIterator<Item = T>,
) -> Result<Asked, Failure> {
    let asked = parse(networks, words).and_then(|matches| asked(networks, &matches));
    asked.map_err(|e| Failure::BadInput(e.into()))
}

fn run_asked(asked: &Asked, networks: &Networks) -> Result<(), Failure> {
    match asked {
        Asked::Ours(cli) => run_command(cli, networks),
        Asked::Own(own, flags) => output::print(&(own.run)(flags, &builds())?),
    }
}

fn run_command(cli: &Cli, networks: &Networks) -> Result<(), Failure> {
    match &cli.command {
        None => main_job::main_job(networks),
        Some(Command::Bench(args)) => bench::bench(args, networks),
        Some(Command::Board(args)) => board::board(args),
        Some(Command::Boards(args)) => boards::boards(args),
        Some(Command::Build(args)) => build::build(args),
        Some(Command::Claims(args)) => claims::claims(args),
        Some(Command::Collect(args)) => on_board::collect(args),
        Some(Command::Compare(args)) => compare::compare(args, networks),
        Some(Command::Compile(args)) => compile::compile(args),
        Some(Command::Completions(args)) => manual::completions(args, networks),
        Some(Command::CoreTest(args)) => core_test::core_test(args),
        Some(Command::Cost(args)) => cost::cost(args),
        Some(Command::Deadlock(args)) => deadlock::deadlock(args, networks),
        Some(Command::Equivalence(args)) => equivalence::equivalence(args),
        Some(Command::Flash(args)) => flash::flash(args),
        Some(Command::Load(args)) => on_board::load(args),
        Some(Command::Man) => manual::man(networks),
        Some(Command::Monitor(args)) => monitor::monitor(args),
        Some(Command::Prove(args)) => prove::prove(args),
        Some(Command::Route(args)) => route::route(args, networks),
        Some(Command::Run(args)) => run::run(args, networks),
        Some(Command::RunOnBoard(args)) => on_board::run_on_board(args),
        Some(Command::Send(args)) => on_board::send(args),
        Some(Command::Sweep(args)) => sweep::sweep(args, networks),
        Some(Command::Verilog(args)) => verilog::verilog(args),
    }
}

/// Does what the arguments of the process ask for, with the networks of this crate.
pub fn main() -> ExitCode {
    main_with(&networks::standard())
}

/// The same with these networks: how a network from outside this crate gets all commands.
pub fn main_with(networks: &Networks) -> ExitCode {
    let matches = parse(networks, std::env::args_os()).unwrap_or_else(|error| error.exit());
    let asked = asked(networks, &matches).unwrap_or_else(|error| error.exit());
    if matches.get_flag("quiet") {
        progress::silence();
    }
    // A run tells how far it came, and takes the signals when it can; until then, and
    // so that nothing is between, the system ends it.
    let runs = |cli: &Cli| matches!(cli.command, Some(Command::Run(_)));
    if !matches!(&asked, Asked::Ours(cli) if runs(cli)) {
        interrupt::install();
    }
    let done = run_asked(&asked, networks);
    match done {
        Ok(()) => {
            meaning::tell(networks, &matches);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            output::report(&failure);
            failure.exit_code().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{command, parse};
    use crate::networks;

    /// This command and those below it.
    fn commands(command: &clap::Command) -> Vec<clap::Command> {
        let inner = command.get_subcommands().flat_map(commands);
        std::iter::once(command.clone()).chain(inner).collect()
    }

    #[test]
    fn every_command_has_examples_that_it_takes() {
        for command in commands(&command(&networks::standard())) {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let lines = help.lines().filter(|line| line.starts_with("  phasecube"));
            let examples: Vec<&str> = lines.collect();
            assert!(!examples.is_empty(), "{name}: {help:?}");
            for example in examples {
                let words = shlex::split(example).expect("words as of a shell");
                let parsed = parse(&networks::standard(), words);
                let help = |e: &clap::Error| e.kind() == clap::error::ErrorKind::DisplayHelp;
                assert!(!parsed.is_err_and(|e| !help(&e)), "{example}");
            }
        }
    }

    /// A group of arguments does not lend its heading to what comes after it.
    #[test]
    fn arguments_stand_under_their_own_heading() {
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
            assert_eq!(
                found.get_help_heading(),
                Some(heading),
                "{name} --{argument}"
            );
        }
    }

    /// clap checks names, defaults and positions when it is asked to.
    #[test]
    fn the_command_line_is_well_formed() {
        command(&networks::standard()).debug_assert();
    }
}
