//! `phasecube deadlock`: the channel dependency graph of a network.

use super::args::{dump, NetworkArgs};
use super::files::Target;
use super::output::Report as Place;
use super::run::{held, to_its_end};
use super::Failure;
use crate::flags::{parse_machine, EngineFlags, OutputFile, OutputFlags};
use crate::machine::{Account, End, Ran};
use crate::networks::{Network, Networks, Purpose, Request};
use crate::routing::dependencies::{judge, Filling, Holder, Verdict};
use crate::routing::{Channel, Relation};
use crate::topology::{Addresses, Hypercube};
use crate::traffic::{ExchangeOrder, Message, MessageList, Pattern, Recipe};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use std::fmt::Write;

/// Channels of an order that are printed, at most.
const SHOWN: usize = 24;

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

    /// Run the messages that fill a cycle on the circuit, until it stands still
    #[arg(long)]
    confirm: bool,

    /// Write the messages that fill a cycle to a CSV file, which the pattern file:PATH of `run`
    /// reads back; - for standard output
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

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    network: &'static str,
    topology: String,
    acyclic: bool,
    /// The order of the channels, or the cycle.
    channels: Vec<String>,
    /// Source and destination of the messages that fill the cycle, if some do.
    messages: Option<Vec<[u32; 2]>>,
    /// Of `--confirm`: whether the circuit stood still.
    stands_still: Option<bool>,
}

/// Prints the verdict, and with `--confirm` what the circuit does.
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
    let mut text = words(relation, &verdict);
    if let (Verdict::Cyclic { .. }, Some(way_out)) = (&verdict, waiting.way_out) {
        let _ = writeln!(text, "{way_out}");
    }
    let messages = messages(&verdict);
    let list = messages.as_deref().map(list);
    if let Some(target) = &target {
        match &list {
            Some(list) => {
                let nodes = Addresses::new(relation.topology().nodes().into());
                dump(target, list, nodes.map_err(|e| Failure::Failed(e.into()))?)?;
            }
            None => text += "There are no messages to write, and none were written.\n",
        }
    }
    let confirmed = match (list, args.confirm) {
        (Some(list), true) => {
            let all = list.len();
            let (ran, account) = confirm(args, network, list)?;
            text += &seen(relation, all, ran, &account);
            Some(matches!(ran.end, End::Stuck { .. }))
        }
        (None, true) => {
            text += "There is nothing to confirm: no messages can be told that stand still.\n";
            None
        }
        (_, false) => None,
    };
    Place::beside([&target]).print(&match args.output.json {
        true => {
            let report = report(network, relation, &verdict, messages.as_ref(), confirmed);
            serde_json::to_string(&report).expect("numbers and names are JSON") + "\n"
        }
        false => text,
    })?;
    match confirmed {
        Some(false) if waiting.way_out.is_some() => Ok(()),
        Some(true) => Err(Failure::Failed(anyhow!(
            "the machine stands still: its messages wait for each other"
        ))),
        Some(false) => Err(Failure::Failed(anyhow!(
            "the messages that should fill the cycle did not stand still"
        ))),
        None => Ok(()),
    }
}

/// The verdict in words.
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
            let mut text = format!(
                "{topology}: {} channels wait for each other in a circle:\n  {}\n",
                cycle.len(),
                names(cycle).join("\n  ")
            );
            text += match (filling, adaptive) {
                (Filling::By(_), _) => "These messages fill it:\n",
                (Filling::No, false) => {
                    "No messages can fill it: a cycle of the graph, and no deadlock in it.\n"
                }
                (Filling::No, true) => {
                    "No messages fill it alone; where messages have a choice, this is a warning \
                     at most.\n"
                }
                (Filling::Unknown, _) => "Whether messages can fill it was not found out.\n",
            };
            if let Filling::By(holders) = filling {
                for holder in holders {
                    let name = |node| relation.topology().node_name(node);
                    let _ = writeln!(
                        text,
                        "  {} -> {}",
                        name(holder.source),
                        name(holder.destination)
                    );
                }
            }
            text
        }
    }
}

/// The messages that fill the cycle, if there is one and some do.
fn messages(verdict: &Verdict) -> Option<Vec<[u32; 2]>> {
    let ends = |holder: &Holder| [holder.source, holder.destination];
    match verdict {
        Verdict::Cyclic {
            filling: Filling::By(holders),
            ..
        } => Some(holders.iter().map(ends).collect()),
        _ => None,
    }
}

/// Messages between these nodes, each with a payload of its own.
fn list(ends: &[[u32; 2]]) -> MessageList {
    let mut messages = MessageList::default();
    for (number, [source, destination]) in (0u32..).zip(ends) {
        messages.push(Message {
            source: *source,
            destination: *destination,
            payload: &number.to_le_bytes(),
        });
    }
    messages
}

/// Runs these messages on the circuit.
fn confirm(
    args: &DeadlockArgs,
    network: &'static dyn Network,
    messages: MessageList,
) -> Result<(Ran, Account), Failure> {
    let recipe = Recipe {
        pattern: Pattern::Permutation,
        seed: 1,
        payload: 0,
        order: ExchangeOrder::default(),
    };
    let job = network.job(&Request {
        cube: args.cube,
        recipe,
        list: Some(messages),
        programs: None,
        dumps: false,
        flags: &args.network.flags.0,
    })?;
    to_its_end(job, &args.engine)
}

/// What the circuit did with the messages.
fn seen(relation: &dyn Relation, messages: usize, ran: Ran, account: &Account) -> String {
    let arrived = account.count(|fate| fate.arrived().is_some());
    let mut text = format!(
        "On the circuit {arrived} of {} messages arrive, and after {} clock cycles {}.\n",
        messages,
        ran.clock_cycles,
        match ran.end {
            End::Stuck { .. } => "nothing moves any more",
            _ => "the run is over",
        }
    );
    text += &held(relation, account);
    text
}

fn report(
    network: &'static dyn Network,
    relation: &dyn Relation,
    verdict: &Verdict,
    messages: Option<&Vec<[u32; 2]>>,
    stands_still: Option<bool>,
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
        stands_still,
    }
}
