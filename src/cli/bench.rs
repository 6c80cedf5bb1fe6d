//! `phasecube bench`: compares the engines with Verilator.

mod measured;
mod table;

use super::args::NetworkArgs;
use super::{output, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use interconnect::topology::Hypercube;
use lab::report::EngineMeasurement;
use machine::flags::{parse_machine, within, OutputFlags};
use machine::networks::{self, Network, Networks, Purpose};
use measured::{BenchEngine, Measurement, ThreadedEngine};
use std::io::{self, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use toolchain::Toolchain;

/// Measure the engines against Verilator on the same nodes, program and traffic
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube bench --dims 6,10 --firmware none")]
pub struct BenchArgs {
    /// Dimensions of the measured cubes, separated by commas, each 1 to 12
    #[arg(long, value_name = "N,N..", value_delimiter = ',', default_values = ["4", "6", "8", "10", "12"],
          value_parser = parse_machine)]
    dims: Vec<Hypercube>,

    #[command(flatten)]
    network: NetworkArgs,

    /// Steps that each machine runs, phases for a TDMA machine [default: as many as make about 160
    /// million node-cycles, at least 4]
    #[arg(long, value_name = "N", value_parser = within::<u64>(1, u32::MAX.into()))]
    phases: Option<u64>,

    /// Maximum nodes for which Verilator also builds the whole machine as one object, 0 to 4096.
    /// Its code and compile time grow with the nodes
    #[arg(long, value_name = "NODES", default_value = "16", value_parser = within::<u32>(0, 4096))]
    monolith: u32,

    /// Measure only this engine with this number of threads, on the recording from standard input.
    /// The benchmark starts itself with this flag
    #[arg(long, value_name = "ENGINE:THREADS", hide = true, requires = "json")]
    only: Option<ThreadedEngine>,

    #[command(flatten)]
    output: OutputFlags,
}

/// Runs all engines and prints the table. Each engine runs in its own process, so that its memory
/// can be measured.
pub fn bench(args: &BenchArgs, networks: &Networks) -> Result<(), CliError> {
    let network = networks.select(args.network.name())?;
    let flags = &args.network.flags.0;
    networks.reject_foreign_flags(&[network], Purpose::Bench, flags)?;
    let cubes = &args.dims;
    let tools = Toolchain::open()?;
    let measurement = |cube| Measurement::new(network, cube, flags, args.phases);
    if let Some(engine) = args.only {
        let replay = serde_json::from_reader(BufReader::new(io::stdin().lock()))
            .context("standard input is not a recording; accepted: the recording that the benchmark writes")
            .map_err(CliError::BadInput)?;
        return print_json(&measurement(cubes[0])?.measure(engine, &replay, &tools)?);
    }
    if !args.output.json {
        output::print(&table::head(&tools, &measurement(cubes[0])?, args)?)?;
    }
    let mut all = vec![];
    for &cube in cubes {
        all.extend(compare_engines(args, network, cube, &measurement(cube)?)?);
    }
    match args.output.json {
        true => print_json(&all),
        false => Ok(()),
    }
}

fn print_json(result: &impl serde::Serialize) -> Result<(), CliError> {
    output::print(&(serde_json::to_string(result).expect("numbers are JSON") + "\n"))
}

/// Runs all engines on one machine and prints each row when it is measured.
fn compare_engines(
    args: &BenchArgs,
    network: &'static dyn Network,
    cube: Hypercube,
    machine: &Measurement,
) -> Result<Vec<EngineMeasurement>, CliError> {
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    let replay = serde_json::to_vec(&machine.record()?).expect("numbers and names are JSON");
    let mut rows: Vec<EngineMeasurement> = vec![];
    for engine in machine.engines(cores, args.monolith) {
        let row = run_in_child(args, network, cube, engine, &replay)?;
        let first = rows.first().unwrap_or(&row);
        if row.fingerprint != first.fingerprint {
            return Err(CliError::Failed(anyhow!(
                "{} and {} differ on {} nodes: fingerprints {} and {}",
                first.engine,
                row.engine,
                row.nodes,
                first.fingerprint,
                row.fingerprint
            )));
        }
        if !args.output.json {
            output::print(&table::row(&row, first))?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Starts this program again for one engine and passes it the recording.
fn run_in_child(
    args: &BenchArgs,
    network: &'static dyn Network,
    cube: Hypercube,
    engine: ThreadedEngine,
    replay: &[u8],
) -> Result<EngineMeasurement, CliError> {
    let measure = || -> anyhow::Result<EngineMeasurement> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bench", "--json", "--network", network.name()]);
        let flags = &args.network.flags.0;
        for flag in networks::network_flags(network, Purpose::Bench).get_arguments() {
            let id = flag.get_id().as_str();
            let given = flags.get_raw(id).into_iter().flatten();
            for value in given {
                command
                    .arg(format!("--{}", id.replace('_', "-")))
                    .arg(value);
            }
        }
        command.args(["--dims", &cube.dims().to_string()]);
        command.args(["--only", &engine.to_string()]);
        if let Some(phases) = args.phases {
            command.args(["--phases", &phases.to_string()]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        // A child that has already ended closes the pipe. Its exit status then has the reason.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(replay));
        let output = child.wait_with_output()?;
        serde_json::from_slice(&output.stdout).with_context(|| output.status.to_string())
    };
    let ThreadedEngine { engine, .. } = engine;
    measure()
        .with_context(|| format!("{} on {} nodes", engine.name(), cube.nodes()))
        .map_err(CliError::Failed)
}

impl BenchEngine {
    fn name(self) -> &'static str {
        match self {
            BenchEngine::Verilator => "verilator",
            BenchEngine::Monolith => "monolith",
            BenchEngine::Lockstep => "lockstep",
            BenchEngine::Evaluator => "evaluator",
            BenchEngine::Reference => "reference",
        }
    }
}
