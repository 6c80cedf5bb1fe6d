//! `phasecube run`: runs one machine on one traffic.

mod debug;
mod look;
mod on_panel;
pub mod programs;
mod records;
mod summary;

use super::args::{write_messages, DataArgs, LookArgs, NetworkArgs, TrafficArgs, TRAFFIC_FLAGS};
use super::interrupt::{self, Stop};
use super::{build_dir, CliError};
use crate::cli::files::OutputTarget;
use crate::cli::output::Report;
use anyhow::anyhow;
use clap::parser::ValueSource;
use clap::Args;
use debug::{DebugArgs, DebugPlan};
use engine::{NodeEngine, ObservedEngine, Observer};
use interconnect::routing::Relation;
use interconnect::topology::Hypercube;
use interconnect::traffic::MessageList;
use lockstep::lanes::Keep;
use look::ObservationPlan;
use machine::flags::{parse_cube, EngineFlags, FlagChoice, OutputFlags};
use machine::networks::{given_flags, Machine, MachineJob, Network, Networks, Purpose, RunRequest};
use machine::program::{Firmware, ProgramName};
use machine::text::format_count;
use machine::{
    drive, merge_by_phase, EndReason, HeldMessage, Outcome, ProgramResults, RunControl, RunStats,
};
pub use on_panel::PanelPlan;
use on_panel::RunningPanel;
use programs::ProgramTask;
use records::RunReport;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Instant;
pub use summary::meaning;
use testbench::wave::FileKind;
use toolchain::progress::{self, ProgressMeter};

/// Most messages that the report of a stalled machine lists.
const HELD_MAX: usize = 16;

/// Simulate one machine on one traffic and check every message
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube run --dims 4 --pattern bitrev --trace\n  phasecube run --dims 3 --wave w.fst --watch 'node[0x5].uart.*'\n  phasecube run --network cm1 --dims 6 --pattern random\n  phasecube run --firmware parallel_sum --data numbers.csv --check sums.csv"
)]
pub struct RunArgs {
    #[command(flatten)]
    network: NetworkArgs,

    #[arg(
        long = "dims",
        value_name = "N",
        default_value = "3",
        help_heading = "Machine",
        value_parser = parse_cube,
        help = "Dimensions N, 1 to 16: the machine has 2^N nodes, as an N-cube"
    )]
    cube: Hypercube,

    #[command(flatten)]
    traffic: TrafficArgs,

    #[command(flatten)]
    engine: EngineFlags,

    /// Print the event log: every event of a message, step by step
    #[arg(long, help_heading = "Looking inside")]
    trace: bool,

    /// With --json, add the ends, the outcome and the arrival of each message
    #[arg(long, requires = "json", help_heading = "Looking inside")]
    message_records: bool,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    debug: DebugArgs,

    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    output: OutputFlags,
}

impl RunArgs {
    /// Sets the data of the programs, if neither a file nor traffic is requested.
    pub fn data_or(&mut self, data: &str) {
        let flags = &self.network.flags.0;
        let is_given = |flag: &&str| flags.value_source(flag) == Some(ValueSource::CommandLine);
        if !TRAFFIC_FLAGS.iter().any(is_given) {
            self.data.data.get_or_insert_with(|| data.into());
        }
    }
}

/// Runs the machine, and prints and returns the outcome of the messages.
pub fn run(args: &RunArgs, networks: &Networks) -> Result<Outcome, CliError> {
    let plan = RunPlan::new(args, networks)?;
    let finished = plan.execute(None)?;
    plan.report(finished)
}

/// Runs the machine on a panel; otherwise like [`run`].
pub fn run_on_panel(
    args: &RunArgs,
    panel: &PanelPlan,
    networks: &Networks,
) -> Result<Outcome, CliError> {
    let flags = &args.network.flags.0;
    let program = flags.try_get_one::<ProgramName>("firmware").ok().flatten();
    if program.is_none() {
        return Err(on_panel::no_program());
    }
    let plan = RunPlan::new(args, networks)?;
    let finished = plan.execute(Some(panel))?;
    plan.report(finished)
}

