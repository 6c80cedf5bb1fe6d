//! `phasecube sweep load`: throughput and latency of networks under increasing load.

use super::FormatFlags;
use crate::cli::args::{parse_payload, NetworkArgs};
use crate::cli::file_flags::InputFiles;
use crate::cli::files::OutputTarget;
use crate::cli::load::{LoadFlags, LoadMeter, LoadUnit, MeasuredLoad, RequestedLoad};
use crate::cli::{build_dir, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use interconnect::topology::{number, AddressSpace, Hypercube};
use interconnect::traffic::{Injection, PayloadLengths, Trace, TrafficPattern};
use lab::report::comparison::{LoadWindow, MachineReport};
use lab::report::{LoadSweep, LoadTraffic, MessageRow, SweepPoint, SweptMachine};
use machine::flags::{parse_cube, pattern, within, EngineFlags, FlagChoice, OutputFile};
use machine::networks::{network_flags, ComparisonSetting, Machine, Network, Networks, Purpose};
use machine::text::format_count;
use machine::Timebase;
use std::fs;
use std::path::PathBuf;
use toolchain::progress::ProgressStep;

/// Most loads that a bisection adds for a machine.
const BISECTIONS_MAX: usize = 40;

/// Measure the accepted load and the latency of networks under increasing load
///
/// Messages come at random times, by default for random other nodes. Prints a table and a verdict on
/// each statement of the papers about it; writes a page with the curves (load.html), histograms of
/// the latency, CSV and JSON.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube sweep load --network torus --radix 8,8\n  phasecube sweep load --networks torus,rotation --dims 4 --pattern transpose --seeds 10 --saturation 0.01"
)]
pub struct SweepLoadArgs {
    #[command(flatten)]
    network: NetworkArgs,

    /// Networks to measure on the same messages, separated by commas, in place of --network
    #[arg(
        help_heading = "Machine",
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "network"
    )]
    networks: Vec<String>,

    /// Dimensions N, 1 to 16: the machine has 2^N nodes
    #[arg(long = "dims", value_name = "N", default_value = "3", value_parser = parse_cube,
          help_heading = "Machine")]
    cube: Hypercube,

    #[arg(
        help_heading = "Traffic",
        long,
        value_name = "PATTERN",
        default_value = "uniform",
        value_parser = pattern(),
        hide_possible_values = true,
        help = format!(
            "Destinations of the messages: {}. A pattern with several messages per node gives them in turn",
            TrafficPattern::ACCEPTED
        )
    )]
    pattern: TrafficPattern,

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
    /// are always busy, or in --unit; separated by commas
    #[arg(help_heading = "Traffic", long, value_name = "LOAD,..",
          default_value = "0.02,0.05,0.1,0.15,0.2,0.25,0.3,0.4,0.6,0.8,1",
          value_delimiter = ',', value_parser = parse_load)]
    loads: Vec<f64>,

    /// Find the load at which each machine saturates, by bisection to this difference, in the unit of
    /// --loads
    #[arg(help_heading = "Traffic", long, value_name = "STEP", value_parser = parse_load)]
    saturation: Option<f64>,

    /// Messages with their times in place of a load: a CSV file with the columns time (clock cycles),
    /// source, destination and, optionally, bytes
    #[arg(help_heading = "Traffic", long, value_name = "FILE.csv",
          conflicts_with_all = ["pattern", "loads", "saturation", "unit", "injection", "lengths",
                                "seeds", "drain", "periods"])]
    trace: Option<PathBuf>,

    /// Measured periods (superframes, petit cycles, packet times), 4 to 100,000, after a warm-up
    #[arg(help_heading = "Traffic", long, value_name = "N", default_value = "200", value_parser = within::<u64>(4, 100_000))]
    periods: u64,

    #[command(flatten)]
    load: LoadFlags,

    /// Write a line for each message of each run to this CSV file; - for standard output
    #[arg(help_heading = "Output", long, value_name = "FILE.csv")]
    messages: Option<OutputFile>,

    #[command(flatten)]
    format: FormatFlags,

    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the machines of the networks under every load, then prints and writes the results.
