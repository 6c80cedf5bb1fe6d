//! `phasecube compare`: compares several networks on the same messages.

mod bench;

pub(super) use bench::error_text;

use super::args::parse_payload;
use super::file_flags::InputFiles;
use super::load::LoadFlags;
use super::{build_dir, cost_dir, files, output, CliError};
use anyhow::anyhow;
use bench::{CompareBench, CompareRuns, ComparedMachine};
use clap::Args;
use interconnect::topology::{number, Hypercube};
use interconnect::traffic::{Recipe, TrafficPattern, Travelling};
use lab::report::comparison::{Comparison, MachineReport, OmittedNetwork, Setup, SiliconReport};
use lab::report::CostError;
use machine::flags::{
    parse_cube, pattern, within, EngineFlags, FlagChoice, OutputDir, OutputFlags,
};
use machine::networks::cm1::parse_processors;
use machine::networks::{
    ComparisonSetting, Flags, Machine, Network, NetworkError, Networks, Purpose,
};
use machine::{JsonEntry, Silicon, SYNTHESISED_DIMS};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use toolchain::progress::ProgressStep;
use toolchain::Toolchain;

/// Compare the cost and the performance of networks on the same messages
///
/// Writes the tables, a page with plots (compare.html), CSV and JSON.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example:\n  phasecube compare --dims 4 --pattern permutation,complement --no-sweeps"
)]
pub struct CompareArgs {
    /// Networks to compare, separated by commas [default: all that have a machine of this size]
    #[arg(help_heading = "Machine", long, value_name = "NAMES", value_delimiter = ',')]
    networks: Vec<String>,

    #[command(flatten)]
    flags: Flags,

    #[arg(
        help_heading = "Machine",
        long = "dims",
        value_name = "N",
        default_value = "3",
        value_parser = parse_cube,
        help = "Dimensions of the cube, 1 to 16: it has 2^N nodes. Machines of 3 and 4 dimensions are also synthesised"
    )]
    cube: Hypercube,

    /// Traffic patterns, separated by commas, as in `run`
    #[arg(
        help_heading = "Traffic",
        long = "pattern",
        value_name = "PATTERNS",
        default_value = "permutation,bitrev,random,complement",
        value_parser = pattern(),
        hide_possible_values = true,
        value_delimiter = ','
    )]
    patterns: Vec<TrafficPattern>,

    /// Processors on a node: 1, 2, 4, 8 or 16. With more than one, a TDMA node carries the messages
    /// of all its processors, each with one more byte that selects the destination processor
    #[arg(help_heading = "Machine", long, value_name = "P", default_value = "1", value_parser = parse_processors)]
    processors: usize,

    #[arg(
        help_heading = "Traffic",
        long,
        value_name = "BYTES",
        default_value = "4",
        value_parser = parse_payload,
        help = "Random payload of a message that has none of its own, 0 to 78 bytes"
    )]
    payload: usize,

    /// Seed of all random choices
    #[arg(help_heading = "Traffic", long, value_name = "S", default_value = "1", value_parser = number::parse)]
    seed: u64,

    /// Messages per processor, 1 to 64, separated by commas. Each runs the pattern relation:H
    #[arg(help_heading = "Traffic", long, value_name = "H,..", default_value = "1,2,3,4,6,8,12,16", value_delimiter = ',',
          value_parser = within::<u64>(1, 64))]
    relations: Vec<u64>,

    /// Offered loads, above 0 and up to 16, in messages per node and period or in --unit, separated by
    /// commas. Messages are for other nodes drawn at random. Each machine runs the loads in ascending
    /// order until it is saturated
    #[arg(help_heading = "Traffic", long, value_name = "LOAD,..", default_value = "0.1,0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2",
          value_delimiter = ',', value_parser = parse_load)]
    loads: Vec<f64>,

    #[command(flatten)]
    load: LoadFlags,

    /// Run only the patterns, without --relations and --loads
    #[arg(help_heading = "Traffic", long, conflicts_with_all = ["relations", "loads", "unit",
          "injection", "lengths", "seeds", "warm_up", "drain"])]
    no_sweeps: bool,

    /// Skip synthesis; the report then has no cells and clocks
    #[arg(help_heading = "Output", long)]
    no_synthesis: bool,

    /// Output directory [default: target/phasecube/compare; none with --json]
    #[arg(help_heading = "Output", long, value_name = "DIR")]
    out: Option<OutputDir>,

    #[command(flatten)]
    engine: EngineFlags,

    #[command(flatten)]
    output: OutputFlags,
}

