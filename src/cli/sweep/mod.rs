//! `phasecube sweep`: how the limits of the machine depend on its parameters.

mod grid;

use super::file_flags::InputFiles;
use super::CliError;
use crate::cli::args::{parse_payload, NetworkArgs};
use crate::cli::compare::error_text;
use crate::cli::{build_dir, files, output};
use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};
use engine::EngineError;
use interconnect::topology::{number, AddressSpace, Hypercube};
use interconnect::traffic::{Message, MessageList, OfferedLoad, STEPS_PER_PERIOD};
use lab::report::comparison::{LoadPoint, LoadWindow, MachineReport, TrafficResult};
use lab::report::{Axis, LoadSweep, PhasePoint, PhaseSweep, SweepPoint, SweptMachine};
use lockstep::lanes::Keep;
use machine::flags::{parse_machine, within, EngineFlags, FlagChoice, OutputDir, OutputFlags};
use machine::format_count::format_count;
use machine::networks::tdma::skew::{
    measure, Expectation, ShortestTiming, SkewConditions, CLOCKS_PER_BIT,
};
use machine::networks::{network_flags, ComparisonSetting, Machine, Network, Networks, Purpose};
use machine::{drive, drive_for, Load, MachineDriver, RunControl};
use rayon::prelude::*;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::mpsc;
use toolchain::progress::{ProgressMeter, ProgressStep};

/// Measure the limits of a machine against its parameters
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube sweep phase --axis payload\n  phasecube sweep load --network torus --radix 8,8"
)]
pub struct SweepArgs {
    #[command(subcommand)]
    what: SweepCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum SweepCommand {
    Phase(SweepPhaseArgs),
    Load(SweepLoadArgs),
    Grid(grid::SweepGridArgs),
}

/// Output format of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SweepFormat {
    /// Tables and plots.
    Text,
    /// One JSON object.
    Json,
    /// Comma-separated values.
    Csv,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
struct FormatFlags {
    #[command(flatten)]
    output: OutputFlags,

    /// Print comma-separated values and nothing else
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Output directory [default: target/phasecube/load or target/phasecube/phase; none with --json
    /// or --csv]
    #[arg(long, value_name = "DIR")]
    out: Option<OutputDir>,
}

impl FormatFlags {
    fn format(&self) -> SweepFormat {
        match (self.output.json, self.csv) {
            (true, _) => SweepFormat::Json,
            (_, true) => SweepFormat::Csv,
            _ => SweepFormat::Text,
        }
    }

    /// Returns the checked directory for these files of a report. `default` is its name if the user
    /// gives none.
    fn output_dir(
        &self,
        default: &str,
        names: &[&str],
        inputs: &InputFiles,
    ) -> Result<Option<PathBuf>, CliError> {
        let dir = match (&self.out, self.format()) {
            (Some(dir), _) => dir.to_path_buf(),
            (None, SweepFormat::Text) => build_dir().join(default),
            (None, SweepFormat::Json | SweepFormat::Csv) => return Ok(None),
        };
        files::check_files("--out", &dir, names, inputs)?;
        Ok(Some(dir))
    }

    /// Writes the files of a report, and prints it in the requested format.
    fn present(
        &self,
        report: &dyn Display,
        out: Option<PathBuf>,
        contents: &[(String, String)],
        [csv, json]: [String; 2],
    ) -> Result<(), CliError> {
        let mut written = String::new();
        if let Some(dir) = out {
            written = files::write_report(&dir, contents)?;
        }
        match self.format() {
            SweepFormat::Text => {
                output::print_report(report)?;
                output::print(&written)
            }
            SweepFormat::Json => output::print(&json),
            SweepFormat::Csv => output::print(&csv),
        }
    }
}

/// Runs the sweep and prints the results.
pub fn sweep(
    args: &SweepArgs,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<Option<String>, CliError> {
    match &args.what {
        SweepCommand::Phase(args) => sweep_phase(args, inputs).map(|()| None),
        SweepCommand::Load(args) => sweep_load(args, networks, inputs).map(Some),
        SweepCommand::Grid(args) => grid::sweep_grid(args, networks, inputs).map(Some),
    }
}

// `phasecube sweep load`: throughput and latency of a network under increasing load.

/// Measure the accepted load and the latency of a network under increasing load
///
/// Messages come at random times for random other nodes. Prints a table and a verdict on each
/// statement of the papers about it; writes a page with the curves (load.html), CSV and JSON.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube sweep load --network torus --radix 8,8")]
struct SweepLoadArgs {
    #[command(flatten)]
    network: NetworkArgs,

    /// Dimensions N, 1 to 12: the machine has 2^N nodes
    #[arg(long = "dims", value_name = "N", default_value = "3", value_parser = parse_machine,
          help_heading = "Machine")]
    cube: Hypercube,

