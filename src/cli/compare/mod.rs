//! `phasecube compare`: several networks, the same messages.

mod bench;
mod sweeps;

use super::args::{
    parse_machine, parse_payload, parse_processors, parse_rows, within, Choice, EngineArgs, Link,
    LinkArgs, Network, OutputArgs,
};
use super::{builds, files, output, Failure};
use crate::machine::networks::{Make, Spec, SpecError, Travelling, NETWORKS, SYNTHESISED};
use crate::program::Firmware;
use crate::report::comparison::{Comparison, MachineReport, Setup};
use crate::rtl::cm1::EjectMode;
use crate::toolchain::progress::Activity;
use crate::toolchain::Toolchain;
use crate::topology::{number, Hypercube};
use crate::traffic::{Pattern, Recipe};
use bench::{Bench, Machine};
use clap::Args;
use std::path::{Path, PathBuf};

/// Compare networks on the same messages: what they cost, and what they do
///
/// Writes the tables, a page with plots (compare.html), CSV and JSON.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example:\n  phasecube compare --dims 4 --pattern permutation,complement --no-sweeps"
)]
pub struct CompareArgs {
    /// The networks, with commas between them: tdma (nodes that run the program route, and nodes
    /// with forwarders), cm1
    #[arg(help_heading = "Machine", long, value_name = "NAMES", default_value = "tdma,cm1", value_delimiter = ',', value_parser = Network::parse)]
    networks: Vec<Network>,

    #[arg(
        help_heading = "Machine",
        long = "dims",
        value_name = "N",
        default_value = "3",
        value_parser = parse_machine,
        help = "Dimensions of the cube, 1 to 12: it has 2^N nodes; those of 3 and 4 are synthesised"
    )]
    cube: Hypercube,

    /// Who sends to whom, with commas between them, as in `run`
    #[arg(
        help_heading = "Traffic",
        long = "pattern",
        value_name = "PATTERNS",
        default_value = "permutation,bitrev,random,complement",
        value_delimiter = ','
    )]
    patterns: Vec<Pattern>,

    /// Processors on a node: 1, 2, 4, 8 or 16. A TDMA node then carries the messages of all of
    /// them, each with a byte more that names the processor it is for
    #[arg(help_heading = "Machine", long, value_name = "P", default_value = "1", value_parser = parse_processors)]
    processors: usize,

    /// Rows of a CM-1 chip's heart, 2 to 16 [default: 4 with one processor per node, else 7]
    #[arg(help_heading = "Machine", long, value_name = "B", value_parser = parse_rows)]
    rows: Option<usize>,

    /// What a CM-1 chip ejects in a petit cycle: or, per-processor or per-chip
    #[arg(help_heading = "Machine", long, value_name = "MODE", default_value = "per-processor", value_parser = EjectMode::parse)]
    eject: EjectMode,

    #[command(flatten)]
    link: LinkArgs,

    #[arg(
        help_heading = "Traffic",
        long,
        value_name = "BYTES",
        default_value = "4",
        value_parser = parse_payload,
        help = "Bytes of random payload of a message without its own"
    )]
    payload: usize,

    /// Seed of everything that is drawn
    #[arg(help_heading = "Traffic", long, value_name = "S", default_value = "1", value_parser = number::parse)]
    seed: u64,

    /// Messages per processor to be tried, one relation:H for each
    #[arg(help_heading = "Traffic", long, value_name = "H,..", default_value = "1,2,3,4,6,8,12,16", value_delimiter = ',',
          value_parser = within::<u64>(1, 64))]
    relations: Vec<u64>,

    /// Loads to be tried, in messages per node and period, until a machine is saturated
    #[arg(help_heading = "Traffic", long, value_name = "LOAD,..", default_value = "0.1,0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2",
          value_delimiter = ',', value_parser = parse_load)]
    loads: Vec<f64>,

    /// Only the patterns: no messages per processor, no loads
    #[arg(help_heading = "Traffic", long, conflicts_with_all = ["relations", "loads"])]
    no_sweeps: bool,

    /// Do not synthesise: nothing is said of cells and clocks
    #[arg(help_heading = "Output", long)]
    no_synthesis: bool,

    /// Where the files go [default: compare, where what is built goes; with --json nowhere]
    #[arg(help_heading = "Output", long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs every machine on every list of messages, and prints and writes what came of
/// it.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    args.engine.check(args.cube.dims())?;
    let out = args.out();
    if let Some(dir) = &out {
        files::check_directory("--out", dir)?;
    }
    let proc_bits = args.processors.ilog2();
    let lists = args.lists(proc_bits)?;
    let longest = lists.iter().flat_map(|(_, list)| &list.messages);
    let longest = longest.map(|m| m.payload.len()).max().unwrap_or(0);
    let mut spec = args.spec(proc_bits, longest.max(args.payload));
    // Machines that cannot be are told before a compiler is fetched for one that can.
    for (_, make) in args.networks() {
        make(&spec)?;
    }
    let activity = Activity::quiet("the machines");
    if args.networks.contains(&Network::Tdma) {
        spec.program = Some(Firmware::open("route", &Toolchain::open()?, &builds())?);
    }
    let mut tools = vec![];
    let machines = args.machines(&spec, &activity, &mut tools)?;
    let bench = Bench {
        args,
        cube: args.cube,
        proc_bits,
        machines,
        activity,
    };
    let mut runs = vec![];
    for (pattern, list) in &lists {
        runs.extend(bench.all(&pattern.to_string(), list)?);
    }
    let (per_processor, load) = match args.no_sweeps {
        true => (vec![], vec![]),
        false => (sweeps::relations(&bench)?, sweeps::loads(&bench)?),
    };
    let comparison = Comparison {
        setup: args.setup(&spec, tools),
        machines: bench.machines.into_iter().map(|m| m.report).collect(),
        runs,
        messages_per_processor: per_processor,
        offered_load: load,
    };
    drop(bench.activity);
    args.present(&comparison, out.as_deref())
}

