//! `phasecube run`: one machine, one traffic.

mod cm1;
mod cm1_summary;
mod disturbed;
mod engine;
mod interrupt;
mod lines;
mod look;
mod picture;
mod summary;

use super::args::{
    parse_cube, Choice, Cm1Args, EngineArgs, Link, LinkArgs, LookArgs, Network, NetworkArgs,
    OutputArgs, TrafficArgs,
};
use super::{builds, output, Failure};
use crate::engine::{NodeEngine, Observed, Observer};
use crate::machine::cube::{CubeCircuit, CubeMachine, CubeRun, MessageFate, RunEnd};
use crate::machine::{merged, Latency, MachineCircuit, Outcome};
use crate::program::Firmware;
use crate::report::{profile_text, Profiler};
use crate::toolchain::progress::{self, Bar};
use crate::toolchain::Toolchain;
use crate::topology::Hypercube;
use crate::traffic::MessageList;
use crate::wave::Beat;
use anyhow::anyhow;
use clap::Args;
pub(super) use cm1::rounds as cm1_rounds;
use disturbed::DisturbanceArgs;
pub(super) use engine::engine;
use engine::engine_with;
use interrupt::stopped_by_ctrl_c;
use look::View;
use std::time::Instant;

/// Simulate one machine on one traffic and check every message
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    network: NetworkArgs,

    #[arg(
        long = "dims",
        value_name = "N",
        default_value = "3",
        value_parser = parse_cube,
        help = format!("Dimensions of the cube, 1 to {}: it has 2^N nodes", CubeCircuit::MAX_DIMS)
    )]
    cube: Hypercube,

    #[command(flatten)]
    traffic: TrafficArgs,

    #[command(flatten)]
    link: LinkArgs,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    disturbance: DisturbanceArgs,

    /// Nodes that run a program instead of a forwarder: route, an ELF file, or a C file (.c)
    #[arg(long, value_name = "PROGRAM")]
    firmware: Option<String>,

    /// Bit-times of the service window, in which the programs decide; by default what route needs
    #[arg(long, value_name = "BITS", requires = "firmware", value_parser = clap::value_parser!(u32).range(1..=4000))]
    service: Option<u32>,

    /// Show what the cores do with their time
    #[arg(long, requires = "firmware")]
    profile: bool,

    #[command(flatten)]
    cm1: Cm1Args,

    /// End the run after so many superframes, whatever is still under way
    #[arg(long, value_name = "N")]
    superframes: Option<u64>,

    /// Print the event log: who sent what to whom, phase by phase
    #[arg(long)]
    trace: bool,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the machine and prints what became of the messages.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    match args.network.network {
        Network::Tdma => tdma(args),
        Network::Cm1 if args.firmware.is_some() => Err(Failure::BadInput(anyhow!(
            "--firmware is for nodes with a core; accepted: --network tdma"
        ))),
        Network::Cm1 => cm1::run(args),
    }
}

fn tdma(args: &RunArgs) -> Result<(), Failure> {
    args.cm1.refuse()?;
    let disturbance = args.disturbance.checked(args.cube, args.traffic.seed)?;
    let messages = args.traffic.list(args.cube)?;
    picture::check(&args.look, &messages)?;
    let acked = args.link.link == Link::Acked;
    let circuit = circuit(args, messages.longest(), acked)?;
    let beat = Beat {
        mark: "phase_clock",
        period: circuit.timing().clock_cycles().into(),
        superframe: Some(u64::from(2 * args.cube.dims())),
    };
    let timing = Some(circuit.timing());
    let view = View::new(&args.look, args.cube, beat, timing, || circuit.array())?;
    let mut engine = engine_with(&args.engine, &circuit, view.keep())?;
    // From here on Ctrl-C ends a file as the end of the run does.
    let stop = stopped_by_ctrl_c();
    let mut lookers = view.begin(&mut *engine)?;
    let start = Instant::now();
    let simulate = |engine: &mut dyn NodeEngine| {
        let mut machine =
            CubeMachine::new(engine, args.cube, circuit.timing(), disturbance.clone());
        machine.limit = args.superframes.unwrap_or(u64::MAX);
        machine.keep_events = args.trace || args.look.picture.is_some();
        machine.stop = stop.clone();
        with_progress(args, machine, &messages)
    };
    let mut profiler = args.profile.then(|| Profiler::new(&mut *engine));
    let mut observers = lookers.list();
    observers.extend(profiler.as_mut().map(|p| p as &mut dyn Observer));
    let run = match observers.is_empty() {
        true => simulate(&mut *engine),
        false => simulate(&mut Observed::new(&mut *engine, observers)),
    };
    let seen = lookers.finish();
    let (run, seen) = (run?, seen?);
    let superframe = view.superframe();
    picture::draw(&args.look, args.cube, &messages, &run.events, superframe)?;
    let profile = profiler.map_or(String::new(), |profiler| {
        let window = circuit.timing().window();
        profile_text(args.cube, &profiler.into_cores(), &run.traps, window)
    });
    let outcome = outcome(args, &circuit, &run, start.elapsed().as_secs_f64());
    output::print(&match args.output.json {
        true => serde_json::to_string(&outcome).expect("numbers and names are JSON") + "\n",
        false => seen + &summary::text(args.cube, &outcome, &run, &messages, args.trace) + &profile,
    })?;
    let needless = run.needless_losses(args.cube, &messages, &disturbance);
    verdict(&outcome, run.end, acked, needless)
}