/// A checked request: everything that can be wrong with the arguments and their files is reported.
struct RunPlan<'a> {
    args: &'a RunArgs,
    network: &'a dyn Network,
    job: MachineJob,
    outputs: RunOutputs,
    /// Input data of programs, for `--data`.
    task: Option<ProgramTask>,
    view: ObservationPlan,
    debug: DebugPlan,
}

/// A run that has ended, before its report.
struct FinishedRun {
    outcome: Outcome,
    /// Lines of analysers, which come before the summary.
    analysis: String,
    /// Lines about the machine and of its studies, which come after the summary.
    studies: String,
    stop: Stop,
    /// Error if the run ended before everything that was requested was observed.
    observed: Result<(), CliError>,
}

impl<'a> RunPlan<'a> {
    /// Checks the arguments, and compiles the program of the nodes.
    fn new(args: &'a RunArgs, networks: &'a Networks) -> Result<Self, CliError> {
        let network = networks.select(args.network.name())?;
        let flags = &args.network.flags.0;
        networks.reject_foreign_flags(&[network], Purpose::Run, flags)?;
        let outputs = RunOutputs::check(args)?;
        let payload = programs::payload(args)?;
        let programs = args.data.data.as_ref().map(|_| payload);
        let mut job = network.job(&RunRequest {
            cube: args.cube,
            recipe: args.traffic.recipe()?,
            list: programs.map(|_| MessageList::default()),
            programs,
            writes_messages: outputs.dump.is_some(),
            flags,
        })?;
        args.engine.check_machine(&*job.machine)?;
        look::check_request(&args.look, &job, args.data.data.is_some())?;
        let own_core = flags.try_get_many::<PathBuf>("core");
        let own_core = own_core.ok().flatten().is_some();
        let debug = DebugPlan::new(&args.debug, &job, args.engine.engine, own_core)?;
        job.load.keep_events = args.trace || args.look.picture.is_some();
        let task = ProgramTask::new(args, payload, &mut job)?;
        let view_of = |machine: &dyn Machine| {
            let of = (machine.subject(), args.engine.engine);
            let array = || machine.circuit().array();
            let traces = !args.debug.instructions.is_empty();
            ObservationPlan::new((&args.look, traces), outputs.wave.as_ref(), of, array)
        };
        // All invalid input is reported before a compiler is fetched for a program.
        view_of(&*job.machine)?;
        if let Some(what) = job.machine.prepare(&build_dir())? {
            progress::note(&what);
        }
        if task.is_none() {
            programs::check_is_router(&*job.machine)?;
        }
        Ok(RunPlan { view: view_of(&*job.machine)?, args, network, job, outputs, task, debug })
    }

    /// Runs the machine until it ends or a signal stops it. Writes waveforms and pictures.
    fn execute(&self, panel: Option<&PanelPlan>) -> Result<FinishedRun, CliError> {
        let (args, job, outputs, view) = (self.args, &self.job, &self.outputs, &self.view);
        if let Some(target) = &outputs.dump {
            write_messages(target, &job.load.messages, job.addresses)?;
        }
        let watched = [job.machine.watched_signals(), self.debug.kept_signals()].concat();
        let signals = signals_to_keep(view.kept_signals(), watched);
        let circuit = job.machine.circuit();
        let options = args.engine.options(signals);
        let mut engine = args.engine.engine.start(circuit, &options, &build_dir())?;
        // From here on a signal ends the files as the end of the run does.
        let stop = interrupt::listen();
        let dead = on_panel::dead_nodes(&args.network.flags.0);
        let panel = panel.map(|panel| panel.start(&mut *engine, job, dead, stop.flag()));
        let mut panel = panel.transpose()?;
        let mut lookers = view.start(&mut *engine)?;
        let mut studies = job.machine.studies(&mut *engine);
        let steps = view.steps();
        let mut debug = self.debug.start(&mut *engine, job, steps, stop.flag())?;
        let start = Instant::now();
        let mut observers = lookers.observers();
        observers.extend(studies.iter_mut().map(|s| &mut **s as &mut dyn Observer));
        observers.extend(panel.iter_mut().map(RunningPanel::observer));
        observers.extend(debug.observers());
        let ran = match observers.is_empty() {
            true => simulate(job, &mut *engine, stop.flag()),
            false => {
                let mut observed = ObservedEngine::new(&mut *engine, observers);
                simulate(job, &mut observed, stop.flag())
            }
        };
        let analysis = lookers.finish(ran.as_ref().ok().map(|stats| stats.steps));
        let (mut stats, analysis) = (ran?, analysis?);
        debug.end(stats.programs.as_ref());
        let seconds = start.elapsed().as_secs_f64();
        if let Some(panel) = panel {
            panel.end(&mut *engine, stats.end, stats.programs.as_ref())?;
        }
        let mut trace = String::new();
        match args.output.json {
            true => {
                let results = studies.iter().filter_map(|study| study.json_entry());
                stats.entries.extend(results.chain(debug.json_entry()));
            }
            false => trace = debug.text(),
        }
        let observed = view.check_end(stats.steps);
        if observed.is_ok() {
            look::draw(&args.look, outputs.picture.as_ref(), view, (job, &stats))?;
        }
        let remark = job.remark.iter().map(|remark| remark.line.clone() + "\n");
        let studies = studies.into_iter().map(|s| s.text(&stats));
        let studies = remark.chain(studies).collect();
        Ok(FinishedRun {
            outcome: self.outcome(stats, seconds),
            analysis: analysis + &trace,
            studies,
            stop,
            observed,
        })
    }