    #[arg(
        help_heading = "Traffic",
        long,
        value_name = "BYTES",
        default_value = "4",
        value_parser = parse_payload,
        help = "Random payload of a message, 0 to 78 bytes"
    )]
    payload: usize,

    /// Seed of all random choices
    #[arg(help_heading = "Traffic", long, value_name = "S", default_value = "1", value_parser = number::parse)]
    seed: u64,

    /// Offered loads, above 0 and up to 4, as shares of the traffic that the channels carry if all
    /// are always busy; separated by commas
    #[arg(help_heading = "Traffic", long, value_name = "LOAD,..",
          default_value = "0.02,0.05,0.1,0.15,0.2,0.25,0.3,0.4,0.6,0.8,1",
          value_delimiter = ',', value_parser = parse_share)]
    loads: Vec<f64>,

    /// Measured periods (superframes, petit cycles, packet times), 4 to 100,000, after a warm-up of
    /// a quarter as many
    #[arg(help_heading = "Traffic", long, value_name = "N", default_value = "200", value_parser = within::<u64>(4, 100_000))]
    periods: u64,

    #[command(flatten)]
    format: FormatFlags,

    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the machines of the network under every load, then prints and writes the results.
fn sweep_load(
    args: &SweepLoadArgs,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<String, CliError> {
    let network = networks.select(args.network.name())?;
    let flags = &args.network.flags.0;
    networks.reject_foreign_flags(&[network], Purpose::Compare, flags)?;
    let out = args.format.output_dir("load", &LoadSweep::FILES, inputs)?;
    let setting = ComparisonSetting {
        cube: args.cube,
        proc_bits: 0,
        payload: args.payload,
        alone: true,
        flags,
    };
    let mut loads = args.loads.clone();
    loads.sort_by(f64::total_cmp);
    let mut sweep = LoadSweep {
        command: args.command(network),
        version: env!("CARGO_PKG_VERSION"),
        network: network.name(),
        title: network.title(),
        payload: args.payload,
        seed: args.seed,
        engine: args.engine.engine.name(),
        window: LoadWindow {
            warm_up: args.periods / 4,
            measured: args.periods,
        },
        machines: vec![],
        points: vec![],
        verdicts: vec![],
    };
    let activity = ProgressStep::quiet("building the machines");
    let mut contenders = network.machines_to_compare(&setting)?;
    // A machine built for known messages cannot take part, because these messages are not known in
    // advance.
    contenders.retain(|machine| machine.machine_builder().is_none());
    for mut machine in contenders {
        args.engine.engine.check(machine.circuit().topology())?;
        machine.prepare(&build_dir())?;
        let circuit = machine.circuit().topology();
        let (label, time) = (machine.label(), machine.timebase());
        let swept = SweptMachine::new(label, machine.headline(), circuit, time);
        let report = MachineReport::new(network.name(), &*machine, None)?;
        let bench = LoadBench {
            args,
            machine: &*machine,
            window: sweep.window,
            activity: &activity,
        };
        for share in &loads {
            sweep
                .points
                .push(bench.measure_point(&swept, &report, *share)?);
        }
        if let Some(found) = sweep.findings(&swept) {
            sweep.verdicts.extend(network.verdicts(&setting, &found)?);
        }
        sweep.machines.push(swept);
    }
    drop(activity);
    let texts = [sweep.csv(), sweep.json()];
    args.format.present(&sweep, out, &sweep.files(), texts)?;
    let machines = sweep
        .machines
        .iter()
        .map(|machine| saturation(&sweep, machine));
    Ok(machines.collect())
}

/// Explains how much a machine carried, and from which load on it was saturated.
fn saturation(sweep: &LoadSweep, machine: &SweptMachine) -> String {
    let points = || {
        sweep
            .points
            .iter()
            .filter(|p| p.point.machine == machine.machine)
    };
    let accepted = points().map(|p| p.accepted_share).fold(0.0, f64::max);
    let saturated = points().find(|p| p.point.saturated).map(|p| p.share);
    let lost: u64 = points().map(|p| p.point.lost).sum();
    let mut text = format!(
        "{} carried up to {accepted:.2} of what its channels could",
        machine.machine
    );
    text += &match saturated {
        Some(share) => format!(", and was saturated at a load of {share}"),
        None => ", and was not saturated at any of these loads".to_owned(),
    };
    if lost > 0 {
        text += &format!("; it lost {}", format_count(lost, "message"));
    }
    text + ". "
}

/// Machine under load.
struct LoadBench<'a> {
    args: &'a SweepLoadArgs,
    machine: &'a dyn Machine,
    window: LoadWindow,
    activity: &'a ProgressStep,
}

