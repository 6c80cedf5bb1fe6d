//! `phasecube run`: runs one machine on one traffic.

mod lines;
mod look;
mod outputs;
mod picture;
mod programs;
mod summary;

use super::args::{dump, DataArgs, LookArgs, NetworkArgs, TrafficArgs};
use super::{builds, interrupt, Failure};
use crate::counted::counted;
use crate::engine::{NodeEngine, Observed, Observer};
use crate::flags::{parse_machine, Choice, EngineFlags, OutputFlags, MACHINE_DIMS_MAX};
use crate::machine::{
    drive, merged, Account, Control, End, Held, Labels, Load, Outcome, Programs, Ran,
};
use crate::networks::{Job, Machine, Networks, Purpose, Request};
use crate::routing::Relation;
use crate::toolchain::progress::{self, Bar};
use crate::topology::Hypercube;
use crate::traffic::MessageList;
use anyhow::anyhow;
use clap::Args;
use lockstep::lanes::Keep;
use look::View;
use outputs::Outputs;
use programs::Task;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Instant;

/// Most messages that the report of a stalled machine lists.
const HELD: usize = 16;

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
        value_parser = parse_machine,
        help = format!("The machine has 2^N nodes: those of an N-cube; 1 to {MACHINE_DIMS_MAX}")
    )]
    cube: Hypercube,

    #[command(flatten)]
    traffic: TrafficArgs,

    #[command(flatten)]
    engine: EngineFlags,

    /// Print the event log: who sent what to whom, step by step
    #[arg(long, help_heading = "Looking inside")]
    trace: bool,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    output: OutputFlags,
}

