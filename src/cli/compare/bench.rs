//! Runs the machines of a comparison, and stops at the first machine that misbehaves.

use super::CompareArgs;
use crate::cli::load::{LoadMeter, LoadUnit};
use crate::cli::{build_dir, CliError};
use anyhow::anyhow;
use interconnect::topology::{AddressSpace, Hypercube};
use interconnect::traffic::{MessageList, TrafficPattern, Travelling};
use lab::report::comparison::{
    ComparisonRun, LoadPoint, LoadWindow, MachinePicture, MachineReport, NoRun, TrafficResult,
};
use lab::report::{RunPicture, SweptMachine};
use lockstep::lanes::Keep;
use machine::networks::{Machine, NetworkError};
use machine::{drive, Delivery, EndReason, Load, RunControl, RunStats};
use std::sync::Arc;
use toolchain::progress::ProgressStep;

/// Machine with its report.
pub struct ComparedMachine {
    pub machine: Box<dyn Machine>,
    pub report: MachineReport,
}

/// Context for running all machines one after the other on the same messages.
pub struct CompareBench<'a> {
    pub args: &'a CompareArgs,
    pub cube: Hypercube,
    pub proc_bits: u32,
    pub machines: Vec<ComparedMachine>,
    pub activity: ProgressStep,
}

/// Results of the machines on some lists of messages.
#[derive(Default)]
pub struct CompareRuns {
    pub runs: Vec<ComparisonRun>,
    pub no_runs: Vec<NoRun>,
    pub pictures: Vec<MachinePicture>,
}

/// Result of a run, and its picture if one was requested.
type PicturedResult = (TrafficResult, Option<MachinePicture>);

impl CompareBench<'_> {
    /// Runs every machine on these messages and adds the results to `runs`, with pictures if
    /// `draws` is true.
    pub fn run_all(
        &self,
        what: &str,
        travelling: &Travelling,
        draws: bool,
        runs: &mut CompareRuns,
    ) -> Result<(), CliError> {
        let messages: Arc<MessageList> = Arc::new(MessageList::from(&travelling.messages[..]));
        for contender in &self.machines {
            match self.run_list(contender, what, &messages, draws)? {
                Ok((carried, picture)) => {
                    runs.pictures.extend(picture);
                    runs.runs.push(ComparisonRun::new(
                        &contender.report,
                        what.to_owned(),
                        self.cube.nodes().into(),
                        travelling,
                        &carried,
                    ));
                }
                Err(why) => runs.no_runs.push(NoRun {
                    machine: contender.machine.label(),
                    pattern: what.to_owned(),
                    why,
                }),
            }
        }
        Ok(())
    }

    /// Runs a machine on messages that are all ready at the start. A machine that is made for its
    /// messages is built first. If none can be built for this number of messages, returns the
    /// reason.
    fn run_list(
        &self,
        contender: &ComparedMachine,
        what: &str,
        messages: &Arc<MessageList>,
        draws: bool,
    ) -> Result<Result<PicturedResult, String>, CliError> {
        let machine = &*contender.machine;
        let Some(maker) = machine.machine_builder() else {
            let load = Load { keep_events: draws, ..Load::at_once(messages.clone()) };
            return self.run_load(machine, what, load).map(Ok);
        };
        let label = machine.label();
        self.activity.step(&format!("{label}, {what}: scheduling"));
        let job = match maker.job(messages) {
            Err(NetworkError::Size(why)) => return Ok(Err(why.to_string())),
            job => job?,
        };
        let load = Load { keep_events: draws, ..job.load };
        let (carried, picture) = self.run_load(&*job.machine, what, load)?;
        Ok(Ok((carried.in_periods(contender.report.timebase), picture)))
    }

    /// Starts a new run of a machine on a load, and checks the outcome. Draws it if the load keeps
    /// its events.
    fn run_load(
        &self,
        machine: &dyn Machine,
        what: &str,
        load: Load,
    ) -> Result<PicturedResult, CliError> {
        let timebase = machine.timebase();
        let (label, period) = (machine.label(), timebase.period_name);
        let title = format!("{label}, {what}");
        self.activity.step(&title);
        let (flags, circuit) = (&self.args.engine, machine.circuit());
        let options = flags.options(Keep::Outputs);
        let mut engine = flags.engine.start(circuit, &options, &build_dir())?;
        let drawn = load.keep_events.then(|| load.messages.clone());
        let all = load.messages.len();
        let mut driver = machine.driver(&mut *engine, load)?;
        let progress = |steps: u64, open: usize| {
            if steps.is_multiple_of(timebase.steps()) {
                self.activity.step(&format!(
                    "{title}: {period} {}, {} of {all} done",
                    steps / timebase.steps(),
                    all - open
                ));
            }
        };
        let control = RunControl {
            progress: Box::new(progress),
            ..RunControl::to_end(timebase.steps(), machine.deadlock_after())
        };
        let stats = drive(&mut *driver, control).map_err(|e| CliError::Failed(e.into()))?;
        if let Some(wrong) = error_text(machine, &stats) {
            return Err(CliError::Failed(anyhow!("{title}: {wrong}")));
        }
        let picture = drawn.and_then(|messages| self.picture(machine, what, &messages, &stats));
        Ok((TrafficResult::new(&stats, timebase), picture))
    }

    /// Draws the first period of a run, and the route of its longest message.
    fn picture(
        &self,
        machine: &dyn Machine,
        what: &str,
        messages: &MessageList,
        stats: &RunStats,
    ) -> Option<MachinePicture> {
        let subject = machine.subject();
        let picture = RunPicture {
            subject: &subject,
            messages,
            stats,
            processors: (self.cube.nodes() / subject.topology.nodes()).max(1),
            number: 0,
            message: None,
        };
        Some(MachinePicture {
            machine: machine.label(),
            pattern: what.to_owned(),
            shows_schedule: subject.steps.period.is_some(),
            svg: picture.svg()?,
        })
    }
}

