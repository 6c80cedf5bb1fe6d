//! `phasecube run`: one machine, one traffic.

mod cm1;
mod cm1_summary;
mod disturbed;
mod engine;
mod lines;
mod look;
mod outputs;
mod picture;
mod summary;

use super::args::{
    dump, parse_machine, within, Choice, Cm1Args, EngineArgs, Link, LinkArgs, LookArgs, Network,
    NetworkArgs, OutputArgs, TrafficArgs,
};
use super::{builds, interrupt, Failure};
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
use look::View;
use outputs::Outputs;
use std::time::Instant;

/// Heading of the flags for programs.
const PROGRAM: &str = "Nodes that run a program";

/// Simulate one machine on one traffic and check every message
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube run --dims 4 --pattern bitrev --trace\n  phasecube run --dims 3 --wave w.fst --watch 'node[0x5].uart.*'\n  phasecube run --network cm1 --dims 6 --pattern random"
)]
pub struct RunArgs {
    #[command(flatten)]
    network: NetworkArgs,

    #[arg(
        long = "dims",
        value_name = "N",
        default_value = "3",
        help_heading = "Machine",
        value_parser = parse_machine,
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

    /// End the run after so many superframes, whatever is still under way
    #[arg(long, value_name = "N", help_heading = "Simulation", value_parser = within::<u64>(1, u32::MAX.into()))]
    superframes: Option<u64>,

    /// Print the event log: who sent what to whom, phase by phase
    #[arg(long, help_heading = "Looking inside")]
    trace: bool,

    /// Nodes that run a program instead of a forwarder: route, an ELF file, or a C file (.c)
    #[arg(long, value_name = "PROGRAM", help_heading = PROGRAM)]
    firmware: Option<String>,

    /// Bit-times of the service window, in which the programs decide; 1 to 4000; by default what route needs
    #[arg(long, value_name = "BITS", requires = "firmware", help_heading = PROGRAM, value_parser = within::<u32>(1, 4000))]
    service: Option<u32>,

    /// Show what the cores do with their time
    #[arg(long, requires = "firmware", help_heading = PROGRAM)]
    profile: bool,

    #[command(flatten)]
    cm1: Cm1Args,

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
    let outputs = Outputs::check(args)?;
    let disturbance = args.disturbance.checked(args.cube, args.traffic.seed)?;
    args.engine.check(args.cube.dims())?;
    let superframe = u64::from(2 * args.cube.dims());
    look::phases(&args.look, Some(superframe))?;
    let messages = args.traffic.list(args.cube)?;
    picture::check(&args.look, &messages)?;
    let acked = args.link.link() == Link::Acked;
    let circuit = CubeCircuit::new(args.cube, messages.longest(), acked);
    let circuit = circuit.expect("the dimensions were checked");
    let circuit = circuit.with_order(args.link.service_order());
    let view_of = |circuit: &CubeCircuit| {
        let beat = Beat {
            mark: "phase_clock",
            period: circuit.timing().clock_cycles().into(),
            superframe: Some(superframe),
        };
        let time = (beat, Some(circuit.timing()));
        let machine = (args.cube, args.engine.engine);
        let wave = outputs.wave.as_ref();
        View::new(&args.look, wave, machine, time, || circuit.array())
    };
    let circuit = match &args.firmware {
        Some(firmware) => {
            // What there is to see does not depend on the program, which may need a
            // compiler that is to be fetched.
            view_of(&circuit.clone().with_program(&Firmware::default()))?;
            with_program(args, circuit, firmware)?
        }
        None => circuit,
    };
    let view = view_of(&circuit)?;
    if let Some(target) = &outputs.dump {
        dump(target, &messages, args.cube)?;
    }
    let mut engine = engine_with(&args.engine, &circuit, view.keep())?;
    // From here on a signal ends a file as the end of the run does.
    let stop = interrupt::listen();
    let mut lookers = view.begin(&mut *engine)?;
    let start = Instant::now();
    let simulate = |engine: &mut dyn NodeEngine| {
        let mut machine =
            CubeMachine::new(engine, args.cube, circuit.timing(), disturbance.clone());
        machine.limit = args.superframes.unwrap_or(u64::MAX);
        machine.keep_events = args.trace || args.look.picture.is_some();
        machine.stop = stop.flag();
        with_progress(args, machine, &messages)
    };
    let mut profiler = args.profile.then(|| Profiler::new(&mut *engine));
    let mut observers = lookers.list();
    observers.extend(profiler.as_mut().map(|p| p as &mut dyn Observer));
    let run = match observers.is_empty() {
        true => simulate(&mut *engine),
        false => simulate(&mut Observed::new(&mut *engine, observers)),
    };
    let seen = lookers.finish(run.as_ref().ok().map(|run| run.phases));
    let (run, seen) = (run?, seen?);
    let in_time = view.check_end(run.phases);
    if in_time.is_ok() {
        let happened = (args.cube, &messages, &run.events[..]);
        picture::draw(
            &args.look,
            outputs.picture.as_ref(),
            happened,
            view.superframe(),
        )?;
    }
    let profile = profiler.map_or(String::new(), |profiler| {
        let window = circuit.timing().window();
        profile_text(args.cube, &profiler.into_cores(), &run.traps, window)
    });
    let outcome = outcome(args, &circuit, &run, start.elapsed().as_secs_f64());
    outputs.report().print(&match args.output.json {
        true => serde_json::to_string(&outcome).expect("numbers and names are JSON") + "\n",
        false => seen + &summary::text(args.cube, &outcome, &run, &messages, args.trace) + &profile,
    })?;
    if let RunEnd::Stopped { .. } = run.end {
        let (in_superframe, left) = (run.phases / superframe, outcome.unfinished);
        return Err(stop.failure(format!(
            "in superframe {in_superframe} (counted from 0); {left} messages are left"
        )));
    }
    let needless = run.needless_losses(args.cube, &messages, &disturbance);
    verdict(&outcome, run.end, acked, needless)?;
    in_time?;
    args.disturbance.check_end(run.phases)
}

/// The machine with a program in its nodes.
fn with_program(
    args: &RunArgs,
    circuit: CubeCircuit,
    firmware: &str,
) -> Result<CubeCircuit, Failure> {
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
        RunEnd::Complete | RunEnd::Stopped { .. } | RunEnd::Halted { .. } => None,
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
        link: args.link.link().name(),
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
