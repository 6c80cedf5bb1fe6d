//! `phasecube sweep load`: throughput and latency of a network under increasing load.

use super::{Format, FormatFlags};
use crate::cli::args::{parse_payload, NetworkArgs};
use crate::cli::compare::wrong;
use crate::cli::file_flags::Inputs;
use crate::cli::{builds, files, output, Failure};
use crate::flags::{parse_machine, within, Choice, EngineFlags, OutputDir};
use crate::machine::{drive, drive_for, Control, Driver, Load};
use crate::networks::{own_flags, Machine, Network, Networks, Purpose, Setting};
use crate::report::comparison::{Carried, LoadPoint, LoadWindow, MachineReport};
use crate::report::{LoadSweep, SweepPoint, SweptMachine};
use crate::toolchain::progress::Activity;
use crate::topology::{number, Addresses, Hypercube};
use crate::traffic::{Message, MessageList, Offered, MOMENTS};
use anyhow::anyhow;
use clap::Args;
use lockstep::lanes::Keep;
use std::path::PathBuf;
use std::sync::Arc;

/// What a network accepts of more and more load, and how long messages take
///
/// Messages come at random moments for random other nodes. Prints a table, and what is so of
/// what the papers say of it; writes a page with the curves (load.html), CSV and JSON.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube sweep load --network torus --radix 8,8")]
pub struct LoadArgs {
    #[command(flatten)]
    network: NetworkArgs,

    /// The machine has 2^N nodes, 1 to 12
    #[arg(long = "dims", value_name = "N", default_value = "3", value_parser = parse_machine,
          help_heading = "Machine")]
    cube: Hypercube,

    #[arg(
        help_heading = "Traffic",
        long,
        value_name = "BYTES",
        default_value = "4",
        value_parser = parse_payload,
        help = "Bytes of random payload of a message"
    )]
    payload: usize,

    /// Seed of everything that is drawn
    #[arg(help_heading = "Traffic", long, value_name = "S", default_value = "1", value_parser = number::parse)]
    seed: u64,

    /// Loads, as shares of what the channels carry if all of them are always busy
    #[arg(help_heading = "Traffic", long, value_name = "LOAD,..",
          default_value = "0.02,0.05,0.1,0.15,0.2,0.25,0.3,0.4,0.6,0.8,1",
          value_delimiter = ',', value_parser = parse_share)]
    loads: Vec<f64>,

    /// Periods (superframes, petit cycles, packet times) that are measured, after a quarter as
    /// many, 4 to 100,000
    #[arg(help_heading = "Traffic", long, value_name = "N", default_value = "200", value_parser = within::<u64>(4, 100_000))]
    periods: u64,

    #[command(flatten)]
    format: FormatFlags,

    /// Where the files go [default: load, where what is built goes; of JSON and CSV nowhere]
    #[arg(help_heading = "Output", long, value_name = "DIR")]
    out: Option<OutputDir>,

    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the machines of the network under every load, then prints and writes the results.
pub fn sweep(args: &LoadArgs, networks: &Networks, inputs: &Inputs) -> Result<(), Failure> {
    let network = networks.chosen(args.network.word())?;
    let flags = &args.network.flags.0;
    networks.refuse_foreign(&[network], Purpose::Compare, flags)?;
    let out = args.out();
    if let Some(dir) = &out {
        files::check_files("--out", dir, &LoadSweep::FILES, inputs)?;
    }
    let setting = Setting {
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
    let activity = Activity::quiet("the machines");
    let mut contenders = network.contenders(&setting)?;
    // A machine built for known messages cannot take part, because these messages are not known in
    // advance.
    contenders.retain(|machine| machine.made_for().is_none());
    for mut machine in contenders {
        args.engine.engine.check(machine.circuit().topology())?;
        machine.prepare(&builds())?;
        let circuit = machine.circuit().topology();
        let (label, time) = (machine.label(), machine.timebase());
        let swept = SweptMachine::new(label, machine.headline(), circuit, time);
        let report = MachineReport::new(network.name(), &*machine, None)?;
        let bench = Bench {
            args,
            machine: &*machine,
            window: sweep.window,
            activity: &activity,
        };
        for share in &loads {
            sweep.points.push(bench.point(&swept, &report, *share)?);
        }
        if let Some(found) = sweep.found(&swept) {
            sweep.verdicts.extend(network.verdicts(&setting, &found)?);
        }
        sweep.machines.push(swept);
    }
    drop(activity);
    args.present(&sweep, out)
}

/// Machine under load.
struct Bench<'a> {
    args: &'a LoadArgs,
    machine: &'a dyn Machine,
    window: LoadWindow,
    activity: &'a Activity,
}

