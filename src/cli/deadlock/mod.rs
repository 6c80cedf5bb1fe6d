//! `phasecube deadlock`: the channel dependency graph of a network.

mod lists;
mod search;

use super::args::{dump, NetworkArgs};
use super::files::Target;
use super::output::Report as Place;
use super::run::held;
use super::{builds, Failure};
use crate::counted::counted;
use crate::flags::{parse_machine, EngineFlags, OutputFile, OutputFlags};
use crate::networks::{Network, Networks, Purpose, Request, Waiting};
use crate::routing::dependencies::{judge, Filling, Holder, Verdict};
use crate::routing::{Channel, Relation};
use crate::topology::{Addresses, Hypercube};
use crate::traffic::{ExchangeOrder, Pattern, Recipe};
use anyhow::anyhow;
use clap::Args;
use search::{message_list, Bench, Extent, Outcome};
use serde::Serialize;
use std::fmt::Write;

/// Most channels of an order, and most messages, that are printed.
const SHOWN: usize = 24;

/// Source and destination of a message.
type Ends = [u32; 2];

/// Say whether messages of a network can wait for each other in a circle
///
/// Prints an order of the channels in which each message waits for later ones only, or the
/// shortest cycle and messages that fill it.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube deadlock --network tdma --dims 6")]
pub struct DeadlockArgs {
    #[command(flatten)]
    network: NetworkArgs,

    /// The machine has 2^N nodes, 1 to 12
    #[arg(long = "dims", value_name = "N", default_value = "3", value_parser = parse_machine,
          help_heading = "Machine")]
    cube: Hypercube,

    /// Run the messages that fill a cycle on the circuit. If they arrive, search a list of
    /// messages that deadlocks it
    #[arg(long)]
    confirm: bool,

    /// Write the messages that fill a cycle, with --confirm those that deadlock the circuit, to a
    /// CSV file, which the pattern file:PATH of `run` reads back; - for standard output
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Output",
        conflicts_with = "json"
    )]
    dump_traffic: Option<OutputFile>,

    #[command(flatten)]
    engine: EngineFlags,

    #[command(flatten)]
    output: OutputFlags,
}

/// Output of `--json`.
#[derive(Serialize)]
struct Report {
    network: &'static str,
    topology: String,
    acyclic: bool,
    /// Order of the channels, or the cycle.
    channels: Vec<String>,
    /// Source and destination of the messages that deadlock the circuit. Without such messages,
    /// those that fill the cycle in the graph, if there are any.
    messages: Option<Vec<Ends>>,
    /// With `--confirm`: whether the circuit deadlocked.
    stands_still: Option<bool>,
    /// With `--confirm`: number of lists tried, and messages in the longest.
    lists_tried: Option<usize>,
    longest_list: Option<usize>,
}

/// Result of `--confirm`.
struct Confirmed {
    /// Result of the list that deadlocks the circuit, or else of the one that fills the cycle in
    /// the graph.
    outcome: Outcome,
    tried: Extent,
}