impl LoadBench<'_> {
    fn measure_point(
        &self,
        swept: &SweptMachine,
        report: &MachineReport,
        share: f64,
    ) -> Result<SweepPoint, CliError> {
        let (machine, window) = (self.machine, self.window);
        let load = share * swept.bound;
        if load > STEPS_PER_PERIOD as f64 {
            return Err(CliError::BadInput(anyhow!(
                "a load of {share} is {load:.1} messages per node and {}; accepted: up to {STEPS_PER_PERIOD}",
                swept.timebase.period_name
            )));
        }
        let nodes = AddressSpace::new(swept.nodes).map_err(|e| CliError::BadInput(e.into()))?;
        let offered = OfferedLoad {
            load,
            periods: window.periods(),
            seed: self.args.seed,
            payload: self.args.payload,
        };
        let (messages, moments) = offered.messages(nodes, 0);
        let created = window.creation_times(&moments, swept.timebase.period);
        let load_of = Load {
            created: created.clone(),
            ..Load::at_once(MessageList::from(&messages[..]))
        };
        let title = format!("{}, a load of {share}", machine.label());
        self.activity.step(&title);
        let (flags, circuit) = (&self.args.engine, machine.circuit());
        let options = flags.options(Keep::Outputs);
        let mut engine = flags.engine.start(circuit, &options, &build_dir())?;
        let mut driver = machine.driver(&mut *engine, load_of)?;
        let used = self.measure_utilisation(&mut *driver)?;
        let control = RunControl::to_end(swept.timebase.steps(), machine.deadlock_after());
        let stats = drive(&mut *driver, control).map_err(|e| CliError::Failed(e.into()))?;
        if let Some(wrong) = error_text(machine, &stats) {
            return Err(CliError::Failed(anyhow!("{title}: {wrong}")));
        }
        let carried = TrafficResult::new(&stats, swept.timebase);
        let point = LoadPoint::new(report, swept.nodes, load, window, &created, &carried);
        let period = swept.timebase.period;
        let from = created.partition_point(|time| *time < window.warm_up * period);
        let distance = self.mean_distance(&messages[from..]);
        let point = (share, point);
        Ok(SweepPoint::new((swept, window), point, distance, used))
    }

    /// Returns the mean number of channels on the routes of these messages; `None` without
    /// messages.
    fn mean_distance(&self, messages: &[Message]) -> Option<f64> {
        let topology = self.machine.circuit().topology();
        let far = |m: &Message| topology.distance(m.source, m.destination).map(f64::from);
        let sum: f64 = messages.iter().filter_map(far).sum();
        (!messages.is_empty()).then(|| sum / messages.len() as f64)
    }

    /// Runs the machine to the end of the measured periods. Returns how much the channels carried
    /// in these periods.
    fn measure_utilisation(&self, driver: &mut dyn MachineDriver) -> Result<Option<f64>, CliError> {
        let timebase = self.machine.timebase();
        let period = timebase.period * timebase.clocks_per_bit;
        let mut run = |periods: u64| {
            let ran = drive_for(driver, periods * period);
            ran.map_err(|e| CliError::Failed(e.into()))?;
            Ok::<_, CliError>(driver.carried_traffic())
        };
        let before = run(self.window.warm_up)?;
        let after = run(self.window.measured)?;
        Ok(before.zip(after).map(|(before, after)| after - before))
    }
}