/// Compares the networks, then prints and writes the results. Returns what they mean.
pub fn compare(
    args: &CompareArgs,
    networks: &Networks,
    inputs: &InputFiles,
) -> Result<String, CliError> {
    let out = args.output_dir();
    if let Some(dir) = &out {
        files::check_files("--out", dir, &Comparison::FILES, inputs)?;
    }
    let comparison = run_comparison(args, networks)?;
    args.present(&comparison, out.as_deref())?;
    let ranked = comparison.rankings().into_iter();
    Ok(ranked.map(|ranking| ranking.text() + ". ").collect())
}

/// Runs every machine on every list of messages.
pub(super) fn run_comparison(
    args: &CompareArgs,
    networks: &Networks,
) -> Result<Comparison, CliError> {
    let mut chosen = args.selected_networks(networks)?;
    networks.reject_foreign_flags(&chosen, Purpose::Compare, &args.flags.0)?;
    let proc_bits = args.proc_bits();
    let lists = args.travelling_by_pattern()?;
    let setting = args.setting(&lists);
    let (mut contenders, left_out) = args.contenders(&chosen, &setting)?;
    if contenders.is_empty() {
        let why: Vec<String> = left_out.iter().map(ToString::to_string).collect();
        return Err(CliError::BadInput(anyhow!(
            "no network has a machine of this size: {}",
            why.join("; ")
        )));
    }
    chosen.retain(|network| left_out.iter().all(|left| left.network != network.name()));
    // Includes the networks that are left out, so that the file always has the same fields.
    let mut given = vec![];
    for network in networks.iter() {
        let name = network.name();
        let settings = network.settings(&setting)?.into_iter();
        given.extend(settings.map(|entry| (name, entry)));
    }
    let notes = chosen.iter().map(|network| network.notes(&setting));
    let notes = notes.collect::<Result<_, _>>()?;
    // Machines that cannot be built are reported before a compiler is fetched for the others.
    let activity = ProgressStep::quiet("building the machines");
    let synthesised = SYNTHESISED_DIMS.contains(&args.cube.dims()) && !args.no_synthesis;
    let tools = synthesised.then(Toolchain::open).transpose()?;
    prepare(&mut contenders)?;
    let (silicon, used) = match &tools {
        Some(tools) => {
            let circuits = circuits(&contenders)?;
            let on_progress = |name: &str| activity.step(&format!("{name}: synthesis"));
            let reports = SiliconReport::measure(tools, &circuits, &cost_dir(), &on_progress)?;
            (reports, tools.ice40_synthesizers()?)
        }
        None => (contenders.iter().map(|_| None).collect(), vec![]),
    };
    let mut machines = vec![];
    for ((network, machine), silicon) in contenders.into_iter().zip(silicon) {
        let report = MachineReport::new(network.name(), &*machine, silicon)?;
        machines.push(ComparedMachine { machine, report });
    }
    let bench = CompareBench { args, cube: args.cube, proc_bits, machines, activity };
    let mut runs = CompareRuns::default();
    for (place, (pattern, list)) in lists.iter().enumerate() {
        bench.run_all(&pattern.to_string(), list, place == 0, &mut runs)?;
    }
    let (per_processor, load) = match args.no_sweeps {
        true => (CompareRuns::default(), vec![]),
        false => (bench::relations(&bench)?, bench::loads(&bench)?),
    };
    Ok(Comparison {
        setup: args.setup(&setting, &chosen, given, used),
        notes,
        left_out,
        no_runs: [runs.no_runs, per_processor.no_runs].concat(),
        machines: bench.machines.into_iter().map(|m| m.report).collect(),
        runs: runs.runs,
        messages_per_processor: per_processor.runs,
        offered_load: load,
        pictures: runs.pictures,
    })
}

