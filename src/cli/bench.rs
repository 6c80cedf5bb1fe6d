//! `phasecube bench`: compares the engines with Verilator.

mod sizes;

use super::args::NetworkArgs;
use super::verilog_bench::{self, VerilogBenchArgs};
use super::{output, CliError};
use crate::cli::build_dir;
use anyhow::{anyhow, Context};
use clap::{ArgMatches, Args};
use engine::{EngineError, InputRecorder, Replay, WordStream, REFERENCE_NODES};
use interconnect::topology::Hypercube;
use interconnect::traffic::{ExchangeOrder, Recipe, TrafficPattern};
use lab::report::{EngineBench, EngineMeasurement};
use lockstep::lanes::LaneOptions;
use machine::flags::{parse_cube, within, FlagChoice, OutputFlags};
use machine::networks::{self, MachineJob, Network, Networks, Purpose, RunRequest};
use machine::text::{wrapped, MarkdownTable};
use machine::{drive_for, Load};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::{fmt, thread};
use toolchain::progress::{self, ProgressStep};
use toolchain::Toolchain;

/// Measure the engines against Verilator on the same nodes, program and traffic
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube bench --dims 6,10 --firmware none")]
pub struct BenchArgs {
    /// Dimensions of the measured cubes, separated by commas, each 1 to 16
    #[arg(long, value_name = "N,N..", value_delimiter = ',', default_values = ["4", "6", "8", "10", "12"],
          value_parser = parse_cube)]
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

    /// Measure only this engine: verilator, monolith, lockstep, evaluator or reference; can be
    /// repeated [default: all]
    #[arg(long = "engine", value_name = "NAME", value_parser = BenchEngine::parser(), hide_possible_values = true)]
    engines: Vec<BenchEngine>,

    /// Instead, measure the lockstep engine with memories of the nodes from 2K,512 to 64K,32K
    #[arg(long, conflicts_with_all = ["engines", "monolith"])]
    sizes: bool,

    /// Measure only this engine with this number of threads, on the recording from standard input.
    /// The benchmark starts itself with this flag
    #[arg(long, value_name = "ENGINE:THREADS", hide = true, requires = "json")]
    only: Option<ThreadedEngine>,

    #[command(flatten)]
    verilog: Box<VerilogBenchArgs>,

    #[command(flatten)]
    output: OutputFlags,
}

impl BenchArgs {
    /// Returns the engines to measure, Verilator first.
    fn chosen_engines(&self) -> impl Iterator<Item = BenchEngine> + '_ {
        let all = BenchEngine::ACCEPTED.iter().map(|(_, engine)| *engine);
        all.filter(|engine| self.engines.is_empty() || self.engines.contains(engine))
    }
}

/// Runs all engines and prints the table. Each engine runs in its own process, so that its memory
/// can be measured.
pub fn bench(args: &BenchArgs, networks: &Networks) -> Result<String, CliError> {
    if !args.verilog.verilog.is_empty() {
        networks.reject_foreign_flags(&[], Purpose::Bench, &args.network.flags.0)?;
        return verilog_bench::bench(&args.verilog, args.output.json);
    }
    let network = networks.select(args.network.name())?;
    let flags = &args.network.flags.0;
    networks.reject_foreign_flags(&[network], Purpose::Bench, flags)?;
    let cubes = &args.dims;
    if args.sizes {
        return sizes::memory_sizes(args, network);
    }
    let tools = Toolchain::open()?;
    let measurement = |cube| Measurement::new(network, cube, flags, args.phases);
    if let Some(engine) = args.only {
        let replay = serde_json::from_reader(BufReader::new(io::stdin().lock()))
            .context("standard input is not a recording; accepted: the recording that the benchmark writes")
            .map_err(CliError::BadInput)?;
        print_json(&measurement(cubes[0])?.measure(engine, &replay, &tools)?)?;
        return Ok(String::new());
    }
    // Bad input is found before the first engine runs.
    let machines = cubes.iter().map(|cube| Ok((*cube, measurement(*cube)?)));
    let machines = machines.collect::<Result<Vec<_>, CliError>>()?;
    reject_limits(args, &machines)?;
    if !args.output.json {
        output::print(&description(&tools, &machines[0].1, args)?)?;
    }
    let mut all = vec![];
    for (cube, machine) in &machines {
        let with_head = all.is_empty();
        let rows = compare_engines(args, network, (*cube, with_head), machine)?;
        all.extend(rows);
    }
    if args.output.json {
        print_json(&all)?;
    } else {
        output::print(&clock_cycles(&all))?;
    }
    Ok(meaning(&all))
}