impl SweepLoadArgs {
    /// Returns the command line that repeats this sweep.
    fn command(&self, network: &'static dyn Network) -> String {
        let mut command = format!(
            "phasecube sweep load --network {} --dims {}",
            network.name(),
            self.cube.dims()
        );
        let flags = &self.network.flags.0;
        for flag in network_flags(network, Purpose::Compare).get_arguments() {
            let id = flag.get_id().as_str();
            let given = flags.get_raw(id).into_iter().flatten();
            let given: Vec<_> = given.map(|value| value.to_string_lossy()).collect();
            if !given.is_empty() {
                command += &format!(" --{} {}", id.replace('_', "-"), given.join(","));
            }
        }
        let loads: Vec<String> = self.loads.iter().map(f64::to_string).collect();
        command
            + &format!(
                " --payload {} --seed {} --loads {} --periods {} --engine {}",
                self.payload,
                self.seed,
                loads.join(","),
                self.periods,
                self.engine.engine.name()
            )
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 4.0 => Ok(share),
        _ => Err(format!(
            "{text:?} is not a load; accepted: above 0, up to 4"
        )),
    }
}

// `phasecube sweep phase`: shortest possible phase.

/// Measure the minimum safe phase and dead time of two nodes with clocks of their own, against baud
/// rate, payload, skew of the phase clock and mismatch of the nodes' clocks
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube sweep phase --axis payload --clock 16")]
struct SweepPhaseArgs {
    /// Parameter to vary [default: each in turn]
    #[arg(long, value_name = "AXIS")]
    axis: Option<AxisArg>,

    /// Clock of the nodes in MHz, above 0
    #[arg(long, value_name = "MHZ", default_value = "8")]
    clock: f64,

    /// Clock cycles per bit where the baud rate is not varied: 4, 8, 16, 32 or 64
    #[arg(long, value_name = "N", default_value = "8")]
    clocks_per_bit: u32,

    /// Payload where it is not varied, 0 to 80 bytes
    #[arg(long, value_name = "BYTES", default_value = "10", value_parser = within::<u32>(0, 80))]
    payload: u32,

    /// Delay of the phase clock to one node against the other where it is not varied, 0 to 100
    /// microseconds
    #[arg(long, value_name = "US", default_value = "0.25")]
    skew: f64,

    /// Slowness of one node's clock against the other where it is not varied, -100000 to 100000
    /// parts per million
    #[arg(long, value_name = "PPM", default_value = "100")]
    mismatch: f64,

    /// Frames that must arrive in every phase that counts as safe, 16 to 100,000
    #[arg(long, value_name = "N", default_value = "40", value_parser = within::<u64>(16, 100_000))]
    frames: u64,