    /// Results with the names and settings of the run, for its report.
    fn outcome(&self, stats: RunStats, wall_seconds: f64) -> Outcome {
        let (args, job) = (self.args, &self.job);
        let remarks = job.remark.iter().flat_map(|remark| remark.entries.clone());
        Outcome {
            network: self.network.name(),
            nodes: job.machine.circuit().topology().nodes().into(),
            settings: [
                job.machine.settings(),
                remarks.collect(),
                vec![given_flags(self.network, &args.network.flags.0)],
            ]
            .concat(),
            pattern: match &args.data.data {
                Some(data) => format!("data:{}", data.display()),
                None => {
                    let own = job.pattern.as_ref();
                    own.unwrap_or(&args.traffic.pattern).to_string()
                }
            },
            seed: args.traffic.seed,
            engine: args.engine.engine.name(),
            to_self: job.load.messages.iter().filter(|m| m.is_to_self()).count() as u64,
            wall_seconds,
            stats,
            timebase: job.machine.timebase(),
            log: None,
            check: None,
        }
    }

    /// Prints the report, and returns an error if the run failed.
    fn report(&self, finished: FinishedRun) -> Result<Outcome, CliError> {
        let (args, job) = (self.args, &self.job);
        let mut outcome = finished.outcome;
        let results = outcome.stats.programs.clone();
        let verdict_of = |(task, results): (&ProgramTask, &ProgramResults)| task.verdict(results);
        let verdict = self.task.as_ref().zip(results.as_ref()).map(verdict_of);
        let judged = results.as_ref().zip(verdict.as_ref());
        if let (Some(target), Some((results, _))) = (&self.outputs.results, judged) {
            programs::write_results(target, results, job.addresses)?;
        }
        let stream = self.outputs.report_stream();
        match args.output.json {
            true => {
                let stats = &outcome.stats;
                outcome.log = args.trace.then(|| merge_by_phase(&stats.events, &stats.notes));
                outcome.check = judged.and_then(|(_, verdict)| verdict.json());
                let messages = args.message_records.then_some(&*job.load.messages);
                let report = RunReport::new(&outcome, messages);
                let json = serde_json::to_string(&report).expect("numbers and names are JSON");
                stream.print(&(json + "\n"))?;
            }
            false => {
                let text = match judged {
                    None => summary::text(job, &outcome, args.trace),
                    Some(judged) => programs::text(job, &outcome, judged, args.trace),
                };
                stream.print_text(&finished.analysis)?;
                stream.print_text(&text)?;
                stream.print_text(&finished.studies)?;
            }
        }
        if let EndReason::Stopped { .. } = outcome.stats.end {
            let message = stopped_text(&outcome, judged.map(|(results, _)| results));
            return Err(finished.stop.error(message));
        }
        let holds_messages = !outcome.stats.held_messages.is_empty();
        if matches!(outcome.stats.end, EndReason::Deadlock { .. })
            && holds_messages
            && !args.output.json
        {
            let (dims, flags) = (args.cube.dims().into(), &args.network.flags.0);
            let waiting = self.network.deadlock_model(dims, flags)?;
            stream.print_text(&held_messages_text(&*waiting.relation, &outcome.stats))?;
        }
        match judged {
            None => check_outcome(&outcome, job.machine.firmware())?,
            Some((results, verdict)) => {
                if let Some(wrong) = verdict.error_text(&outcome, results) {
                    return Err(CliError::Failed(anyhow!(wrong)));
                }
            }
        }
        finished.observed?;
        match job.machine.ineffective_flags(outcome.stats.steps) {
            Some(unmet) => Err(CliError::BadInput(anyhow!(unmet))),
            None => Ok(outcome),
        }
    }
}