/// Runs the machine and prints the outcome of the messages.
pub fn run(args: &RunArgs, networks: &Networks) -> Result<(), Failure> {
    let network = networks.chosen(args.network.word())?;
    let flags = &args.network.flags.0;
    networks.refuse_foreign(&[network], Purpose::Run, flags)?;
    let outputs = Outputs::check(args)?;
    let programs = args.data.data.as_ref().map(|_| args.traffic.payload);
    let mut job = network.job(&Request {
        cube: args.cube,
        recipe: args.traffic.recipe()?,
        list: programs.map(|_| MessageList::default()),
        programs,
        dumps: outputs.dump.is_some(),
        flags,
    })?;
    args.engine.engine.check(job.machine.circuit().topology())?;
    picture::check(&args.look, &job)?;
    let task = Task::new(args, job.addresses)?;
    let view_of = |machine: &dyn Machine| {
        let of = (machine.subject(), args.engine.engine);
        let array = || machine.circuit().array();
        View::new(&args.look, outputs.wave.as_ref(), of, array)
    };
    // All invalid input is reported before a compiler is fetched for a program.
    view_of(&*job.machine)?;
    if let Some(what) = job.machine.prepare(&builds())? {
        progress::note(&what);
    }
    if task.is_none() {
        programs::check_is_router(&*job.machine)?;
    }
    let view = view_of(&*job.machine)?;
    if let Some(target) = &outputs.dump {
        dump(target, &job.messages, job.addresses)?;
    }
    let circuit = job.machine.circuit();
    let mut engine =
        args.engine
            .start(circuit, keep(view.keep(), job.machine.watched()), &builds())?;
    // From here on a signal ends the files as the end of the run does.
    let stop = interrupt::listen();
    let mut lookers = view.begin(&mut *engine)?;
    let mut studies = job.machine.studies(&mut *engine);
    let start = Instant::now();
    let keep_events = args.trace || args.look.picture.is_some();
    let mut observers = lookers.list();
    observers.extend(studies.iter_mut().map(|s| &mut **s as &mut dyn Observer));
    let load = load(&job, keep_events, task.as_ref());
    let ran = match observers.is_empty() {
        true => simulate(&job, load, &mut *engine, stop.flag()),
        false => {
            let mut observed = Observed::new(&mut *engine, observers);
            simulate(&job, load, &mut observed, stop.flag())
        }
    };
    let seen = lookers.finish(ran.as_ref().ok().map(|(ran, _)| ran.steps));
    let ((ran, account), seen) = (ran?, seen?);
    let wall_seconds = start.elapsed().as_secs_f64();
    let in_time = view.check_end(ran.steps);
    if in_time.is_ok() {
        picture::draw(
            &args.look,
            outputs.picture.as_ref(),
            &view,
            (&job, &account),
        )?;
    }
    let remark = job.remark.iter().map(|remark| remark.line.clone() + "\n");
    let studied = studies.into_iter().map(|s| s.text(&account));
    let studied: Vec<String> = remark.chain(studied).collect();
    let labels = Labels {
        network: network.name(),
        nodes: job.machine.circuit().topology().nodes().into(),
        settings: job
            .machine
            .settings()
            .into_iter()
            .chain(job.remark.iter().flat_map(|remark| remark.entries.clone()))
            .collect(),
        pattern: match &args.data.data {
            Some(data) => format!("data:{}", data.display()),
            None => {
                let own = job.pattern.as_ref();
                own.unwrap_or(&args.traffic.pattern).to_string()
            }
        },
        seed: args.traffic.seed,
        engine: args.engine.engine.name(),
        to_self: job.messages.iter().filter(|m| m.is_to_self()).count() as u64,
        wall_seconds,
    };
    let mut outcome = Outcome::new(labels, account, ran, job.machine.timebase());
    let verdict_of = |(task, programs): (&Task, &Programs)| task.verdict(programs);
    let returned = outcome.account.programs.clone();
    let judged = task.as_ref().zip(returned.as_ref()).map(verdict_of);
    let judged = returned.as_ref().zip(judged.as_ref());
    if let (Some(target), Some((programs, _))) = (&outputs.results, judged) {
        programs::write(target, programs, job.addresses)?;
    }
    outputs.report().print(&match args.output.json {
        true => {
            let account = &outcome.account;
            outcome.log = args.trace.then(|| merged(&account.events, &account.notes));
            outcome.check = judged.and_then(|(_, verdict)| verdict.json());
            serde_json::to_string(&outcome).expect("numbers and names are JSON") + "\n"
        }
        false => {
            let text = match judged {
                None => summary::text(&job, &outcome, args.trace),
                Some(judged) => programs::text((&*job.machine, job.addresses), &outcome, judged),
            };
            seen + &text + &studied.concat()
        }
    })?;
    if let End::Stopped { .. } = outcome.end {
        let timebase = outcome.timebase;
        return Err(stop.failure(format!(
            "in {} {} (counted from 0); {}",
            timebase.period_name,
            ran.steps / timebase.steps(),
            match judged {
                None => summary::left(outcome.unfinished()),
                Some((programs, _)) => format!(
                    "{} of {} programs have not ended",
                    programs.left(),
                    programs.exits.len()
                ),
            }
        )));
    }
    let stuck = matches!(outcome.end, End::Stuck { .. }) && !outcome.account.held.is_empty();
    if stuck && !args.output.json {
        let waiting = network.waiting(args.cube.dims().into(), flags)?;
        outputs
            .report()
            .print(&held(&*waiting.relation, &outcome.account))?;
    }
    match judged {
        None => verdict(&outcome)?,
        Some((programs, judged)) => {
            if let Some(wrong) = judged.failure(&outcome, programs) {
                return Err(Failure::Failed(anyhow!(wrong)));
            }
        }
    }
    in_time?;
    match job.machine.unmet(ran.steps) {
        Some(unmet) => Err(Failure::BadInput(anyhow!(unmet))),
        None => Ok(()),
    }
}

