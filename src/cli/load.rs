//! Machines under steady load: the flags of the load, and the runs that are measured. `compare` and
//! `sweep load` share them.

use super::compare::error_text;
use super::{build_dir, CliError};
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use interconnect::topology::AddressSpace;
use interconnect::traffic::{
    Injection, Message, MessageList, OfferedLoad, PayloadLengths, Trace, TrafficPattern,
};
use lab::report::comparison::{LoadPoint, LoadRun, LoadWindow, MachineReport, TrafficResult};
use lab::report::{MessageRow, SweptMachine};
use lockstep::lanes::Keep;
use machine::flags::{within, EngineFlags};
use machine::networks::Machine;
use machine::{drive, drive_for, Load, MachineDriver, RunControl};
use toolchain::progress::ProgressStep;

/// How messages are created, and how long they are measured.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Traffic")]
pub struct LoadFlags {
    /// Unit of --loads: share, of the traffic that the channels carry if all are always busy; period,
    /// messages per node and period of the network (superframe, petit cycle, packet time); or flit,
    /// bytes of payload per node and clock cycle [default: share in `sweep load`, period in `compare`]
    #[arg(long, value_name = "UNIT", hide_possible_values = true)]
    unit: Option<LoadUnit>,

    /// Process that creates messages: bernoulli, in each moment with the same probability; or
    /// bursty:P:F, in bursts of P periods on average with F times the mean load
    #[arg(long, value_name = "PROCESS", default_value = "bernoulli", value_parser = str::parse::<Injection>)]
    pub injection: Injection,

    /// Payloads of the messages in bytes: a number, a range (4-20), or lengths with weights
    /// (4:3,64:1) [default: --payload]
    #[arg(long, value_name = "LENGTHS", value_parser = str::parse::<PayloadLengths>)]
    lengths: Option<PayloadLengths>,

    /// Number of runs of each load, with the seeds S, S+1, ..; two or more give 95 % confidence
    /// intervals
    #[arg(long, value_name = "N", default_value = "1", value_parser = within::<u64>(1, 1000))]
    pub seeds: u64,

    /// Periods before the measured ones [default: a quarter as many]
    #[arg(long, value_name = "N", value_parser = within::<u64>(0, 100_000))]
    pub warm_up: Option<u64>,

    /// Periods after the measured ones in which sources go on creating messages
    #[arg(long, value_name = "N", default_value = "0", value_parser = within::<u64>(0, 100_000))]
    drain: u64,
}

/// Unit of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoadUnit {
    Share,
    Period,
    Flit,
}

/// One load in two units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestedLoad {
    /// Share of what the channels carry.
    pub share: f64,
    /// Messages per node and period.
    pub load: f64,
}

impl LoadFlags {
    pub fn unit(&self, default: LoadUnit) -> LoadUnit {
        self.unit.unwrap_or(default)
    }

    pub fn lengths(&self, payload: usize) -> PayloadLengths {
        self.lengths.clone().unwrap_or(PayloadLengths::Fixed(payload))
    }

    /// Returns the window with the warm-up and the drain of the flags.
    pub fn window(&self, window: LoadWindow) -> LoadWindow {
        LoadWindow { warm_up: self.warm_up.unwrap_or(window.warm_up), drain: self.drain, ..window }
    }

    /// Returns the flags that differ from their defaults, for a command line.
    pub fn words(&self) -> String {
        let mut words = String::new();
        let mut add = |flag: &str, value: String| words += &format!(" --{flag} {value}");
        if let Some(unit) = self.unit.and_then(|unit| unit.to_possible_value()) {
            add("unit", unit.get_name().to_owned());
        }
        if self.injection != Injection::Bernoulli {
            add("injection", self.injection.to_string());
        }
        if let Some(lengths) = &self.lengths {
            add("lengths", lengths.to_string());
        }
        if self.seeds > 1 {
            add("seeds", self.seeds.to_string());
        }
        if let Some(periods) = self.warm_up {
            add("warm-up", periods.to_string());
        }
        if self.drain > 0 {
            add("drain", self.drain.to_string());
        }
        words
    }
}