pub fn sweep_load(
    args: &SweepLoadArgs,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<String, CliError> {
    let chosen = args.chosen(networks)?;
    let flags = &args.network.flags.0;
    networks.reject_foreign_flags(&chosen, Purpose::Compare, flags)?;
    args.check_loads()?;
    let out = args.format.output_dir("load", &LoadSweep::FILES, inputs)?;
    let target = OutputTarget::from_flag("--messages", args.messages.as_ref())?;
    let trace = args.read_trace()?;
    let longest = match &trace {
        Some(trace) => trace.longest,
        None => args.load.lengths(args.payload).longest(),
    };
    let mut sweep = args.empty_sweep(&chosen, longest);
    let mut rows = vec![];
    let activity = ProgressStep::quiet("building the machines");
    for network in &chosen {
        let mut study = NetworkStudy {
            args,
            network: *network,
            setting: ComparisonSetting {
                cube: args.cube,
                proc_bits: 0,
                payload: longest,
                alone: chosen.len() == 1,
                flags,
            },
            trace: trace.as_ref(),
            activity: &activity,
            sweep: &mut sweep,
            rows: &mut rows,
        };
        study.measure()?;
    }
    drop(activity);
    if let Some(target) = &target {
        let written = target.write(|out| Ok(out.write_all(MessageRow::csv(&rows).as_bytes())?));
        written.map_err(CliError::Failed)?;
    }
    let texts = [sweep.csv(), sweep.json()];
    args.format.present(&sweep, out, &sweep.files(), texts)?;
    let machines = sweep.machines.iter().map(|machine| saturation(&sweep, machine));
    Ok(machines.collect())
}

/// A trace before the number of nodes is known.
struct TraceText {
    text: String,
    /// Longest payload in bytes.
    longest: usize,
}

/// Measurement of the machines of one network.
struct NetworkStudy<'a> {
    args: &'a SweepLoadArgs,
    network: &'static dyn Network,
    setting: ComparisonSetting<'a>,
    trace: Option<&'a TraceText>,
    activity: &'a ProgressStep,
    sweep: &'a mut LoadSweep,
    rows: &'a mut Vec<MessageRow>,
}

impl NetworkStudy<'_> {
    fn measure(&mut self) -> Result<(), CliError> {
        let mut contenders = self.network.machines_to_compare(&self.setting)?;
        // A machine built for known messages cannot take part, because these messages are not known
        // in advance.
        contenders.retain(|machine| machine.machine_builder().is_none());
        for mut machine in contenders {
            self.args.engine.check_machine(&*machine)?;
            machine.prepare(&build_dir())?;
            self.measure_machine(&*machine)?;
        }
        Ok(())
    }

    fn measure_machine(&mut self, machine: &dyn Machine) -> Result<(), CliError> {
        let args = self.args;
        let lengths = args.load.lengths(args.payload);
        let topology = machine.circuit().topology();
        let nodes = AddressSpace::new(topology.nodes().into());
        let nodes = nodes.map_err(|e| CliError::BadInput(e.into()))?;
        let timebase = machine.timebase();
        let trace = match self.trace {
            Some(TraceText { text, .. }) => Some(args.parse_trace(text, nodes)?),
            None => None,
        };
        let (window, bytes) = match &trace {
            Some(trace) => (args.trace_window(trace, timebase)?, trace.mean_length()),
            None => (args.window(), lengths.mean()),
        };
        let swept = SweptMachine::new(
            [machine.label(), self.network.name()],
            machine.headline(),
            topology,
            (timebase, window),
            bytes,
        );
        let report = MachineReport::new(self.network.name(), machine, None)?;
        let meter = LoadMeter {
            flags: &args.load,
            pattern: &args.pattern,
            lengths: &lengths,
            seed: args.seed,
            window,
            machine,
            report: &report,
            nodes,
            proc_bits: 0,
            engine: &args.engine,
            activity: self.activity,
        };
        match &trace {
            Some(trace) => {
                let found = meter.measure_trace(trace, args.messages.is_some())?;
                let share = found.point.load / swept.bound;
                self.add(&swept, share, found);
            }
            None => self.measure_loads(&meter, &swept)?,
        }
        if args.trace.is_none() && args.is_uniform() {
            if let Some(found) = self.sweep.findings(&swept) {
                let verdicts = self.network.verdicts(&self.setting, &found)?;
                self.sweep.verdicts.extend(verdicts);
            }
        }
        self.sweep.machines.push(swept);
        Ok(())
    }

    /// Measures the requested loads, then bisects.
    fn measure_loads(&mut self, meter: &LoadMeter, swept: &SweptMachine) -> Result<(), CliError> {
        let args = self.args;
        let unit = args.load.unit(LoadUnit::Share);
        let mut loads = args.loads.clone();
        loads.sort_by(f64::total_cmp);
        let first = self.sweep.points.len();
        for load in loads {
            self.measure_load(meter, swept, (load, unit.convert(load, swept)?))?;
        }
        let Some(step) = args.saturation else {
            return Ok(());
        };
        let step = unit.convert(step, swept)?.load;
        for _ in 0..BISECTIONS_MAX {
            let found = self.sweep.saturation_of(swept);
            let (Some(above), below) = (found.above, found.below.unwrap_or(0.0)) else {
                break;
            };
            if above - below <= step {
                break;
            }
            let load = (above + below) / 2.0;
            let share = load / swept.bound;
            let requested = RequestedLoad { share, load };
            self.measure_load(meter, swept, ((share * 1e4).round() / 1e4, requested))?;
        }
        self.sweep.points[first..].sort_by(|a, b| a.share.total_cmp(&b.share));
        let found = self.sweep.saturation_of(swept);
        self.sweep.saturation.push(found);
        Ok(())
    }

    fn measure_load(
        &mut self,
        meter: &LoadMeter,
        swept: &SweptMachine,
        (requested, converted): (f64, RequestedLoad),
    ) -> Result<(), CliError> {
        let RequestedLoad { share, load } = converted;
        let most = self.args.load.injection.load_max();
        if load > most {
            return Err(CliError::BadInput(anyhow!(
                "a load of {requested} is {load:.1} messages per node and {}; accepted: up to {most}",
                swept.timebase.period_name
            )));
        }
        let found = meter.measure((requested, load), self.args.messages.is_some())?;
        self.add(swept, share, found);
        Ok(())
    }

    fn add(&mut self, swept: &SweptMachine, share: f64, found: MeasuredLoad) {
        let point = (share, found.point);
        let point = SweepPoint::new(swept, point, found.distance, found.used);
        self.sweep.points.push(point);
        self.rows.extend(found.rows);
    }
}