/// Formats where a signal stopped the run, and what is unfinished.
fn stopped_text(outcome: &Outcome, results: Option<&ProgramResults>) -> String {
    let timebase = outcome.timebase;
    let left = match results {
        None => summary::left_text(outcome.unfinished()),
        Some(results) => format!(
            "{} of {} programs have not ended",
            results.unfinished_count(),
            results.exits.len()
        ),
    };
    let period = outcome.stats.steps / timebase.steps();
    format!("in {} {period} (counted from 0); {left}", timebase.period_name)
}

/// Signals that the lockstep engine keeps: the requested ones and the ones that studies observe.
fn signals_to_keep(kept: Keep, watched: Vec<String>) -> Keep {
    match kept {
        Keep::Outputs if !watched.is_empty() => Keep::Named(watched),
        Keep::Named(names) => Keep::Named([names, watched].concat()),
        kept => kept,
    }
}

/// Formats where the messages of a stalled machine are, and which channels they wait for.
pub(super) fn held_messages_text(relation: &dyn Relation, stats: &RunStats) -> String {
    let topology = relation.topology();
    let mut text = String::new();
    for HeldMessage { channel, destination } in stats.held_messages.iter().take(HELD_MAX) {
        let wants = relation.next(*channel, *destination);
        let wants: Vec<String> = wants.iter().map(|c| relation.channel_name(*c)).collect();
        let _ = writeln!(
            text,
            "  in {} a message for {} waits for {}",
            relation.channel_name(*channel),
            topology.node_name(*destination),
            match wants.is_empty() {
                true => "its processor".to_owned(),
                false => wants.join(" or "),
            }
        );
    }
    match stats.held_messages.len().saturating_sub(HELD_MAX) {
        0 => text,
        more => text + &format!("  and {more} more\n"),
    }
}

/// Runs the machine and reports progress from time to time.
fn simulate(
    job: &MachineJob,
    engine: &mut dyn NodeEngine,
    stop: Arc<AtomicBool>,
) -> Result<RunStats, CliError> {
    let machine = &*job.machine;
    let timebase = machine.timebase();
    let (all, what) = match &job.load.data {
        None => (job.load.messages.len(), "messages"),
        Some(_) => (job.addresses.nodes() as usize, "programs"),
    };
    let mut driver = machine.driver(engine, job.load.clone())?;
    let start = Instant::now();
    let bar = ProgressMeter::new(all as u64);
    let progress = |steps: u64, open: usize| {
        let periods = steps as f64 / timebase.steps() as f64;
        let rate = periods / start.elapsed().as_secs_f64().max(1e-9);
        let message = format!("{what}, {periods:.0} {}s, {rate:.2} a second", timebase.period_name);
        bar.at((all - open) as u64, &message);
    };
    let control = RunControl {
        limit: job.limit.unwrap_or(u64::MAX),
        stop,
        progress: Box::new(progress),
        print_line: Box::new(progress::note),
        ..RunControl::to_end(timebase.steps(), machine.deadlock_after())
    };
    drive(&mut *driver, control).map_err(|e| CliError::Failed(e.into()))
}