impl CompareArgs {
    /// The networks that were asked for, each once.
    fn networks(&self) -> impl Iterator<Item = &'static (&'static str, Make)> + '_ {
        let asked = |name: &str| self.networks.iter().any(|network| network.name() == name);
        NETWORKS.iter().filter(move |(name, _)| asked(name))
    }

    /// Where the files go.
    fn out(&self) -> Option<PathBuf> {
        match (&self.out, self.output.json) {
            (Some(dir), _) => Some(dir.clone()),
            (None, true) => None,
            (None, false) => Some(builds().join("compare")),
        }
    }

    /// The messages of a pattern between processors, those that leave their node.
    fn list(&self, pattern: &Pattern, proc_bits: u32) -> Result<Travelling, Failure> {
        let bits = u64::from(self.cube.dims() + proc_bits);
        let processors = Hypercube::new(bits).map_err(|e| Failure::BadInput(e.into()))?;
        let recipe = Recipe {
            pattern: pattern.clone(),
            seed: self.seed,
            payload: self.payload,
            order: Default::default(),
        };
        Ok(Travelling::of(recipe.messages(processors)?, proc_bits))
    }

    fn lists(&self, proc_bits: u32) -> Result<Vec<(&Pattern, Travelling)>, Failure> {
        let list = |pattern| Ok((pattern, self.list(pattern, proc_bits)?));
        self.patterns.iter().map(list).collect()
    }

    fn rows(&self) -> usize {
        self.rows.unwrap_or(match self.processors {
            1 => 4,
            _ => 7,
        })
    }

    /// What the machines have in common, without a program.
    fn spec(&self, proc_bits: u32, payload: usize) -> Spec {
        Spec {
            cube: self.cube,
            proc_bits,
            payload,
            acked: self.link.link() == Link::Acked,
            program: None,
            rows: self.rows(),
            eject: self.eject,
        }
    }

    /// The machines of all networks that were asked for, their nodes synthesised if
    /// the cube is one of those.
    fn machines(
        &self,
        spec: &Spec,
        activity: &Activity,
        used: &mut Vec<String>,
    ) -> Result<Vec<Machine>, Failure> {
        let synthesised = SYNTHESISED.contains(&self.cube.dims()) && !self.no_synthesis;
        let tools = synthesised.then(Toolchain::open).transpose()?;
        let mut machines = vec![];
        for (_, make) in self.networks() {
            for contender in make(spec)? {
                activity.step(&format!("{}: synthesis", contender.label()));
                let work_dir = builds().join("cost");
                let report = MachineReport::new(&*contender, tools.as_ref(), &work_dir, used)?;
                machines.push(Machine { contender, report });
            }
        }
        Ok(machines)
    }

    fn setup(&self, spec: &Spec, tools: Vec<String>) -> Setup {
        Setup {
            command: self.command(),
            patterns: self.patterns.iter().map(ToString::to_string).collect(),
            version: env!("CARGO_PKG_VERSION"),
            dims: self.cube.dims(),
            nodes: self.cube.nodes().into(),
            processors: 1 << spec.proc_bits,
            payload: spec.payload,
            seed: self.seed,
            engine: self.engine.engine.name(),
            link: self.link.link().name(),
            rows: spec.rows,
            eject: self.eject.name(),
            tools,
        }
    }

    /// What makes the same again, defaults written out.
    fn command(&self) -> String {
        let networks: Vec<&str> = self.networks.iter().map(|n| n.name()).collect();
        let mut command = format!(
            "phasecube compare --networks {} --dims {} --pattern {} --processors {} --rows {} \
             --eject {} --link {} --payload {} --seed {} --engine {}",
            networks.join(","),
            self.cube.dims(),
            joined(&self.patterns),
            self.processors,
            self.rows(),
            self.eject.name(),
            self.link.link().name(),
            self.payload,
            self.seed,
            self.engine.engine.name(),
        );
        command += &match self.no_sweeps {
            true => " --no-sweeps".to_owned(),
            false => format!(
                " --relations {} --loads {}",
                joined(&self.relations),
                joined(&self.loads)
            ),
        };
        if self.no_synthesis {
            command += " --no-synthesis";
        }
        command
    }

    fn present(&self, comparison: &Comparison, out: Option<&Path>) -> Result<(), Failure> {
        let mut written = String::new();
        if let Some(dir) = out {
            let contents = comparison.files();
            files::write_all(dir, &contents).map_err(Failure::Failed)?;
            let names: Vec<&str> = contents.iter().map(|(name, _)| name.as_str()).collect();
            written = format!("\nIn {}: {}\n", dir.display(), names.join(", "));
        }
        output::print(&match self.output.json {
            true => serde_json::to_string(comparison).expect("numbers and names are JSON") + "\n",
            false => comparison.to_string() + &written,
        })
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Failure::BadInput(error.into())
    }
}

fn parse_load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if load > 0.0 && load <= 16.0 => Ok(load),
        _ => Err(format!(
            "{text:?} is no load; accepted: above 0, up to 16 messages per node and period"
        )),
    }
}

fn joined(values: &[impl ToString]) -> String {
    let words: Vec<String> = values.iter().map(ToString::to_string).collect();
    words.join(",")
}