/// Signals that the lockstep engine keeps: the requested ones and the ones that studies observe.
fn keep(kept: Keep, watched: Vec<String>) -> Keep {
    match kept {
        Keep::Outputs if !watched.is_empty() => Keep::Named(watched),
        Keep::Named(names) => Keep::Named([names, watched].concat()),
        kept => kept,
    }
}

/// Returns the load of a job, with the data of its programs, if any.
fn load(job: &Job, keep_events: bool, task: Option<&Task>) -> Load {
    Load {
        keep_events,
        created: job.created.clone(),
        messages: job.messages.clone(),
        data: task.map(|task| task.data.clone()),
    }
}

/// Formats where the messages of a stalled machine are, and which channels they wait for.
pub(super) fn held(relation: &dyn Relation, account: &Account) -> String {
    let topology = relation.topology();
    let mut text = String::new();
    for Held {
        channel,
        destination,
    } in account.held.iter().take(HELD)
    {
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
    match account.held.len().saturating_sub(HELD) {
        0 => text,
        more => text + &format!("  and {more} more\n"),
    }
}

/// Runs the machine and reports progress from time to time.
fn simulate(
    job: &Job,
    load: Load,
    engine: &mut dyn NodeEngine,
    stop: Arc<AtomicBool>,
) -> Result<(Ran, Account), Failure> {
    let machine = &*job.machine;
    let timebase = machine.timebase();
    let (all, what) = match &load.data {
        None => (job.messages.len(), "messages"),
        Some(_) => (job.addresses.nodes() as usize, "programs"),
    };
    let mut driver = machine.driver(engine, load)?;
    let start = Instant::now();
    let bar = Bar::new(all as u64);
    let mut progress = |steps: u64, open: usize| {
        let periods = steps as f64 / timebase.steps() as f64;
        let rate = periods / start.elapsed().as_secs_f64().max(1e-9);
        let message = format!(
            "{what}, {periods:.0} {}s, {rate:.2} a second",
            timebase.period_name
        );
        bar.at((all - open) as u64, &message);
    };
    let control = Control {
        period: timebase.steps(),
        stuck_after: machine.stuck_after(),
        limit: job.limit.unwrap_or(u64::MAX),
        stop,
        progress: &mut progress,
        tell: &mut |line| progress::note(line),
    };
    let ran = drive(&mut *driver, control);
    drop(bar);
    let ran = ran.map_err(|e| Failure::Failed(e.into()))?;
    Ok((ran, driver.account(&ran)))
}

/// Returns the exit status. Losses that the mode permits are no failure (docs/command-line.md).
fn verdict(outcome: &Outcome) -> Result<(), Failure> {
    let (account, left) = (&outcome.account, outcome.unfinished());
    let period = outcome.timebase.period_name;
    let wrong = match outcome.end {
        _ if !account.traps.is_empty() => Some(summary::halted(outcome)),
        End::Stuck { periods } => Some(format!(
            "no message has moved for {}; {}",
            counted(periods, period),
            summary::left(left)
        )),
        End::Livelock { periods } => Some(format!(
            "messages move, but none has arrived or been given up for {}: a livelock; {}",
            counted(periods, period),
            summary::left(left)
        )),
        End::Limit { periods } => Some(format!(
            "{} after {}",
            summary::left(left),
            counted(periods, period)
        )),
        End::Complete if account.duplicated + account.undetected > 0 => Some(format!(
            "{} handed over twice, {} undetected",
            counted(account.duplicated, "message"),
            counted(account.undetected, "error")
        )),
        End::Complete if account.unexcused > 0 => {
            let (was, its) = match account.unexcused {
                1 => ("was", "its"),
                _ => ("were", "their"),
            };
            Some(format!(
                "{} {was} lost or given up, though no node on {its} way is dead",
                counted(account.unexcused, "message")
            ))
        }
        End::Complete | End::Stopped { .. } | End::Halted { .. } => None,
    };
    match wrong {
        Some(wrong) => Err(Failure::Failed(anyhow!(wrong))),
        None => Ok(()),
    }
}
