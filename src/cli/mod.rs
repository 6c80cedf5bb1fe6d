//! The command line: reads arguments, calls the library, prints (docs/machine.md,
//! "Command line"). One file for each subcommand.

pub mod args;
mod bench;
mod boards;
mod build;
mod builds;
mod compare;
mod core_test;
mod cost;
mod failure;
mod figure12;
mod files;
mod flash;
mod main_job;
mod monitor;
mod output;
mod route;
mod run;
mod sweep;
mod verilog;

pub use bench::BenchArgs;
pub use build::BuildArgs;
pub use compare::CompareArgs;
pub use core_test::CoreTestArgs;
pub use cost::CostArgs;
pub use failure::Failure;
pub use figure12::Figure12Args;
pub use flash::FlashArgs;
pub use monitor::MonitorArgs;
pub use route::RouteArgs;
pub use run::RunArgs;
pub use sweep::SweepArgs;
pub use verilog::VerilogArgs;

use builds::builds;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A hypercube computer whose only router is a time schedule
///
/// Without a command: simulate the machine on real messages, emit its Verilog,
/// synthesise it and print a summary.
#[derive(Debug, Parser)]
#[command(name = "phasecube", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Bench(BenchArgs),
    Build(BuildArgs),
    Compare(Box<CompareArgs>),
    CoreTest(CoreTestArgs),
    Cost(CostArgs),
    Figure12(Figure12Args),
    Flash(FlashArgs),
    Monitor(MonitorArgs),
    Route(RouteArgs),
    Run(Box<RunArgs>),
    Sweep(SweepArgs),
    Verilog(VerilogArgs),
}

fn run_command(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        None => main_job::main_job(),
        Some(Command::Bench(args)) => bench::bench(args),
        Some(Command::Build(args)) => build::build(args),
        Some(Command::Compare(args)) => compare::compare(args),
        Some(Command::CoreTest(args)) => core_test::core_test(args),
        Some(Command::Cost(args)) => cost::cost(args),
        Some(Command::Figure12(args)) => figure12::figure12(args),
        Some(Command::Flash(args)) => flash::flash(args),
        Some(Command::Monitor(args)) => monitor::monitor(args),
        Some(Command::Route(args)) => route::route(args),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Sweep(args)) => sweep::sweep(args),
        Some(Command::Verilog(args)) => verilog::verilog(args),
    }
}

/// Does what the arguments of the process ask for.
pub fn main() -> ExitCode {
    let done = run_command(&Cli::parse());
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::report(&failure);
            failure.exit_code().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    /// clap checks names, defaults and positions when it is asked to.
    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