    #[command(flatten)]
    format: FormatFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AxisArg {
    Baud,
    Payload,
    Skew,
    Mismatch,
}

/// Values of each axis. The baud rate is given as clock cycles per bit.
const PAYLOADS: &[u32] = &[0, 2, 10, 20, 40, 80];
const SKEWS_US: &[f64] = &[0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const MISMATCHES_PPM: &[f64] = &[0.0, 100.0, 1e3, 5e3, 1e4, 2e4, 3e4, 4e4, 5e4, 6e4];

/// Runs the sweep and prints the results.
fn sweep_phase(args: &SweepPhaseArgs, inputs: &InputFiles) -> Result<(), CliError> {
    check_arguments(args)?;
    let out = args
        .format
        .output_dir("phase", &PhaseSweep::FILES, inputs)?;
    let mut sweep = PhaseSweep {
        command: args.command(),
        version: env!("CARGO_PKG_VERSION"),
        clock_mhz: args.clock,
        frames: args.frames,
        points: vec![],
    };
    let points = points(args);
    // The axes share a point, which is measured once.
    let mut different: Vec<SkewConditions> = vec![];
    for (.., conditions) in &points {
        if !different.contains(conditions) {
            different.push(*conditions);
        }
    }
    let measured = measure_all(&different, args.frames)?;
    for (axis, value, conditions) in points {
        let kbaud = args.clock * 1000.0 / f64::from(conditions.clocks_per_bit);
        let same = different.iter().position(|other| *other == conditions);
        let measured = same.and_then(|i| measured[i]);
        let point = PhasePoint::new((axis, value), &conditions, kbaud, measured);
        sweep.points.push(point);
    }
    let texts = [sweep.csv(), sweep.json()];
    args.format.present(&sweep, out, &sweep.files(), texts)
}

impl SweepPhaseArgs {
    /// Returns the command line that repeats this sweep.
    fn command(&self) -> String {
        let axis = self.axis.and_then(|axis| axis.to_possible_value());
        let axis = axis.map_or(String::new(), |axis| format!(" --axis {}", axis.get_name()));
        format!(
            "phasecube sweep phase{axis} --clock {} --clocks-per-bit {} --payload {} --skew {} \
             --mismatch {} --frames {}",
            self.clock, self.clocks_per_bit, self.payload, self.skew, self.mismatch, self.frames
        )
    }
}

/// Runs [`measure`] on all points with one thread per processor, and shows a progress bar.
fn measure_all(
    all: &[SkewConditions],
    frames: u64,
) -> Result<Vec<Option<ShortestTiming>>, CliError> {
    // The work grows with the clock cycles of a phase.
    let work = |conditions: &SkewConditions| {
        let clocks_per_bit = f64::from(conditions.clocks_per_bit);
        (Expectation::of(conditions).phase() * clocks_per_bit) as u64
    };
    let bar = ProgressMeter::new(all.iter().map(work).sum());
    let mut found = vec![None; all.len()];
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let points = all.par_iter().enumerate();
            // After an error the receiver has been dropped. The remaining points are skipped.
            let _ = points.try_for_each_with(sender, |sender, (i, conditions)| {
                sender.send((i, measure(conditions, frames)))
            });
        });
        let (mut done, mut points) = (0, 0);
        bar.at(0, &format!("0 of {} points", all.len()));
        for (i, measured) in results {
            found[i] = measured?;
            done += work(&all[i]);
            points += 1;
            bar.at(done, &format!("{points} of {} points", all.len()));
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(found)
}

fn check_arguments(args: &SweepPhaseArgs) -> Result<(), CliError> {
    let refuse = |what: String| Err(CliError::BadInput(anyhow!(what)));
    if !CLOCKS_PER_BIT.contains(&args.clocks_per_bit) {
        return refuse(format!(
            "{} clock cycles per bit are not possible; accepted: 4, 8, 16, 32, 64",
            args.clocks_per_bit
        ));
    }
    if !(args.clock.is_finite() && args.clock > 0.0) {
        return refuse(format!(
            "a clock of {} MHz is not possible; accepted: above 0",
            args.clock
        ));
    }
    if !(0.0..=100.0).contains(&args.skew) {
        return refuse(format!(
            "a skew of {} us is not possible; accepted: 0 to 100",
            args.skew
        ));
    }
    if !(-1e5..=1e5).contains(&args.mismatch) {
        return refuse(format!(
            "a mismatch of {} ppm is not possible; accepted: -100000 to 100000",
            args.mismatch
        ));
    }
    Ok(())
}

/// Returns the points to measure, axis by axis.
fn points(args: &SweepPhaseArgs) -> Vec<(Axis, f64, SkewConditions)> {
    let at = |clocks_per_bit: u32, payload: u32, skew_us: f64, mismatch: f64| SkewConditions {
        clocks_per_bit,
        payload,
        skew: skew_us * args.clock / f64::from(clocks_per_bit),
        mismatch,
    };
    let (clocks, payload, skew, mismatch) =
        (args.clocks_per_bit, args.payload, args.skew, args.mismatch);
    let wanted = |axis| args.axis.is_none_or(|only| only == axis);
    let mut points = vec![];
    if wanted(AxisArg::Baud) {
        points.extend(CLOCKS_PER_BIT.iter().map(|&clocks| {
            let kbaud = args.clock * 1000.0 / f64::from(clocks);
            (Axis::Baud, kbaud, at(clocks, payload, skew, mismatch))
        }));
    }
    if wanted(AxisArg::Payload) {
        let value = |&payload: &u32| {
            let conditions = at(clocks, payload, skew, mismatch);
            (Axis::Payload, payload.into(), conditions)
        };
        points.extend(PAYLOADS.iter().map(value));
    }
    if wanted(AxisArg::Skew) {
        let value = |&skew: &f64| (Axis::Skew, skew, at(clocks, payload, skew, mismatch));
        points.extend(SKEWS_US.iter().map(value));
    }
    if wanted(AxisArg::Mismatch) {
        let value = |&ppm: &f64| (Axis::Mismatch, ppm, at(clocks, payload, skew, ppm));
        points.extend(MISMATCHES_PPM.iter().map(value));
    }
    points
}
