//! `phasecube sweep load`: throughput and latency of a network under increasing load.

use super::{FormatFlags, SweepFormat};
use crate::cli::args::{parse_payload, NetworkArgs};
use crate::cli::compare::failure_text;
use crate::cli::file_flags::InputFiles;
use crate::cli::{build_dir, files, output, CliError};
use anyhow::anyhow;
use clap::Args;
use interconnect::topology::{number, AddressSpace, Hypercube};
use interconnect::traffic::{Message, MessageList, OfferedLoad, STEPS_PER_PERIOD};
use lab::report::comparison::{LoadPoint, LoadWindow, MachineReport, TrafficResult};
use lab::report::{LoadSweep, SweepPoint, SweptMachine};
use lockstep::lanes::Keep;
use machine::flags::{parse_machine, within, EngineFlags, FlagChoice, OutputDir};
use machine::networks::{network_flags, ComparisonSetting, Machine, Network, Networks, Purpose};
use machine::{drive, drive_for, Load, MachineDriver, RunControl};
use std::path::PathBuf;
use std::sync::Arc;
use toolchain::progress::ProgressStep;

/// Measure the accepted load and the latency of a network under increasing load
///
/// Messages come at random times for random other nodes. Prints a table and a verdict on each
/// statement of the papers about it; writes a page with the curves (load.html), CSV and JSON.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube sweep load --network torus --radix 8,8")]
pub struct SweepLoadArgs {
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

    /// Output directory [default: target/phasecube/load; none with --json or --csv]
    #[arg(help_heading = "Output", long, value_name = "DIR")]
    out: Option<OutputDir>,

    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the machines of the network under every load, then prints and writes the results.
pub fn sweep(
    args: &SweepLoadArgs,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<(), CliError> {
    let network = networks.select(args.network.name())?;
    let flags = &args.network.flags.0;
    networks.reject_foreign_flags(&[network], Purpose::Compare, flags)?;
    let out = args.output_dir();
    if let Some(dir) = &out {
        files::check_files("--out", dir, &LoadSweep::FILES, inputs)?;
    }
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
    args.present(&sweep, out)
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
        let engine = &self.args.engine;
        let mut engine = engine.start(machine.circuit(), Keep::Outputs, &build_dir())?;
        let mut driver = machine.driver(&mut *engine, load_of)?;
        let used = self.measure_utilisation(&mut *driver)?;
        let control = RunControl {
            period: swept.timebase.steps(),
            deadlock_after: machine.deadlock_after(),
            limit: u64::MAX,
            stop: Arc::default(),
            progress: &mut |_, _| {},
            print_line: &mut |_| {},
        };
        let ran = drive(&mut *driver, control).map_err(|e| CliError::Failed(e.into()))?;
        let account = driver.run_stats(&ran);
        if let Some(wrong) = failure_text(machine, ran.end, &account) {
            return Err(CliError::Failed(anyhow!("{title}: {wrong}")));
        }
        let carried = TrafficResult::new(&account, swept.timebase);
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
    /// Output directory.
    fn output_dir(&self) -> Option<PathBuf> {
        match (&self.out, self.format.format()) {
            (Some(dir), _) => Some(dir.to_path_buf()),
            (None, SweepFormat::Text) => Some(build_dir().join("load")),
            (None, SweepFormat::Json | SweepFormat::Csv) => None,
        }
    }

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

    fn present(&self, sweep: &LoadSweep, out: Option<PathBuf>) -> Result<(), CliError> {
        let mut written = String::new();
        if let Some(dir) = out {
            let contents = sweep.files();
            files::write_all(&dir, &contents).map_err(CliError::Failed)?;
            let names: Vec<&str> = contents.iter().map(|(name, _)| name.as_str()).collect();
            written = format!("\nIn {}: {}\n", dir.display(), names.join(", "));
        }
        output::print(&match self.format.format() {
            SweepFormat::Text => sweep.to_string() + &written,
            SweepFormat::Json => sweep.json(),
            SweepFormat::Csv => sweep.csv(),
        })
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
