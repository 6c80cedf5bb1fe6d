//! `phasecube run`: one machine, one traffic.

use super::args::{
    parse_cube, Choice, Engine as EngineChoice, EngineArgs, Link, LinkArgs, Network, NetworkArgs,
    OutputArgs, TrafficArgs,
};
use super::{builds, output, Failure};
use crate::engine::{Engine, EvaluatorEngine, Reference, Verilator};
use crate::lower::lower;
use crate::machine::{Fate, Latency, LinkMachine, LinkRun, Outcome, PhaseTiming};
use crate::routing::tdma::Schedule;
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::tdma;
use crate::toolchain::{Effort, Toolchain};
use crate::topology::Hypercube;
use crate::traffic::Message;
use anyhow::anyhow;
use clap::Args;
use std::fmt::Write;
use std::time::Instant;

/// Simulate one machine on one traffic and check every message
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    network: NetworkArgs,

    /// Dimensions of the cube; this version runs the 1-cube
    #[arg(long = "dims", value_name = "N", default_value = "1", value_parser = parse_cube)]
    cube: Hypercube,

    #[command(flatten)]
    traffic: TrafficArgs,

    #[command(flatten)]
    link: LinkArgs,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the machine and prints what became of the messages.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    check(args)?;
    let messages = args.traffic.messages(args.cube)?;
    let (outcome, fates) = simulate(args, &messages)?;
    output::print(&match args.output.json {
        true => serde_json::to_string(&outcome).expect("numbers and names are JSON") + "\n",
        false => summary(&outcome, &fates, &messages),
    })?;
    match outcome.delivered == outcome.messages {
        true => Ok(()),
        // Nothing disturbs the one link of a 1-cube, and no register is in the
        // way: nothing may be lost.
        false => Err(Failure::Failed(anyhow!(
            "{} of {} messages were lost",
            outcome.messages - outcome.delivered,
            outcome.messages
        ))),
    }
}

fn check(args: &RunArgs) -> Result<(), Failure> {
    if args.cube.dims() != 1 {
        return Err(Failure::BadInput(anyhow!(
            "running the {}-cube is not there yet; accepted: --dims 1",
            args.cube.dims()
        )));
    }
    if args.link.link != Link::Raw {
        return Err(Failure::BadInput(anyhow!(
            "the acked link is not there yet; accepted: --link raw"
        )));
    }
    Ok(())
}

fn simulate(args: &RunArgs, messages: &[Message]) -> Result<(Outcome, Vec<Fate>), Failure> {
    let circuit = tdma::Link::<CLOCKS_PER_BIT>::default();
    let longest = messages.iter().map(|m| m.payload.len()).max().unwrap_or(0);
    let timing = PhaseTiming::raw(CLOCKS_PER_BIT as u32, longest + 2);
    let failed = |e: anyhow::Error| Failure::Failed(e);
    let mut engine: Box<dyn Engine> = match args.engine.engine {
        EngineChoice::Reference => Box::new(Reference::new(circuit).map_err(|e| failed(e.into()))?),
        EngineChoice::Evaluator => {
            let design = lower(&circuit).map_err(|e| failed(e.into()))?;
            Box::new(EvaluatorEngine::new(&design).map_err(|e| failed(e.into()))?)
        }
        EngineChoice::Verilator => {
            let design = lower(&circuit).map_err(|e| failed(e.into()))?;
            let tools = Toolchain::open().map_err(|e| failed(e.into()))?;
            let engine = Verilator::new(&design, &tools, &builds().join("models"), Effort::Quick);
            Box::new(engine.map_err(|e| failed(e.into()))?)
        }
    };
    let start = Instant::now();
    let run = LinkMachine::new(&mut *engine, timing)
        .run(messages)
        .map_err(|e| failed(e.into()))?;
    let seconds = start.elapsed().as_secs_f64();
    let outcome = outcome(args, &run, timing, seconds);
    Ok((outcome, run.fates))
}

fn outcome(args: &RunArgs, run: &LinkRun, timing: PhaseTiming, seconds: f64) -> Outcome {
    let arrivals: Vec<u64> = run
        .fates
        .iter()
        .filter_map(|fate| match fate {
            Fate::Delivered { phase } => Some(phase + 1),
            _ => None,
        })
        .collect();
    let phases = arrivals.iter().copied().max().unwrap_or(0);
    let to_self = run.fates.iter().filter(|f| **f == Fate::ToSelf).count() as u64;
    let delivered = arrivals.len() as u64 + to_self;
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
        delivered,
        lost: run.fates.len() as u64 - delivered,
        duplicated: 0,
        undelivered: 0,
        undetected: 0,
        hops: arrivals.len() as u64,
        superframes: Schedule::new(args.cube).superframes(phases),
        clock_cycles: run.clock_cycles,
        bit_times: run.phases * u64::from(timing.bit_times()),
        latency: Latency::of_phases(arrivals),
        wire_utilisation: match phases {
            0 => 0.0,
            _ => run.frames as f64 / phases as f64,
        },
        retries: 0,
        refused: 0,
        late: 0,
        slips: 0,
        wall_seconds: seconds,
        node_cycles_per_second: (nodes * run.clock_cycles) as f64 / seconds.max(1e-9),
    }
}

fn summary(outcome: &Outcome, fates: &[Fate], messages: &[Message]) -> String {
    let mut text = String::new();
    let mut line = |args: std::fmt::Arguments| {
        let _ = writeln!(text, "{args}");
    };
    line(format_args!(
        "{}-cube, {} link, {} engine: {} of {} messages delivered, every byte compared",
        outcome.dims, outcome.link, outcome.engine, outcome.delivered, outcome.messages
    ));
    line(format_args!(
        "{} superframes, {} clock cycles, {} bit-times; {:.0} % of the phases carried a frame",
        outcome.superframes,
        outcome.clock_cycles,
        outcome.bit_times,
        100.0 * outcome.wire_utilisation
    ));
    let l = outcome.latency;
    line(format_args!(
        "latency in {}: min {}, median {}, 99 % {}, max {}",
        l.unit, l.min, l.p50, l.p99, l.max
    ));
    line(format_args!(
        "{:.2} million node-cycles per second",
        outcome.node_cycles_per_second / 1e6
    ));
    for (message, fate) in messages.iter().zip(fates) {
        if let Fate::Lost { why } = fate {
            line(format_args!(
                "lost: {:#x} to {:#x}: {why}",
                message.source, message.destination
            ));
        }
    }
    text
}