/// Tells what lockstep spends its time on, a line for each machine.
fn clock_cycles(rows: &[EngineMeasurement]) -> String {
    let parts = rows.iter().filter_map(|row| Some((row, row.clock_cycle.as_ref()?)));
    let line = |(row, parts): (&EngineMeasurement, _)| {
        let line = format!("{}, {} nodes, one thread: {parts}", row.engine, row.nodes);
        format!("\n{}\n", wrapped(&line, output::text_width()))
    };
    parts.map(line).collect()
}

/// Rejects an engine of `--engine` that can run none of the machines. Prints which machines another
/// one leaves out.
fn reject_limits(args: &BenchArgs, machines: &[(Hypercube, Measurement)]) -> Result<(), CliError> {
    for engine in &args.engines {
        let limits = machines.iter();
        let limits = limits.filter_map(|(_, machine)| machine.limit(*engine, args.monolith));
        let limits: Vec<String> = limits.collect();
        if limits.len() == machines.len() {
            return Err(CliError::BadInput(anyhow!("--engine {}", limits[0])));
        }
        let print = |limit| progress::note(&format!("left out: {limit}"));
        limits.into_iter().for_each(print);
    }
    Ok(())
}

/// Explains the fastest row. The first row of each machine is Verilator's, if it is measured.
fn meaning(rows: &[EngineMeasurement]) -> String {
    if !rows.first().is_some_and(is_verilator) {
        return String::new();
    }
    let fastest = rows.iter().max_by(|a, b| a.rate.total_cmp(&b.rate));
    let verilator = |row: &&EngineMeasurement| rows.iter().find(|first| first.nodes == row.nodes);
    let Some((row, first)) = fastest.and_then(|row| Some((row, verilator(&row)?))) else {
        return String::new();
    };
    format!(
        "{} ran {} nodes at {:.1} million clock cycles of a node a second, {:.1} times as fast as \
         Verilator on one thread. All engines ran the same messages and ended in the same state.",
        row.engine,
        row.nodes,
        row.rate,
        row.rate / first.rate
    )
}

/// True for the engine that the others are compared with.
fn is_verilator(row: &EngineMeasurement) -> bool {
    row.engine == BenchEngine::Verilator.name()
}

fn print_json(result: &impl Serialize) -> Result<(), CliError> {
    output::print(&(serde_json::to_string(result).expect("numbers are JSON") + "\n"))
}

