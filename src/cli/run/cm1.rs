//! `phasecube run --network cm1`.

use super::cm1_summary;
use super::engine::engine_with;
use super::look::{self, View};
use super::outputs::Outputs;
use super::RunArgs;
use crate::cli::args::{dump, Choice, TrafficArgs};
use crate::cli::{interrupt, Failure};
use crate::engine::Observed;
use crate::machine::cm1::{Cm1End, Cm1Machine, Cm1Outcome, RunLabels};
use crate::machine::MachineCircuit;
use crate::toolchain::progress::Activity;
use crate::topology::Hypercube;
use crate::traffic::{Message, MessageList, MESSAGES_MAX};
use crate::wave::Beat;
use anyhow::anyhow;
use std::time::Instant;

/// Runs the machine and prints what became of the messages.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    refuse_what_is_tdmas(args)?;
    let outputs = Outputs::check(args)?;
    args.engine.check(args.cube.dims())?;
    args.cm1.vp_bits()?;
    look::phases(&args.look, None)?;
    let processors = args.cm1.processors(args.cube);
    let traffic = TrafficArgs {
        payload: args.cm1.payload().unwrap_or(args.traffic.payload),
        ..args.traffic.clone()
    };
    let rounds = rounds(&traffic, processors, args.cm1.vp_ratio())?;
    let job = args.cm1.job(args.cube, &rounds)?;
    let (shape, plan) = (job.circuit.shape(), job.circuit.plan());
    let beat = Beat {
        mark: "start",
        period: plan.period.into(),
        superframe: None,
    };
    let machine = (args.cube, args.engine.engine);
    let wave = outputs.wave.as_ref();
    let view = View::new(&args.look, wave, machine, (beat, None), || {
        job.circuit.array()
    })?;
    if let Some(target) = &outputs.dump {
        dump(target, &MessageList::from(&rounds[0][..]), processors)?;
    }
    let mut engine = engine_with(&args.engine, &job.circuit, view.keep())?;
    // From here on a signal ends a file as the end of the run does.
    let stop = interrupt::listen();
    let mut lookers = view.begin(&mut *engine)?;
    let mut observed = Observed::new(&mut *engine, lookers.list());
    let mut machine = Cm1Machine::new(&mut observed, shape, plan);
    machine.stop = stop.flag();
    let start = Instant::now();
    let activity = Activity::quiet("the first petit cycle");
    let all = job.messages.len();
    let run = machine.run_with(&job.messages, |petit, arrived| {
        activity.step(&format!(
            "petit cycle {petit}, {arrived} of {all} messages arrived"
        ));
    });
    drop(activity);
    let seen = lookers.finish(run.as_ref().ok().map(|run| run.petit_cycles));
    let run = run.map_err(|e| Failure::Failed(e.into()))?;
    seen?;
    let in_time = view.check_end(run.petit_cycles);
    let labels = RunLabels {
        eject: job.eject.name(),
        pattern: args.traffic.pattern.to_string(),
        seed: args.traffic.seed,
        engine: args.engine.engine.name(),
        rows: shape.rows,
        to_self: job.to_self,
        wall_seconds: start.elapsed().as_secs_f64(),
    };
    let outcome = Cm1Outcome::new(&run, plan, labels);
    outputs.report().print(&match args.output.json {
        true => serde_json::to_string(&outcome).expect("numbers and names are JSON") + "\n",
        false => cm1_summary::text(&outcome, &run),
    })?;
    match run.end {
        Cm1End::Limit { petit_cycles } if stop.is_asked() => Err(stop.failure(format!(
            "in petit cycle {petit_cycles} (counted from 0); {} messages are left",
            outcome.unfinished
        ))),
        end => verdict(&outcome, end).and(in_time),
    }
}

/// Flags that mean nothing here.
fn refuse_what_is_tdmas(args: &RunArgs) -> Result<(), Failure> {
    let disturbed = !args
        .disturbance
        .checked(args.cube, args.traffic.seed)?
        .is_none();
    let given = [
        ("--noise, --dead and --slip disturb", disturbed),
        ("--superframes counts", args.superframes.is_some()),
        ("--trace prints", args.trace),
        ("--link is for", args.link.link.is_some()),
        ("--service-order is for", args.link.service_order.is_some()),
        ("--picture draws", args.look.picture.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((what, _)) => Err(Failure::BadInput(anyhow!(
            "{what} the phases of the TDMA machine; accepted: --network tdma"
        ))),
    }
}

/// The messages of every virtual processor. What is drawn is drawn anew for
/// each, from seeds 2^32 apart.
pub(in crate::cli) fn rounds(
    traffic: &TrafficArgs,
    processors: Hypercube,
    ratio: u32,
) -> Result<Vec<Vec<Message>>, Failure> {
    if ratio > 1 && traffic.dump_traffic.is_some() {
        return Err(Failure::BadInput(anyhow!(
            "a file of messages has no virtual processors; accepted: --vp-ratio 1, or no \
             --dump-traffic"
        )));
    }
    let first = traffic.messages(processors)?;
    let messages = first.len() as u64 * u64::from(ratio);
    if messages > MESSAGES_MAX {
        return Err(Failure::BadInput(anyhow!(
            "{} for {ratio} virtual processors is {messages} messages; accepted: up to \
             {MESSAGES_MAX}",
            traffic.pattern
        )));
    }
    let round = |k: u64| {
        let traffic = TrafficArgs {
            seed: traffic.seed.wrapping_add(k << 32),
            ..traffic.clone()
        };
        traffic.messages(processors)
    };
    let others = (1..ratio.into()).map(round);
    std::iter::once(Ok(first)).chain(others).collect()
}

/// What the machine must not do.
fn verdict(outcome: &Cm1Outcome, end: Cm1End) -> Result<(), Failure> {
    let wrong = match end {
        Cm1End::Limit { petit_cycles } => Some(format!(
            "{} messages are left after {petit_cycles} petit cycles",
            outcome.unfinished
        )),
        Cm1End::Complete if outcome.lost + outcome.duplicated + outcome.undetected > 0 => {
            Some(format!(
                "{} messages were lost, {} arrived twice, {} errors went undetected",
                outcome.lost, outcome.duplicated, outcome.undetected
            ))
        }
        Cm1End::Complete => None,
    };
    match wrong {
        Some(wrong) => Err(Failure::Failed(anyhow!(wrong))),
        None => Ok(()),
    }
}