impl LoadUnit {
    /// Converts a load of this unit.
    ///
    /// # Errors
    /// Bad input, if messages without payload have no flits.
    pub fn convert(self, value: f64, machine: &SweptMachine) -> Result<RequestedLoad, CliError> {
        let [bound, bound_flits] = [machine.bound, machine.bound_flits];
        Ok(match self {
            LoadUnit::Share => RequestedLoad { share: value, load: value * bound },
            LoadUnit::Period => RequestedLoad { share: value / bound, load: value },
            LoadUnit::Flit if bound_flits == 0.0 => {
                return Err(CliError::BadInput(anyhow!(
                "messages without payload have no flits; accepted: --unit share or period, or a \
                     payload of 1 byte or more"
            )))
            }
            LoadUnit::Flit => {
                RequestedLoad { share: value / bound_flits, load: value / bound_flits * bound }
            }
        })
    }
}

/// A machine under load, with what its runs share.
pub struct LoadMeter<'a> {
    pub flags: &'a LoadFlags,
    pub pattern: &'a TrafficPattern,
    pub lengths: &'a PayloadLengths,
    pub seed: u64,
    pub window: LoadWindow,
    pub machine: &'a dyn Machine,
    pub report: &'a MachineReport,
    pub nodes: AddressSpace,
    pub proc_bits: u32,
    pub engine: &'a EngineFlags,
    pub activity: &'a ProgressStep,
}

/// Figures of a machine under one load.
pub struct MeasuredLoad {
    pub point: LoadPoint,
    /// Mean number of channels on the routes of the measured messages. `None` without messages.
    pub distance: Option<f64>,
    /// Use of the channels in the measured periods, in periods of one channel. `None` if the machine
    /// does not count it.
    pub used: Option<f64>,
    /// All messages, if they are wanted.
    pub rows: Vec<MessageRow>,
}

/// Messages of one run.
struct TimedMessages<'a> {
    title: &'a str,
    messages: Vec<Message>,
    /// Creation times in bit-times.
    created: Vec<u64>,
    seed: u64,
}