/// The machine: nodes with forwarders, or with a program.
fn circuit(args: &RunArgs, longest: usize, acked: bool) -> Result<CubeCircuit, Failure> {
    let circuit = CubeCircuit::new(args.cube, longest, acked).ok_or_else(|| {
        Failure::BadInput(anyhow!(
            "a cube of {} dimensions is too large for the engines there are; accepted: --dims 1 to {}",
            args.cube.dims(),
            CubeCircuit::MAX_DIMS
        ))
    })?;
    let circuit = circuit.with_order(args.link.service_order);
    let Some(firmware) = &args.firmware else {
        return Ok(circuit);
    };
    let firmware = Firmware::open(firmware, &Toolchain::open()?, &builds())?;
    progress::note(&firmware.to_string());
    let circuit = circuit.with_program(&firmware);
    Ok(match args.service {
        Some(service) => circuit.with_service(service),
        None => circuit,
    })
}

/// Runs the machine, and says from time to time how far it is.
fn with_progress(
    args: &RunArgs,
    machine: CubeMachine,
    messages: &MessageList,
) -> Result<CubeRun, Failure> {
    let superframe = u64::from(2 * args.cube.dims());
    let (all, start) = (messages.len(), Instant::now());
    let bar = Bar::new(all as u64);
    let run = machine.run_with(messages, |phases, open| {
        let superframes = phases as f64 / superframe as f64;
        let rate = superframes / start.elapsed().as_secs_f64().max(1e-9);
        let message = format!("messages, {superframes:.0} superframes, {rate:.2} a second");
        bar.at((all - open) as u64, &message);
    });
    drop(bar);
    run.map_err(|e| Failure::Failed(e.into()))
}

/// Losses that the mode permits are no failure (docs/machine.md, "Command line"): any on links
/// without answers, and those of messages whose way leads through a dead node.
/// `needless` are the others.
fn verdict(outcome: &Outcome, end: RunEnd, acked: bool, needless: u64) -> Result<(), Failure> {
    let wrong = match end {
        RunEnd::Stopped { superframes } => Some(format!(
            "stopped by Ctrl-C in superframe {}; {} messages are left",
            superframes + 1,
            outcome.unfinished
        )),
        _ if !outcome.traps.is_empty() => Some(summary::halted(outcome)),
        RunEnd::Stuck { superframes } => Some(format!(
            "no message has moved for {superframes} superframes; {} are left",
            outcome.unfinished
        )),
        RunEnd::Limit { superframes } => Some(format!(
            "{} messages are left after {superframes} superframes",
            outcome.unfinished
        )),
        RunEnd::Complete if outcome.duplicated + outcome.undetected > 0 => Some(format!(
            "{} messages were handed over twice, {} errors went undetected",
            outcome.duplicated, outcome.undetected
        )),
        RunEnd::Complete if acked && needless > 0 => Some(format!(
            "{needless} messages were lost or given up, though no node on their way is dead"
        )),
        RunEnd::Complete | RunEnd::Halted { .. } => None,
    };
    match wrong {
        Some(wrong) => Err(Failure::Failed(anyhow!(wrong))),
        None => Ok(()),
    }
}

fn outcome(args: &RunArgs, circuit: &CubeCircuit, run: &CubeRun, seconds: f64) -> Outcome {
    let arrivals = run.arrivals();
    let count =
        |wanted: fn(&MessageFate) -> bool| run.fates.iter().filter(|f| wanted(f)).count() as u64;
    let to_self = count(|f| *f == MessageFate::ToSelf);
    let nodes = u64::from(args.cube.nodes());
    Outcome {
        network: Network::Tdma.name(),
        dims: args.cube.dims(),
        nodes,
        pattern: args.traffic.pattern.to_string(),
        seed: args.traffic.seed,
        engine: args.engine.engine.name(),
        link: args.link.link.name(),
        messages: run.fates.len() as u64,
        to_self,
        delivered: arrivals.len() + to_self,
        lost: count(|f| matches!(f, MessageFate::Lost { .. })),
        duplicated: run.counters.duplicated,
        undelivered: count(|f| *f == MessageFate::Undelivered),
        unknown: count(|f| *f == MessageFate::Unknown),
        undetected: run.counters.undetected,
        unfinished: count(|f| *f == MessageFate::UnderWay),
        hops: run.counters.hops,
        superframes: run.superframes(args.cube),
        clock_cycles: run.clock_cycles,
        bit_times: run.phases * u64::from(circuit.timing().bit_times()),
        latency: Latency::of(&arrivals, "phases"),
        wire_utilisation: run.wire_utilisation(args.cube),
        retries: run.counters.retries,
        refused: run.counters.refused,
        silences: run.counters.silences,
        late: run.counters.late,
        slips: run.slips,
        clashes: run.clashes,
        traps: run.traps.clone(),
        wall_seconds: seconds,
        node_cycles_per_second: (nodes * run.clock_cycles) as f64 / seconds.max(1e-9),
        log: args.trace.then(|| merged(&run.events, &run.notes)),
    }
}