/// Measures the circuits of a comparison on a separate thread, so that the comparison reads the
/// costs from the cache. Errors here are ignored, because the comparison repeats and reports them.
///
/// # Errors
/// If there is no such comparison.
pub(super) fn measure_ahead(
    args: &CompareArgs,
    networks: &Networks,
) -> Result<JoinHandle<()>, CliError> {
    let lists = args.travelling_by_pattern()?;
    let setting = args.setting(&lists);
    let (mut contenders, _) = args.contenders(&args.selected_networks(networks)?, &setting)?;
    prepare(&mut contenders)?;
    let circuits = circuits(&contenders)?;
    let tools = Toolchain::open()?;
    Ok(thread::spawn(move || {
        let _ = SiliconReport::measure(&tools, &circuits, &cost_dir(), &|_| ());
    }))
}

/// Compared machines with their networks.
type Contenders = Vec<(&'static dyn Network, Box<dyn Machine>)>;

/// Prepares the machines to run.
fn prepare(contenders: &mut Contenders) -> Result<(), CliError> {
    for (_, machine) in contenders {
        machine.prepare(&build_dir())?;
    }
    Ok(())
}

/// Returns the circuits of each machine that are put on a chip.
fn circuits(contenders: &Contenders) -> Result<Vec<Option<Silicon>>, CostError> {
    let circuits = contenders.iter().map(|(_, machine)| machine.silicon());
    Ok(circuits.collect::<Result<_, _>>()?)
}

impl CompareArgs {
    /// Returns the named networks, each once, in the order of the registry. Without names, returns
    /// all networks.
    fn selected_networks(
        &self,
        networks: &Networks,
    ) -> Result<Vec<&'static dyn Network>, CliError> {
        for name in &self.networks {
            networks.by_name(name)?;
        }
        let is_selected = |network: &&dyn Network| {
            self.networks.is_empty() || self.networks.iter().any(|name| name == network.name())
        };
        Ok(networks.iter().filter(is_selected).collect())
    }

    /// Returns the machines of these networks, and the networks without a machine of this size.
    fn contenders(
        &self,
        chosen: &[&'static dyn Network],
        setting: &ComparisonSetting,
    ) -> Result<(Contenders, Vec<OmittedNetwork>), CliError> {
        let (mut contenders, mut left_out) = (vec![], vec![]);
        for network in chosen {
            let machines = match network.machines_to_compare(setting) {
                // A network that the user named must take part.
                Err(NetworkError::Size(why)) if self.networks.is_empty() => {
                    left_out.push(OmittedNetwork { network: network.name(), why: why.to_string() });
                    continue;
                }
                machines => machines?,
            };
            for machine in machines {
                self.engine.check_machine(&*machine)?;
                contenders.push((*network, machine));
            }
        }
        Ok((contenders, left_out))
    }

    /// Returns the parameters of the machines that carry these messages.
    fn setting(&self, lists: &[(&TrafficPattern, Travelling)]) -> ComparisonSetting<'_> {
        let longest = lists.iter().flat_map(|(_, list)| &list.messages);
        let longest = longest.map(|m| m.payload.len()).max().unwrap_or(0);
        let lengths = self.load.lengths(self.payload);
        ComparisonSetting {
            cube: self.cube,
            proc_bits: self.proc_bits(),
            payload: longest.max(lengths.longest()).max(self.payload),
            alone: false,
            flags: &self.flags.0,
        }
    }

    /// Bits of a processor's number within its node.
    fn proc_bits(&self) -> u32 {
        self.processors.ilog2()
    }

    /// Output directory.
    fn output_dir(&self) -> Option<PathBuf> {
        match (&self.out, self.output.json) {
            (Some(dir), _) => Some(dir.to_path_buf()),
            (None, true) => None,
            (None, false) => Some(build_dir().join("compare")),
        }
    }

    /// Returns the messages of a pattern between processors, without those that stay within their
    /// node.
    fn travelling_messages(
        &self,
        pattern: &TrafficPattern,
        proc_bits: u32,
    ) -> Result<Travelling, CliError> {
        let bits = u64::from(self.cube.dims() + proc_bits);
        let processors = Hypercube::new(bits).map_err(|e| CliError::BadInput(e.into()))?;
        let recipe = Recipe {
            pattern: pattern.clone(),
            seed: self.seed,
            payload: self.payload,
            order: Default::default(),
        };
        Ok(Travelling::of(recipe.messages(processors)?, proc_bits))
    }

    fn travelling_by_pattern(&self) -> Result<Vec<(&TrafficPattern, Travelling)>, CliError> {
        let list = |pattern| Ok((pattern, self.travelling_messages(pattern, self.proc_bits())?));
        self.patterns.iter().map(list).collect()
    }

    fn setup(
        &self,
        setting: &ComparisonSetting,
        chosen: &[&'static dyn Network],
        given: Vec<(&str, JsonEntry)>,
        tools: Vec<String>,
    ) -> Setup {
        Setup {
            command: self.command(chosen, &given),
            patterns: self.patterns.iter().map(ToString::to_string).collect(),
            version: env!("CARGO_PKG_VERSION"),
            dims: self.cube.dims(),
            nodes: self.cube.nodes().into(),
            processors: 1 << setting.proc_bits,
            payload: setting.payload,
            seed: self.seed,
            engine: self.engine.engine.name(),
            flag_values: given.into_iter().map(|(_, entry)| entry).collect(),
            tools,
        }
    }

    /// Returns the command line that repeats this comparison, with defaults written out.
    fn command(&self, chosen: &[&'static dyn Network], given: &[(&str, JsonEntry)]) -> String {
        let networks: Vec<&str> = chosen.iter().map(|n| n.name()).collect();
        let mut command = format!(
            "phasecube compare --networks {} --dims {} --pattern {} --processors {}",
            networks.join(","),
            self.cube.dims(),
            joined_by_commas(&self.patterns),
            self.processors,
        );
        let of_chosen = |(name, _): &&(&str, JsonEntry)| networks.contains(name);
        for (_, entry) in given.iter().filter(of_chosen) {
            let value = entry.value.to_string();
            let flag = entry.key.replace('_', "-");
            command += &format!(" --{flag} {}", value.trim_matches('"'));
        }
        command += &format!(
            " --payload {} --seed {} --engine {}",
            self.payload,
            self.seed,
            self.engine.engine.name(),
        );
        command += &match self.no_sweeps {
            true => " --no-sweeps".to_owned(),
            false => format!(
                " --relations {} --loads {}{}",
                joined_by_commas(&self.relations),
                joined_by_commas(&self.loads),
                self.load.words()
            ),
        };
        if self.no_synthesis {
            command += " --no-synthesis";
        }
        command
    }

    fn present(&self, comparison: &Comparison, out: Option<&Path>) -> Result<(), CliError> {
        let mut written = String::new();
        if let Some(dir) = out {
            written = files::write_report(dir, &comparison.files())?;
        }
        output::print_json_or(self.output.json, comparison)?;
        match self.output.json {
            true => Ok(()),
            false => output::print(&written),
        }
    }
}

fn parse_load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if load > 0.0 && load <= 16.0 => Ok(load),
        _ => Err(format!(
            "{text:?} is not a load; accepted: above 0, up to 16 messages per node and period"
        )),
    }
}

fn joined_by_commas(values: &[impl ToString]) -> String {
    let words: Vec<String> = values.iter().map(ToString::to_string).collect();
    words.join(",")
}