/// Describes in one sentence a failure of the machine; `None` if it ran correctly.
pub fn error_text(machine: &dyn Machine, stats: &RunStats) -> Option<String> {
    let period = machine.timebase().period_name;
    let lost =
        stats.count(|delivery| !matches!(delivery, Delivery::Delivered { .. } | Delivery::ToSelf));
    let wrong = stats.duplicated + stats.undetected;
    match stats.end {
        EndReason::Deadlock { periods } => Some(format!("nothing moved for {periods} {period}s")),
        EndReason::Livelock { periods } => Some(format!("nothing arrived for {periods} {period}s")),
        EndReason::Limit { periods }
        | EndReason::Halted { periods }
        | EndReason::Stopped { periods } => {
            Some(format!("it was stopped after {periods} {period}s"))
        }
        EndReason::Complete if wrong > 0 => {
            Some(format!("{wrong} messages were duplicates or differed from the sent ones"))
        }
        EndReason::Complete if lost > 0 && !machine.may_lose() => Some("messages were lost".into()),
        EndReason::Complete => None,
    }
}

// Sweeps of a comparison over relations and over load.

/// Runs every machine on `relation:H` for every H.
pub fn relations(bench: &CompareBench) -> Result<CompareRuns, CliError> {
    let mut runs = CompareRuns::default();
    for count in &bench.args.relations {
        let pattern = TrafficPattern::Relation(*count);
        let messages = bench.args.travelling_messages(&pattern, bench.proc_bits)?;
        bench.run_all(&pattern.to_string(), &messages, false, &mut runs)?;
    }
    Ok(runs)
}

/// Runs every machine on the loads in ascending order, up to the first load that it does not keep
/// up with. Machines built for known messages are left out, because these messages are not known in
/// advance.
pub fn loads(bench: &CompareBench) -> Result<Vec<LoadPoint>, CliError> {
    let mut loads = bench.args.loads.clone();
    loads.sort_by(f64::total_cmp);
    let mut points = vec![];
    let takes_any = |machine: &&ComparedMachine| machine.machine.machine_builder().is_none();
    for machine in bench.machines.iter().filter(takes_any) {
        for load in &loads {
            let point = point(bench, machine, *load)?;
            points.push(point);
            if points.last().is_some_and(|p: &LoadPoint| p.saturated) {
                break;
            }
        }
    }
    Ok(points)
}

fn point(
    bench: &CompareBench,
    machine: &ComparedMachine,
    load: f64,
) -> Result<LoadPoint, CliError> {
    let args = bench.args;
    let nodes = AddressSpace::from(bench.cube);
    let lengths = args.load.lengths(args.payload);
    let meter = LoadMeter {
        flags: &args.load,
        pattern: &TrafficPattern::Uniform,
        lengths: &lengths,
        seed: args.seed,
        window: args.load.window(LoadWindow::for_nodes(nodes.nodes().into())),
        machine: &*machine.machine,
        report: &machine.report,
        nodes,
        proc_bits: bench.proc_bits,
        engine: &args.engine,
        activity: &bench.activity,
    };
    let swept = SweptMachine::new(
        [machine.report.machine, machine.report.network],
        machine.machine.headline(),
        machine.machine.circuit().topology(),
        (machine.report.timebase, meter.window),
        lengths.mean(),
    );
    let requested = args.load.unit(LoadUnit::Period).convert(load, &swept)?;
    let most = args.load.injection.load_max() * f64::from(1u32 << bench.proc_bits);
    if requested.load > most {
        return Err(CliError::BadInput(anyhow!(
            "a load of {load} is {:.1} messages per node and {}; accepted: up to {most}",
            requested.load,
            machine.report.timebase.period_name
        )));
    }
    Ok(meter.measure((load, requested.load), false)?.point)
}