/// Runs all engines on one machine and prints each row when it is measured, the first with the head
/// of the table if requested.
fn compare_engines(
    args: &BenchArgs,
    network: &'static dyn Network,
    (cube, with_head): (Hypercube, bool),
    machine: &Measurement,
) -> Result<Vec<EngineMeasurement>, CliError> {
    let mut rows: Vec<EngineMeasurement> = vec![];
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    let engines = machine.engines(cores, args);
    if engines.is_empty() {
        return Ok(rows);
    }
    let replay = serde_json::to_vec(&machine.record()?).expect("numbers and names are JSON");
    for engine in engines {
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
            print_row(&table(&row, first), with_head && rows.is_empty())?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Prints a table with one row. The first row follows the headings.
pub(super) fn print_row(table: &MarkdownTable, with_head: bool) -> Result<(), CliError> {
    let width = output::stdout_width();
    let lines = table.lines(width).unwrap_or_default();
    let (head, row) = lines.split_at(lines.len().min(2));
    if with_head {
        let left_out = wrapped(&table.left_out(width), output::text_width());
        output::print(&(left_out + "\n" + &head.concat()))?;
    }
    output::print(&row.concat())
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
        let mut command = child_command(args, network, cube)?;
        command.args(["--only", &engine.to_string()]);
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

/// Returns the command that measures this machine in a process of its own.
fn child_command(
    args: &BenchArgs,
    network: &'static dyn Network,
    cube: Hypercube,
) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["bench", "--json", "--network", network.name()]);
    command.args(network_words(args, network));
    if progress::is_suppressed() {
        command.arg("--quiet");
    }
    command.args(["--dims", &cube.dims().to_string()]);
    if let Some(phases) = args.phases {
        command.args(["--phases", &phases.to_string()]);
    }
    Ok(command)
}

/// Returns the flags of the network as words of a command line.
fn network_words(args: &BenchArgs, network: &dyn Network) -> Vec<OsString> {
    let flags = &args.network.flags.0;
    let mut words = vec![];
    for flag in networks::network_flags(network, Purpose::Bench).get_arguments() {
        let id = flag.get_id().as_str();
        for value in flags.get_raw(id).into_iter().flatten() {
            words.push(format!("--{}", id.replace('_', "-")).into());
            words.push(value.to_owned());
        }
    }
    words
}

// Machines and engines that `phasecube bench` measures.

/// Approximate node-cycles of a run. The traffic lasts longer than the run.
const NODE_CYCLES: u64 = 160_000_000;

/// Most nodes for which the evaluator runs. On larger machines it would take longer than all other
/// engines together.
const EVALUATOR_NODES: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BenchEngine {
    Verilator,
    Monolith,
    Lockstep,
    Evaluator,
    Reference,
}

impl FlagChoice for BenchEngine {
    const OPTION_NAME: &'static str = "engine";
    const ACCEPTED: &'static [(&'static str, Self)] = &[
        ("verilator", BenchEngine::Verilator),
        ("monolith", BenchEngine::Monolith),
        ("lockstep", BenchEngine::Lockstep),
        ("evaluator", BenchEngine::Evaluator),
        ("reference", BenchEngine::Reference),
    ];
    const RESERVED: &'static [&'static str] = &[];
}

/// Engine and its number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ThreadedEngine {
    pub engine: BenchEngine,
    pub threads: usize,
}

impl fmt::Display for ThreadedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.engine.name(), self.threads)
    }
}

impl FromStr for ThreadedEngine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let engine = || {
            let (name, threads) = text.split_once(':')?;
            let engine = BenchEngine::parse(name).ok()?;
            let threads = threads.parse().ok().filter(|threads| (1..=256).contains(threads))?;
            Some(ThreadedEngine { engine, threads })
        };
        engine().ok_or_else(|| format!("{text:?} is not an engine; accepted: such as lockstep:2"))
    }
}

/// Machine and run that all engines measure.
struct Measurement {
    pub job: MachineJob,
    nodes: u32,
    clock_cycles: u64,
    stream: WordStream,
}

impl Measurement {
    /// Prepares the machine of a network on this cube. Without `steps`, the run has about
    /// `NODE_CYCLES` node-cycles.
    pub fn new(
        network: &'static dyn Network,
        cube: Hypercube,
        flags: &ArgMatches,
        steps: Option<u64>,
    ) -> Result<Self, CliError> {
        let recipe = Recipe {
            pattern: TrafficPattern::Relation(32),
            seed: 1,
            payload: 4,
            order: ExchangeOrder::Pairs,
        };
        let mut job = network.bench_job(&RunRequest {
            cube,
            recipe,
            list: None,
            programs: None,
            writes_messages: false,
            flags,
        })?;
        let Some(stream) = job.machine.stream() else {
            return Err(CliError::BadInput(anyhow!(
                "the nodes of {} deliver no words to compare; accepted: another --network",
                network.name()
            )));
        };
        job.machine.prepare(&build_dir())?;
        let timebase = job.machine.timebase();
        let step = timebase.clock_cycles();
        let nodes = job.machine.circuit().topology().nodes();
        let about = NODE_CYCLES / (u64::from(nodes) * step);
        // Scheduled traffic lasts longer than eight periods.
        let most = match job.machine.subject().steps.period {
            Some(_) => 8 * timebase.steps(),
            None => 4096,
        };
        let about = about.clamp(4, most);
        Ok(Measurement { job, nodes, clock_cycles: steps.unwrap_or(about) * step, stream })
    }