/// Explains how much a machine carried, and from which load on it was saturated.
fn saturation(sweep: &LoadSweep, machine: &SweptMachine) -> String {
    let points = || sweep.points_of(machine);
    let accepted = points().map(|p| p.accepted_share).fold(0.0, f64::max);
    let saturated = points().find(|p| p.point.saturated);
    let lost: u64 = points().map(|p| p.point.lost).sum();
    let mut text =
        format!("{} carried up to {accepted:.2} of what its channels could", machine.machine);
    text += &match saturated {
        Some(point) => format!(", and was saturated at a load of {}", point.share_text()),
        None => ", and was not saturated at any of these loads".to_owned(),
    };
    if lost > 0 {
        text += &format!("; it lost {}", format_count(lost, "message"));
    }
    text + ". "
}

impl SweepLoadArgs {
    /// Returns the named networks, each once.
    fn chosen(&self, networks: &Networks) -> Result<Vec<&'static dyn Network>, CliError> {
        if self.networks.is_empty() {
            return Ok(vec![networks.select(self.network.name())?]);
        }
        let mut chosen: Vec<&'static dyn Network> = vec![];
        for name in &self.networks {
            let network = networks.by_name(name)?;
            if chosen.iter().all(|known| known.name() != network.name()) {
                chosen.push(network);
            }
        }
        Ok(chosen)
    }

    /// Checks the loads against the largest one of their unit.
    fn check_loads(&self) -> Result<(), CliError> {
        if self.load.unit(LoadUnit::Share) != LoadUnit::Share {
            return Ok(());
        }
        match self.loads.iter().find(|load| **load > 4.0) {
            None => Ok(()),
            Some(load) => Err(CliError::BadInput(anyhow!(
                "\"{load}\" is not a load; accepted: above 0, up to 4"
            ))),
        }
    }

    /// True for the traffic of the papers' claims.
    fn is_uniform(&self) -> bool {
        let lengths = self.load.lengths(self.payload);
        self.pattern == TrafficPattern::Uniform
            && self.load.injection == Injection::Bernoulli
            && matches!(lengths, PayloadLengths::Fixed(_))
    }

    /// Reads the trace, if there is one.
    fn read_trace(&self) -> Result<Option<TraceText>, CliError> {
        let Some(path) = &self.trace else {
            return Ok(None);
        };
        let text = fs::read_to_string(path);
        let text = text.with_context(|| format!("{} cannot be read", path.display()));
        let text = text.map_err(CliError::BadInput)?;
        let most = AddressSpace::new(AddressSpace::MAX_NODES.into());
        let most = most.map_err(|e| CliError::BadInput(e.into()))?;
        let longest = self.parse_trace(&text, most)?.longest();
        Ok(Some(TraceText { text, longest }))
    }

    fn parse_trace(&self, text: &str, nodes: AddressSpace) -> Result<Trace, CliError> {
        let path = self.trace.clone().unwrap_or_default();
        let trace = Trace::parse(text, nodes, self.seed, self.payload);
        trace.map_err(|error| {
            let (path, line) = (path.display(), error.line);
            CliError::BadInput(anyhow!("{path}:{line}: {}", error.problem))
        })
    }

    /// Returns the window that has all messages of the trace.
    fn trace_window(&self, trace: &Trace, timebase: Timebase) -> Result<LoadWindow, CliError> {
        let period = timebase.period * timebase.clocks_per_bit;
        let last = trace.times.last().copied().unwrap_or(0);
        let periods = last / period + 1;
        let warm_up = self.load.warm_up.unwrap_or(0);
        if warm_up >= periods {
            return Err(CliError::BadInput(anyhow!(
                "a warm-up of {warm_up} leaves nothing of the trace, which has {periods} {}s; accepted: 0 to {}",
                timebase.period_name,
                periods - 1
            )));
        }
        Ok(LoadWindow { warm_up, measured: periods - warm_up, drain: 0 })
    }

    /// Returns the window of a steady load.
    fn window(&self) -> LoadWindow {
        self.load.window(LoadWindow { warm_up: self.periods / 4, measured: self.periods, drain: 0 })
    }

    fn empty_sweep(&self, chosen: &[&'static dyn Network], longest: usize) -> LoadSweep {
        let joined = |part: fn(&&'static dyn Network) -> &'static str, by: &str| {
            chosen.iter().map(part).collect::<Vec<_>>().join(by)
        };
        LoadSweep {
            command: self.command(chosen),
            version: env!("CARGO_PKG_VERSION"),
            network: joined(|network| network.name(), ","),
            title: joined(|network| network.title(), " and "),
            payload: longest,
            traffic: LoadTraffic {
                pattern: self.pattern.to_string(),
                injection: self.load.injection.to_string(),
                lengths: self.load.lengths(self.payload).to_string(),
                seeds: self.load.seeds,
                trace: self.trace.as_ref().map(|path| path.display().to_string()),
            },
            seed: self.seed,
            engine: self.engine.engine.name(),
            machines: vec![],
            points: vec![],
            saturation: vec![],
            verdicts: vec![],
        }
    }

    /// Returns the command line that repeats this sweep.
    fn command(&self, chosen: &[&'static dyn Network]) -> String {
        let names: Vec<&str> = chosen.iter().map(|network| network.name()).collect();
        let flag = if chosen.len() == 1 { "network" } else { "networks" };
        let mut command = format!(
            "phasecube sweep load --{flag} {} --dims {}",
            names.join(","),
            self.cube.dims()
        );
        let flags = &self.network.flags.0;
        let mut known = vec![];
        for network in chosen {
            for flag in network_flags(*network, Purpose::Compare).get_arguments() {
                let id = flag.get_id().as_str().to_owned();
                let given = flags.get_raw(&id).into_iter().flatten();
                let given: Vec<_> = given.map(|value| value.to_string_lossy()).collect();
                if !given.is_empty() && !known.contains(&id) {
                    command += &format!(" --{} {}", id.replace('_', "-"), given.join(","));
                    known.push(id);
                }
            }
        }
        command += &format!(" --payload {} --seed {}", self.payload, self.seed);
        if let Some(trace) = &self.trace {
            command += &format!(" --trace {}", trace.display());
        } else {
            let loads: Vec<String> = self.loads.iter().map(f64::to_string).collect();
            command += &format!(" --loads {} --periods {}", loads.join(","), self.periods);
        }
        if self.pattern != TrafficPattern::Uniform {
            command += &format!(" --pattern {}", self.pattern);
        }
        if let Some(step) = self.saturation {
            command += &format!(" --saturation {step}");
        }
        command += &self.load.words();
        command + &format!(" --engine {}", self.engine.engine.name())
    }
}

fn parse_load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if load > 0.0 && load.is_finite() => Ok(load),
        _ => Err(format!("{text:?} is not a load; accepted: above 0, as a share up to 4")),
    }
}