/// Prints the verdict, and with `--confirm` the behaviour of the circuit.
pub fn deadlock(args: &DeadlockArgs, networks: &Networks) -> Result<(), Failure> {
    let network = networks.chosen(args.network.word())?;
    let flags = &args.network.flags.0;
    networks.refuse_foreign(&[network], Purpose::Run, flags)?;
    let waiting = network.waiting(args.cube.dims().into(), flags)?;
    let relation = &*waiting.relation;
    if args.confirm {
        args.engine.engine.check(relation.topology())?;
    }
    let target = Target::given("--dump-traffic", args.dump_traffic.as_ref())?;
    let verdict = judge(relation, waiting.holding).map_err(|e| Failure::Failed(e.into()))?;
    let filling = filling(&verdict);
    let confirmed = match (&filling, args.confirm) {
        (Some(filling), true) => Some(confirm(args, network, &waiting, &verdict, filling)?),
        _ => None,
    };
    let messages = match &confirmed {
        Some(confirmed) => Some(&confirmed.outcome.list),
        None => filling.as_ref(),
    };
    let mut text = words(relation, &verdict);
    text += &match (&confirmed, &filling) {
        (Some(confirmed), _) => seen(&waiting, confirmed),
        (None, Some(filling)) => in_the_graph(&waiting, filling),
        (None, None) if args.confirm => {
            "There is nothing to confirm: no messages are known that fill a cycle.\n".to_owned()
        }
        (None, None) => String::new(),
    };
    if let Some(target) = &target {
        match messages {
            Some(messages) => {
                let nodes = Addresses::new(relation.topology().nodes().into());
                let nodes = nodes.map_err(|e| Failure::Failed(e.into()))?;
                dump(target, &message_list(messages), nodes)?;
            }
            None => text += "There are no messages to write, and none were written.\n",
        }
    }
    Place::beside([&target]).print(&match args.output.json {
        true => {
            let report = report(network, relation, &verdict, messages, confirmed.as_ref());
            serde_json::to_string(&report).expect("numbers and names are JSON") + "\n"
        }
        false => text,
    })?;
    match confirmed {
        Some(confirmed) if confirmed.outcome.is_deadlock() => Err(Failure::Failed(anyhow!(
            "the machine deadlocks: its messages wait for each other"
        ))),
        Some(confirmed) if waiting.way_out.is_none() => {
            Err(Failure::Failed(anyhow!("{}", not_found(confirmed.tried))))
        }
        _ => Ok(()),
    }
}

/// Formats the verdict as text.
fn words(relation: &dyn Relation, verdict: &Verdict) -> String {
    let names = |channels: &[Channel]| -> Vec<String> {
        channels.iter().map(|c| relation.channel_name(*c)).collect()
    };
    let topology = relation.topology().name();
    match verdict {
        Verdict::Acyclic { order } => {
            let names = names(order);
            let more = match names.len().saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!("\n  and {more} more (--json has all)"),
            };
            let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
            format!(
                "{topology}: no deadlock. Of {} channels none waits for one before it in this \
                 order:\n  {}{more}\n",
                names.len(),
                shown.join("\n  ")
            )
        }
        Verdict::Cyclic {
            cycle,
            filling,
            adaptive,
        } => {
            let text = format!(
                "{topology}: {} channels wait for each other in a circle:\n  {}\n",
                cycle.len(),
                names(cycle).join("\n  ")
            );
            text + match (filling, adaptive) {
                (Filling::By(_), _) => "",
                (Filling::No, false) => {
                    "No messages can fill it: a cycle of the graph, and no deadlock in it.\n"
                }
                (Filling::No, true) => {
                    "No messages fill it alone; where messages have a choice, this is a warning \
                     at most.\n"
                }
                (Filling::Unknown, _) => "Whether messages can fill it was not found out.\n",
            }
        }
    }
}

/// Formats the messages that fill the cycle in the graph. If the network declares why it still does
/// not deadlock, adds that reason.
fn in_the_graph(waiting: &Waiting, filling: &[Ends]) -> String {
    let what = "Each sent when those before it have come to rest, these messages hold all of its \
                channels:\n";
    let text = what.to_owned() + &listed(&*waiting.relation, filling);
    text + &waiting
        .way_out
        .map_or(String::new(), |way_out| way_out.to_owned() + "\n")
}

/// Formats messages, one per line.
fn listed(relation: &dyn Relation, messages: &[Ends]) -> String {
    let mut text = String::new();
    for ends in messages.iter().take(SHOWN) {
        let [source, destination] = ends.map(|node| relation.topology().node_name(node));
        let _ = writeln!(text, "  {source} -> {destination}");
    }
    match messages.len().saturating_sub(SHOWN) {
        0 => text,
        more => text + &format!("  and {more} more (--json has all)\n"),
    }
}