    /// Records the inputs that the driver sets in a run on the lockstep engine. All engines replay
    /// this recording.
    pub fn record(&self) -> Result<Replay, CliError> {
        let _activity = ProgressStep::quiet(&format!("{} nodes: recording the driver", self.nodes));
        let machine = &*self.job.machine;
        let mut engine = machine
            .circuit()
            .array()
            .map_err(EngineError::from)?
            .lockstep(&LaneOptions::default())?;
        let mut recorder = InputRecorder::new(&mut engine, self.stream.clone());
        let load = Load::at_once(self.job.load.messages.clone());
        let mut driver = machine.driver(&mut recorder, load)?;
        let driven = drive_for(&mut *driver, self.clock_cycles);
        drop(driver);
        driven.map_err(|e| CliError::Failed(e.into()))?;
        Ok(Replay {
            recording: recorder.finish().until(self.clock_cycles),
            every_clock_cycle: false,
            signals: machine.bus_signals(),
        })
    }

    /// Returns the engines to measure on this machine, Verilator first, without those that cannot
    /// run it.
    fn engines(&self, cores: usize, args: &BenchArgs) -> Vec<ThreadedEngine> {
        let chosen = args.chosen_engines();
        let fit = chosen.filter(|engine| self.limit(*engine, args.monolith).is_none());
        let threaded = fit.flat_map(|engine| {
            let most = match engine {
                BenchEngine::Verilator | BenchEngine::Lockstep => cores,
                BenchEngine::Monolith | BenchEngine::Evaluator | BenchEngine::Reference => 1,
            };
            let mut threads = vec![1, most];
            threads.dedup();
            let threads = threads.into_iter();
            threads.map(move |threads| ThreadedEngine { engine, threads })
        });
        threaded.collect()
    }

    /// Returns why an engine is not measured on this machine, or `None` if it is. Verilator's single
    /// object is built for up to `monolith` nodes.
    fn limit(&self, engine: BenchEngine, monolith: u32) -> Option<String> {
        let (most, needs_outputs) = match engine {
            BenchEngine::Verilator | BenchEngine::Lockstep => return None,
            BenchEngine::Monolith => (monolith, true),
            BenchEngine::Evaluator => (EVALUATOR_NODES, false),
            BenchEngine::Reference => (REFERENCE_NODES, true),
        };
        let (name, nodes) = (engine.name(), self.nodes);
        if needs_outputs && !self.job.machine.bus_signals().is_empty() {
            return Some(format!(
                "{name} shows no signals inside a node, and nodes that run a program need them; \
                 accepted: verilator, lockstep or evaluator, or nodes without a program"
            ));
        }
        let remedy = match engine {
            BenchEngine::Monolith => format!(", or --monolith {nodes}"),
            _ => String::new(),
        };
        (nodes > most).then(|| {
            format!("{name} runs up to {most} nodes, and the machine has {nodes}; accepted: a smaller --dims{remedy}")
        })
    }