impl Bench<'_> {
    fn point(
        &self,
        swept: &SweptMachine,
        report: &MachineReport,
        share: f64,
    ) -> Result<SweepPoint, Failure> {
        let (machine, window) = (self.machine, self.window);
        let load = share * swept.bound;
        if load > MOMENTS as f64 {
            return Err(Failure::BadInput(anyhow!(
                "a load of {share} is {load:.1} messages per node and {}; accepted: up to {MOMENTS}",
                swept.timebase.period_name
            )));
        }
        let nodes = Addresses::new(swept.nodes).map_err(|e| Failure::BadInput(e.into()))?;
        let offered = Offered {
            load,
            periods: window.periods(),
            seed: self.args.seed,
            payload: self.args.payload,
        };
        let (messages, moments) = offered.messages(nodes, 0);
        let created = window.created(&moments, swept.timebase.period);
        let load_of = Load {
            created: created.clone(),
            ..Load::at_once(MessageList::from(&messages[..]))
        };
        let title = format!("{}, a load of {share}", machine.label());
        self.activity.step(&title);
        let engine = &self.args.engine;
        let mut engine = engine.start(machine.circuit(), Keep::Outputs, &builds())?;
        let mut driver = machine.driver(&mut *engine, load_of)?;
        let used = self.measured(&mut *driver)?;
        let control = Control {
            period: swept.timebase.steps(),
            stuck_after: machine.stuck_after(),
            limit: u64::MAX,
            stop: Arc::default(),
            progress: &mut |_, _| {},
            tell: &mut |_| {},
        };
        let ran = drive(&mut *driver, control).map_err(|e| Failure::Failed(e.into()))?;
        let account = driver.account(&ran);
        if let Some(wrong) = wrong(machine, ran.end, &account) {
            return Err(Failure::Failed(anyhow!("{title}: {wrong}")));
        }
        let carried = Carried::new(&account, swept.timebase);
        let point = LoadPoint::new(report, swept.nodes, load, window, &created, &carried);
        let period = swept.timebase.period;
        let from = created.partition_point(|time| *time < window.warm_up * period);
        let distance = self.distance(&messages[from..]);
        let point = (share, point);
        Ok(SweepPoint::new((swept, window), point, distance, used))
    }

    /// Returns the mean number of channels on the routes of these messages; `None` without
    /// messages.
    fn distance(&self, messages: &[Message]) -> Option<f64> {
        let topology = self.machine.circuit().topology();
        let far = |m: &Message| topology.distance(m.source, m.destination).map(f64::from);
        let sum: f64 = messages.iter().filter_map(far).sum();
        (!messages.is_empty()).then(|| sum / messages.len() as f64)
    }

    /// Runs the machine to the end of the measured periods. Returns how much the channels carried
    /// in these periods.
    fn measured(&self, driver: &mut dyn Driver) -> Result<Option<f64>, Failure> {
        let timebase = self.machine.timebase();
        let period = timebase.period * timebase.clocks_per_bit;
        let mut run = |periods: u64| {
            let ran = drive_for(driver, periods * period);
            ran.map_err(|e| Failure::Failed(e.into()))?;
            Ok::<_, Failure>(driver.carried())
        };
        let before = run(self.window.warm_up)?;
        let after = run(self.window.measured)?;
        Ok(before.zip(after).map(|(before, after)| after - before))
    }
}

impl LoadArgs {
    /// Output directory.
    fn out(&self) -> Option<PathBuf> {
        match (&self.out, self.format.format()) {
            (Some(dir), _) => Some(dir.to_path_buf()),
            (None, Format::Text) => Some(builds().join("load")),
            (None, Format::Json | Format::Csv) => None,
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
        for flag in own_flags(network, Purpose::Compare).get_arguments() {
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

    fn present(&self, sweep: &LoadSweep, out: Option<PathBuf>) -> Result<(), Failure> {
        let mut written = String::new();
        if let Some(dir) = out {
            let contents = sweep.files();
            files::write_all(&dir, &contents).map_err(Failure::Failed)?;
            let names: Vec<&str> = contents.iter().map(|(name, _)| name.as_str()).collect();
            written = format!("\nIn {}: {}\n", dir.display(), names.join(", "));
        }
        output::print(&match self.format.format() {
            Format::Text => sweep.to_string() + &written,
            Format::Json => sweep.json(),
            Format::Csv => sweep.csv(),
        })
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 4.0 => Ok(share),
        _ => Err(format!("{text:?} is no load; accepted: above 0, up to 4")),
    }
}