impl LoadMeter<'_> {
    /// Runs the machine under a load, once for each seed. `requested` is the load in its unit.
    pub fn measure(
        &self,
        (requested, load): (f64, f64),
        wants_rows: bool,
    ) -> Result<MeasuredLoad, CliError> {
        let title = format!("a load of {requested}");
        let period = self.report.timebase.period;
        let mut runs = vec![];
        for seed in (0..self.flags.seeds).map(|number| self.seed.wrapping_add(number)) {
            let offered = OfferedLoad {
                load,
                periods: self.window.periods(),
                seed,
                lengths: self.lengths.clone(),
                injection: self.flags.injection,
                pattern: self.pattern.clone(),
            };
            let (messages, moments) = offered.messages(self.nodes, self.proc_bits)?;
            let timed = TimedMessages {
                title: &title,
                messages,
                created: self.window.creation_times(&moments, period),
                seed,
            };
            runs.push(self.run(load, timed, wants_rows)?);
        }
        Ok(MeasuredLoad::of_seeds(runs, period))
    }

    /// Runs the machine on the messages of a trace.
    pub fn measure_trace(&self, trace: &Trace, wants_rows: bool) -> Result<MeasuredLoad, CliError> {
        let timebase = self.report.timebase;
        let created: Vec<u64> =
            trace.times.iter().map(|time| time / timebase.clocks_per_bit).collect();
        let node_periods = (u64::from(self.nodes.nodes()) * self.window.periods()) as f64;
        let load = trace.messages.len() as f64 / node_periods;
        let timed = TimedMessages {
            title: "trace",
            messages: trace.messages.clone(),
            created,
            seed: self.seed,
        };
        let mut found = self.run(load, timed, wants_rows)?;
        // A trace is no steady load.
        found.point.saturated = false;
        Ok(found)
    }

    fn run(
        &self,
        load: f64,
        timed: TimedMessages,
        wants_rows: bool,
    ) -> Result<MeasuredLoad, CliError> {
        let (machine, timebase) = (self.machine, self.report.timebase);
        let TimedMessages { title, messages, created, seed } = timed;
        let title = format!("{}, {title}", machine.label());
        self.activity.step(&title);
        let (flags, circuit) = (self.engine, machine.circuit());
        let options = flags.options(Keep::Outputs);
        let mut engine = flags.engine.start(circuit, &options, &build_dir())?;
        let load_of =
            Load { created: created.clone(), ..Load::at_once(MessageList::from(&messages[..])) };
        let mut driver = machine.driver(&mut *engine, load_of)?;
        let used = self.channel_use(&mut *driver)?;
        let control = RunControl::to_end(timebase.steps(), machine.deadlock_after());
        let stats = drive(&mut *driver, control).map_err(|e| CliError::Failed(e.into()))?;
        if let Some(wrong) = error_text(machine, &stats) {
            return Err(CliError::Failed(anyhow!("{title}: {wrong}")));
        }
        let carried = TrafficResult::new(&stats, timebase);
        let bytes: Vec<usize> = messages.iter().map(|m| m.payload.len()).collect();
        let point = LoadPoint::new(&LoadRun {
            machine: self.report,
            nodes: self.nodes.nodes().into(),
            load,
            window: self.window,
            created: &created,
            bytes: &bytes,
            carried: &carried,
        });
        let [from, to, _] = self.window.bounds(timebase.period);
        let measured = messages.iter().zip(&created).filter(|(_, time)| (from..to).contains(*time));
        let distance = self.mean_distance(measured.map(|(message, _)| message));
        let rows = match wants_rows {
            true => self.rows(load, seed, &messages, &created, &carried),
            false => vec![],
        };
        Ok(MeasuredLoad { point, distance, used, rows })
    }

    fn rows(
        &self,
        load: f64,
        seed: u64,
        messages: &[Message],
        created: &[u64],
        carried: &TrafficResult,
    ) -> Vec<MessageRow> {
        let [from, to, _] = self.window.bounds(self.report.timebase.period);
        let times = created.iter().copied().zip(&carried.arrivals);
        let row = |(message, (created, arrived)): (&Message, (u64, &Option<u64>))| MessageRow {
            machine: self.machine.label(),
            load,
            seed,
            source: message.source,
            destination: message.destination,
            bytes: message.payload.len(),
            created,
            arrived: *arrived,
            latency: arrived.map(|arrived| arrived - created),
            phase: match created {
                created if created < from => "warm-up",
                created if created < to => "measured",
                _ => "drain",
            },
        };
        messages.iter().zip(times).map(row).collect()
    }

    /// Returns the mean number of channels on the routes of these messages; `None` without
    /// messages.
    fn mean_distance<'m>(&self, messages: impl Iterator<Item = &'m Message>) -> Option<f64> {
        let topology = self.machine.circuit().topology();
        let node = |processor: u32| processor >> self.proc_bits;
        let (mut sum, mut count) = (0.0, 0u64);
        for message in messages {
            let distance = topology.distance(node(message.source), node(message.destination));
            sum += distance.map_or(0.0, f64::from);
            count += 1;
        }
        (count > 0).then(|| sum / count as f64)
    }

    /// Runs the machine to the end of the measured periods. Returns how much the channels carried
    /// in these periods.
    fn channel_use(&self, driver: &mut dyn MachineDriver) -> Result<Option<f64>, CliError> {
        let timebase = self.report.timebase;
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

impl MeasuredLoad {
    fn of_seeds(runs: Vec<MeasuredLoad>, period: u64) -> Self {
        let mean = |value: fn(&MeasuredLoad) -> Option<f64>| {
            let values: Vec<f64> = runs.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let (distance, used) = (mean(|run| run.distance), mean(|run| run.used));
        let (points, rows): (Vec<_>, Vec<_>) =
            runs.into_iter().map(|run| (run.point, run.rows)).unzip();
        MeasuredLoad {
            point: LoadPoint::of_seeds(points, period),
            distance,
            used,
            rows: rows.concat(),
        }
    }
}