    /// Runs one engine in this process.
    pub fn measure(
        &self,
        engine: ThreadedEngine,
        replay: &Replay,
        tools: &Toolchain,
    ) -> Result<EngineMeasurement, CliError> {
        let folder = build_dir().join("bench");
        std::fs::create_dir_all(&folder).map_err(|e| CliError::Failed(e.into()))?;
        let _activity = ProgressStep::quiet(&format!("{} nodes: {engine}", self.nodes));
        let circuit = self.job.machine.circuit();
        let bench = EngineBench::new(tools, &folder, || circuit.array(), replay);
        let bench = bench.map_err(EngineError::from)?;
        let ThreadedEngine { engine, threads } = engine;
        Ok(match engine {
            BenchEngine::Verilator => bench.verilator(threads)?,
            BenchEngine::Monolith => bench.monolith()?,
            BenchEngine::Lockstep => bench.lockstep(threads)?,
            BenchEngine::Evaluator => bench.evaluator()?,
            BenchEngine::Reference => bench.reference()?,
        })
    }
}

// The table that `phasecube bench` prints.

/// Formats the description of the measurement and the tools.
fn description(
    tools: &Toolchain,
    measurement: &Measurement,
    args: &BenchArgs,
) -> Result<String, CliError> {
    let machine = &*measurement.job.machine;
    let timebase = machine.timebase();
    let mut lines = vec![
        machine.describe_nodes(),
        format!(
            "Traffic: relation:32, 4 bytes of payload{}.",
            match timebase.clock_cycles() {
                1 => String::new(),
                more => format!("; {more} clock cycles a {}", timebase.step_name),
            }
        ),
    ];
    let has = |engine| args.chosen_engines().any(|chosen| chosen == engine);
    if has(BenchEngine::Verilator) || has(BenchEngine::Monolith) {
        lines.push(format!(
            "verilator: {}, an object for each node, links exchanged each clock cycle; monolith: \
             the whole machine as one object, up to {} nodes; {}, -O3 -march=native.",
            tools.verilator()?,
            args.monolith,
            tools.cpp_version()?,
        ));
    }
    if has(BenchEngine::Evaluator) || has(BenchEngine::Reference) {
        lines.push(format!(
            "evaluator: up to {EVALUATOR_NODES} nodes; reference: up to {REFERENCE_NODES} \
             (rust-hdl's simulator)."
        ));
    }
    lines.extend([
        format!("SIMD of this CPU: {}.", simd()),
        "start: from the circuit's source to the first clock cycle; Verilator's with its \
         compilation."
            .to_owned(),
        "memory: peak resident memory (VmHWM) of the process of this engine.".to_owned(),
    ]);
    let width = output::text_width();
    Ok(lines.iter().map(|line| wrapped(line, width)).collect())
}

/// Returns the table with one row. Its headings are as wide as the widest cells, so that rows that
/// are printed one by one are aligned. `first` is the row of Verilator on one thread.
fn table(row: &EngineMeasurement, first: &EngineMeasurement) -> MarkdownTable {
    let headings = [
        "nodes",
        "engine   ",
        "threads",
        "start, s",
        "memory, MB",
        "clock cycles",
        "million node-cycles/s",
        "times Verilator",
        "fingerprint     ",
    ];
    let rank = &["million node-cycles/s", "times Verilator", "threads", "start, s"];
    let mut table = MarkdownTable::new(2, headings).ranked(2, rank, "--json");
    table.row([
        row.nodes.to_string(),
        row.engine.to_string(),
        row.threads.to_string(),
        format!("{:.2}", row.start_seconds),
        format!("{:.0}", row.memory as f64 / 1e6),
        row.clock_cycles.to_string(),
        format!("{:.2}", row.rate),
        match is_verilator(first) {
            true => format!("{:.2}", row.rate / first.rate),
            false => "-".to_owned(),
        },
        row.fingerprint.clone(),
    ]);
    table
}

/// Names the SIMD extension of the CPU that the lockstep engine can use.
pub(super) fn simd() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        if avx512 && is_x86_feature_detected!("avx512vl") {
            return "AVX-512";
        }
        if is_x86_feature_detected!("avx2") {
            return "AVX2";
        }
    }
    "none that the lockstep engine uses"
}