/// Returns the messages that fill the cycle in the graph, if there are any.
fn filling(verdict: &Verdict) -> Option<Vec<Ends>> {
    let ends = |holder: &Holder| [holder.source, holder.destination];
    match verdict {
        Verdict::Cyclic {
            filling: Filling::By(holders),
            ..
        } => Some(holders.iter().map(ends).collect()),
        _ => None,
    }
}

/// Runs the messages that fill the cycle in the graph on the circuit. If they all arrive, searches
/// other lists. A network that can resolve its cycles has no such lists.
fn confirm(
    args: &DeadlockArgs,
    network: &'static dyn Network,
    waiting: &Waiting,
    verdict: &Verdict,
    filling: &[Ends],
) -> Result<Confirmed, Failure> {
    let recipe = Recipe {
        pattern: Pattern::Permutation,
        seed: 1,
        payload: 0,
        order: ExchangeOrder::default(),
    };
    let mut job = network.job(&Request {
        cube: args.cube,
        recipe,
        list: Some(message_list(filling)),
        programs: None,
        dumps: false,
        flags: &args.network.flags.0,
    })?;
    job.machine.prepare(&builds())?;
    let mut bench = Bench::new(&job, &args.engine);
    let outcome = bench.run(filling)?;
    let mut confirmed = Confirmed {
        tried: bench.extent,
        outcome,
    };
    let (Verdict::Cyclic { cycle, .. }, None) = (verdict, waiting.way_out) else {
        return Ok(confirmed);
    };
    if !confirmed.outcome.is_deadlock() {
        let found = bench.search(&*waiting.relation, cycle, filling)?;
        confirmed.tried = bench.extent;
        confirmed.outcome = found.unwrap_or(confirmed.outcome);
    }
    Ok(confirmed)
}

/// Formats the behaviour of the circuit.
fn seen(waiting: &Waiting, confirmed: &Confirmed) -> String {
    let relation = &*waiting.relation;
    let Outcome { list, ran, account } = &confirmed.outcome;
    let (all, clock_cycles) = (list.len(), ran.clock_cycles);
    let arrived = account.count(|fate| fate.arrived().is_some());
    if confirmed.outcome.is_deadlock() {
        let mut text = "These messages fill it:\n".to_owned() + &listed(relation, list);
        let _ = writeln!(
            text,
            "On the circuit {arrived} of {all} messages arrive, and after {clock_cycles} clock \
             cycles nothing moves any more."
        );
        return text + &held(relation, account);
    }
    let mut text = in_the_graph(waiting, list);
    let _ = writeln!(
        text,
        "On the circuit {arrived} of {all} messages arrive, and after {clock_cycles} clock cycles \
         the run is over."
    );
    match waiting.way_out {
        Some(_) => text,
        None => text + &format!("It is {}.\n", not_found(confirmed.tried)),
    }
}

/// Formats the result of a search that found no deadlock, with its extent.
fn not_found(tried: Extent) -> String {
    format!(
        "cyclic in the dependency graph; no deadlocking list found: {} of up to {} were run on the \
         circuit, and none deadlocks it",
        counted(tried.lists, "list"),
        counted(tried.longest, "message")
    )
}

fn report(
    network: &'static dyn Network,
    relation: &dyn Relation,
    verdict: &Verdict,
    messages: Option<&Vec<Ends>>,
    confirmed: Option<&Confirmed>,
) -> Report {
    let (acyclic, channels) = match verdict {
        Verdict::Acyclic { order } => (true, order),
        Verdict::Cyclic { cycle, .. } => (false, cycle),
    };
    let names = channels.iter().map(|c| relation.channel_name(*c));
    Report {
        network: network.name(),
        topology: relation.topology().name(),
        acyclic,
        channels: names.collect(),
        messages: messages.cloned(),
        stands_still: confirmed.map(|confirmed| confirmed.outcome.is_deadlock()),
        lists_tried: confirmed.map(|confirmed| confirmed.tried.lists),
        longest_list: confirmed.map(|confirmed| confirmed.tried.longest),
    }
}