/// Returns the exit status. Losses that the mode permits are no failure (docs/command-line.md).
/// `program` is the program of the nodes, if they run one.
fn check_outcome(outcome: &Outcome, program: Option<&Firmware>) -> Result<(), CliError> {
    let (stats, left) = (&outcome.stats, outcome.unfinished());
    let period = outcome.timebase.period_name;
    let wrong = match stats.end {
        _ if !stats.traps.is_empty() => Some(summary::halted_text(outcome)),
        EndReason::Deadlock { periods } => {
            let hint = match program {
                Some(program) if outcome.delivered() == outcome.to_self => format!(
                    "; none was delivered, so {} may be no router; accepted: a router, or --data \
                     for a program with values of its own",
                    program.name
                ),
                _ => String::new(),
            };
            Some(format!(
                "no message has moved for {}; {}{hint}",
                format_count(periods, period),
                summary::left_text(left)
            ))
        }
        EndReason::Livelock { periods } => Some(format!(
            "messages move, but none has arrived or been dropped for {}: a livelock; {}",
            format_count(periods, period),
            summary::left_text(left)
        )),
        EndReason::Limit { periods } => {
            Some(format!("{} after {}", summary::left_text(left), format_count(periods, period)))
        }
        EndReason::Complete if stats.duplicated + stats.undetected > 0 => Some(format!(
            "{} delivered twice, {} undetected",
            format_count(stats.duplicated, "message"),
            format_count(stats.undetected, "error")
        )),
        EndReason::Complete if stats.unexcused > 0 => {
            let (was, its) = match stats.unexcused {
                1 => ("was", "its"),
                _ => ("were", "their"),
            };
            Some(format!(
                "{} {was} lost or dropped, although no node on {its} route is dead",
                format_count(stats.unexcused, "message")
            ))
        }
        EndReason::Complete | EndReason::Stopped { .. } | EndReason::Halted { .. } => None,
    };
    match wrong {
        Some(wrong) => Err(CliError::Failed(anyhow!(wrong))),
        None => Ok(()),
    }
}

// Output files of a run, checked before anything is built.

/// Output files of a run.
#[derive(Clone, Debug)]
struct RunOutputs {
    pub dump: Option<OutputTarget>,
    pub picture: Option<OutputTarget>,
    pub wave: Option<OutputTarget>,
    pub results: Option<OutputTarget>,
}

impl RunOutputs {
    /// Checks the output files.
    ///
    /// # Errors
    /// Bad input, if one of them cannot be written.
    pub fn check(args: &RunArgs) -> Result<Self, CliError> {
        let outputs = RunOutputs {
            dump: args.traffic.dump_target()?,
            picture: OutputTarget::from_flag("--picture", args.look.picture.as_ref())?,
            wave: OutputTarget::from_flag("--wave", args.look.wave.as_ref())?,
            results: OutputTarget::from_flag("--results", args.data.results.as_ref())?,
        };
        if let Some(path) = &args.look.picture {
            let svg = path.extension().is_some_and(|end| end == "svg");
            let named = outputs.picture.as_ref().is_some_and(OutputTarget::is_seekable);
            if named && !svg {
                return bad_input(format!(
                    "--picture {}: a picture is SVG; accepted: a name that ends in .svg, or - for \
                     standard output",
                    path.display()
                ));
            }
        }
        Ok(outputs)
    }

    /// Returns the stream for the report: standard error if the JSON or a file uses standard
    /// output.
    pub fn report_stream(&self) -> Report {
        Report::avoiding([&self.dump, &self.picture, &self.wave, &self.results])
    }
}

/// Returns the waveform format for this file name. An output that cannot seek, such as standard
/// output, gets a VCD.
///
/// # Errors
/// Bad input, if the format is unknown, or needs to seek and the output cannot.
fn wave_kind(path: &Path, target: &OutputTarget) -> Result<FileKind, CliError> {
    match (FileKind::of(path), target.is_seekable()) {
        (kind, true) => kind.map_err(|e| CliError::BadInput(anyhow!(e).context("--wave"))),
        (Ok(FileKind::Fst), false) => bad_input(format!(
            "--wave {}: a FST cannot be written to a device or pipe; accepted: a file, or a name \
             that ends in .vcd",
            path.display()
        )),
        (_, false) => Ok(FileKind::Vcd),
    }
}

fn bad_input<T>(what: String) -> Result<T, CliError> {
    Err(CliError::BadInput(anyhow!(what)))
}
