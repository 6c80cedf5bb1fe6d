//! `phasecube deadlock`: the channel dependency graph of a network.

mod own;

use super::args::{write_messages, NetworkArgs};
use super::files::OutputTarget;
use super::output::Report as Place;
use super::run::held_messages_text;
use super::{build_dir, CliError};
use crate::cli::interrupt;
use anyhow::anyhow;
use clap::Args;
use interconnect::routing::dependencies::{
    check_deadlock, DeadlockVerdict, EscapeVerdict, Filling, Holder,
};
use interconnect::routing::{Channel, Relation};
use interconnect::topology::{AddressSpace, Hypercube};
use interconnect::traffic::{
    ExchangeOrder, Message, MessageList, Recipe, SplitMix64, TrafficPattern,
};
use lockstep::lanes::Keep;
use machine::flags::{parse_cube, EngineFlags, OutputFile, OutputFlags};
use machine::networks::{
    DeadlockModel, Machine, MachineJob, Network, Networks, Purpose, RunRequest,
};
use machine::text::format_count;
use machine::{drive, EndReason, Load, RunControl, RunStats};
use own::{
    escape_report, escape_text, escape_verdict, is_deadlock_free, relation_error, EscapeReport,
    Evidence, OwnNetworkArgs,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use toolchain::progress::ProgressStep;

/// Most channels of an order, and most messages, that are printed.
const PRINTED_MAX: usize = 24;

/// Source and destination of a message.
type Ends = [u32; 2];

/// Check whether messages of a network can wait for each other in a cycle
///
/// Prints an order of the channels in which each message waits only for later channels, or the
/// shortest cycle and messages that fill it.
#[derive(Clone, Debug, Args)]
pub struct DeadlockArgs {
    #[command(flatten)]
    network: NetworkArgs,

    /// Dimensions N, 1 to 16: the machine has 2^N nodes
    #[arg(long = "dims", value_name = "N", default_value = "3", value_parser = parse_cube,
          help_heading = "Machine")]
    cube: Hypercube,

    #[command(flatten)]
    own: OwnNetworkArgs,

    /// Run the messages that fill a cycle on the circuit. If they arrive, search for a list of
    /// messages that deadlocks it
    #[arg(long)]
    confirm: bool,

    /// Write the messages that fill a cycle to this CSV file, or with --confirm those that deadlock
    /// the circuit. The pattern file:PATH of `run` reads it back; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "json")]
    dump_traffic: Option<OutputFile>,

    #[command(flatten)]
    engine: EngineFlags,

    #[command(flatten)]
    output: OutputFlags,
}

/// Output of `--json`.
#[derive(Serialize)]
struct DeadlockReport {
    network: &'static str,
    topology: String,
    acyclic: bool,
    /// Whether the network is free of deadlock. `None` if that is open.
    deadlock_free: Option<bool>,
    /// Order of the channels, or the cycle.
    channels: Vec<String>,
    /// Escape channels that prove freedom from deadlock, although there is a cycle.
    escape: Option<EscapeReport>,
    /// Pairs of nodes without a route, in a network of `--topology`.
    pairs_without_route: Option<usize>,
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
struct Confirmation {
    /// Result of the list that deadlocks the circuit, or else of the one that fills the cycle in
    /// the graph.
    run: ListRun,
    extent: SearchExtent,
}

/// Prints the verdict, and with `--confirm` the behaviour of the circuit. Returns what they mean.
pub fn deadlock(args: &DeadlockArgs, networks: &Networks) -> Result<String, CliError> {
    let subject = Subject::of(args, networks)?;
    let (waiting, relation) = (&subject.model, &*subject.model.relation);
    if args.confirm {
        args.engine.check(relation.topology())?;
    }
    let target = OutputTarget::from_flag("--dump-traffic", args.dump_traffic.as_ref())?;
    let verdict = check_deadlock(relation, waiting.holding).map_err(relation_error)?;
    let escape = escape_verdict(waiting, &verdict)?;
    let filling = filling_messages(&verdict);
    let confirmed = match (&filling, args.confirm, subject.network) {
        (Some(filling), true, Some(network)) => {
            Some(confirm(args, network, waiting, &verdict, filling)?)
        }
        _ => None,
    };
    let messages = match &confirmed {
        Some(confirmed) => Some(&confirmed.run.list),
        None => filling.as_ref(),
    };
    let mut text = verdict_text(relation, &verdict, &escape);
    text += &match (&confirmed, &filling) {
        (Some(confirmed), _) => confirmation_text(waiting, confirmed),
        (None, Some(filling)) => cycle_text(waiting, filling),
        (None, None) if args.confirm => {
            "There is nothing to confirm, because no known messages fill a cycle.\n".to_owned()
        }
        (None, None) => String::new(),
    };
    text += &match subject.pairs_without_route {
        None | Some(0) => String::new(),
        Some(pairs) => format!("{pairs} pairs of nodes have no route.\n"),
    };
    if let Some(target) = &target {
        match messages {
            Some(messages) => {
                let nodes = AddressSpace::new(relation.topology().nodes().into());
                let nodes = nodes.map_err(|e| CliError::Failed(e.into()))?;
                write_messages(target, &message_list(messages), nodes)?;
            }
            None => text += "There are no messages to write, and none were written.\n",
        }
    }
    let stream = Place::avoiding([&target]);
    match args.output.json {
        true => {
            let report = report(&subject, &verdict, &escape, messages, confirmed.as_ref());
            let json = serde_json::to_string(&report).expect("numbers and names are JSON");
            stream.print(&(json + "\n"))?;
        }
        false => stream.print_text(&text)?,
    }
    match confirmed {
        Some(confirmed) if confirmed.run.is_deadlock() => Err(CliError::Failed(anyhow!(
            "the machine deadlocks: its messages wait for each other"
        ))),
        Some(confirmed) if waiting.no_deadlock_reason.is_none() => {
            Err(CliError::Failed(anyhow!("{}", not_found_text(confirmed.extent))))
        }
        Some(_) => Ok("no list of messages that was tried deadlocked the circuit.".into()),
        None => Ok(meaning(&verdict, &escape, subject.network.is_some()).into()),
    }
}

/// Network that is checked.
struct Subject {
    /// `None` for a network without a circuit.
    network: Option<&'static dyn Network>,
    model: DeadlockModel,
    pairs_without_route: Option<usize>,
}

impl Subject {
    fn of(args: &DeadlockArgs, networks: &Networks) -> Result<Self, CliError> {
        let flags = &args.network.flags.0;
        if let Some(own) = args.own.read()? {
            networks.reject_foreign_flags(&[], Purpose::Run, flags)?;
            return Ok(Subject {
                network: None,
                model: own.model,
                pairs_without_route: Some(own.pairs_without_route),
            });
        }
        let network = networks.select(args.network.name())?;
        networks.reject_foreign_flags(&[network], Purpose::Run, flags)?;
        Ok(Subject {
            network: Some(network),
            model: network.deadlock_model(args.cube.dims().into(), flags)?,
            pairs_without_route: None,
        })
    }
}

/// Explains the verdict on the graph.
fn meaning(verdict: &DeadlockVerdict, escape: &EscapeVerdict, has_circuit: bool) -> &'static str {
    if let EscapeVerdict::Free { .. } = escape {
        return "no traffic can deadlock this network, because an escape channel always drains. A \
                queue must hold parts of one message at a time. A blocked message must wait for all \
                its channels at once and take whichever is free. Destinations must consume messages.";
    }
    match verdict {
        DeadlockVerdict::Acyclic { .. } => {
            "no traffic can deadlock this network, because the last channel of the order always \
             drains."
        }
        DeadlockVerdict::Cyclic { filling, .. } => match filling {
            Filling::By(_) if !has_circuit => "these messages deadlock the network.",
            Filling::By(_) => {
                "the graph permits a deadlock. --confirm sends these messages through the circuit."
            }
            Filling::No => "no messages fill this cycle, but others may deadlock the network.",
            Filling::Unknown => "whether the network can deadlock is open.",
        },
    }
}

/// Hides flags that matter for `--confirm` only. `help run` explains them.
pub fn hide_flags_of_confirm(command: clap::Command) -> clap::Command {
    let shown = |heading: &str| {
        ["Machine", "Own network", "Output"].contains(&heading)
            || heading.starts_with("With --network")
    };
    let command = command.mut_args(|flag| match flag.get_help_heading() {
        Some(heading) if !shown(heading) => flag.hide(true),
        _ => flag,
    });
    command.after_help(
        "With --confirm, the flags of `run` for programs, faults, clocks and the engine apply, too.\n\n\
         Examples:\n  phasecube deadlock --network tdma --dims 6\n  \
         phasecube deadlock --topology graph.csv --routes routes.csv",
    )
}

/// Formats the verdict as text.
fn verdict_text(
    relation: &dyn Relation,
    verdict: &DeadlockVerdict,
    escape: &EscapeVerdict,
) -> String {
    let names = |channels: &[Channel]| -> Vec<String> {
        channels.iter().map(|c| relation.channel_name(*c)).collect()
    };
    let topology = relation.topology().name();
    match verdict {
        DeadlockVerdict::Acyclic { order } => {
            let names = names(order);
            let more = match names.len().saturating_sub(PRINTED_MAX) {
                0 => String::new(),
                more => format!("\n  and {more} more (--json has all)"),
            };
            let shown: Vec<&str> = names.iter().take(PRINTED_MAX).map(String::as_str).collect();
            format!(
                "{topology}: no deadlock. In this order of {} channels, none waits for an earlier \
                 one:\n  {}{more}\n",
                names.len(),
                shown.join("\n  ")
            )
        }
        DeadlockVerdict::Cyclic { cycle, filling, adaptive } => {
            let text = format!(
                "{topology}: {} channels wait for each other in a cycle:\n  {}\n",
                cycle.len(),
                names(cycle).join("\n  ")
            );
            let escapes = escape_text(relation, escape, PRINTED_MAX);
            let text = text + &escapes;
            if let EscapeVerdict::Free { .. } = escape {
                return text;
            }
            text + match (filling, adaptive) {
                (Filling::By(_), _) => "",
                (Filling::No, false) => {
                    "No messages can fill the cycle, so it is not a deadlock.\n"
                }
                (Filling::No, true) => {
                    "No messages fill the cycle alone. Messages with a choice of channels may \
                     avoid it, so this is only a warning.\n"
                }
                (Filling::Unknown, _) => {
                    "The search did not find out whether messages can fill the cycle.\n"
                }
            }
        }
    }
}

/// Formats the messages that fill the cycle in the graph. If the network declares why it still does
/// not deadlock, adds that reason.
fn cycle_text(waiting: &DeadlockModel, filling: &[Ends]) -> String {
    let what = "These messages hold all channels of the cycle, if each is sent after the ones \
                before it have stopped:\n";
    let text = what.to_owned() + &messages_text(&*waiting.relation, filling);
    text + &waiting.no_deadlock_reason.map_or(String::new(), |reason| reason.to_owned() + "\n")
}

/// Formats messages, one per line.
fn messages_text(relation: &dyn Relation, messages: &[Ends]) -> String {
    let mut text = String::new();
    for ends in messages.iter().take(PRINTED_MAX) {
        let [source, destination] = ends.map(|node| relation.topology().node_name(node));
        let _ = writeln!(text, "  {source} -> {destination}");
    }
    match messages.len().saturating_sub(PRINTED_MAX) {
        0 => text,
        more => text + &format!("  and {more} more (--json has all)\n"),
    }
}

/// Returns the messages that fill the cycle in the graph, if there are any.
fn filling_messages(verdict: &DeadlockVerdict) -> Option<Vec<Ends>> {
    let ends = |holder: &Holder| [holder.source, holder.destination];
    match verdict {
        DeadlockVerdict::Cyclic { filling: Filling::By(holders), .. } => {
            Some(holders.iter().map(ends).collect())
        }
        _ => None,
    }
}

/// Runs the messages that fill the cycle in the graph on the circuit. If they all arrive, searches
/// other lists. A network that can resolve its cycles has no such lists.
fn confirm(
    args: &DeadlockArgs,
    network: &'static dyn Network,
    waiting: &DeadlockModel,
    verdict: &DeadlockVerdict,
    filling: &[Ends],
) -> Result<Confirmation, CliError> {
    let recipe = Recipe {
        pattern: TrafficPattern::Permutation,
        seed: 1,
        payload: 0,
        order: ExchangeOrder::default(),
    };
    let mut job = network.job(&RunRequest {
        cube: args.cube,
        recipe,
        list: Some(message_list(filling)),
        programs: None,
        writes_messages: false,
        flags: &args.network.flags.0,
    })?;
    job.machine.prepare(&build_dir())?;
    let mut bench = DeadlockSearch::new(&job, &args.engine);
    let outcome = bench.run(filling)?;
    let mut confirmed = Confirmation { extent: bench.extent, run: outcome };
    let (DeadlockVerdict::Cyclic { cycle, .. }, None) = (verdict, waiting.no_deadlock_reason)
    else {
        return Ok(confirmed);
    };
    if !confirmed.run.is_deadlock() {
        let found = bench.search(&*waiting.relation, cycle, filling)?;
        confirmed.extent = bench.extent;
        confirmed.run = found.unwrap_or(confirmed.run);
    }
    Ok(confirmed)
}

/// Formats the behaviour of the circuit.
fn confirmation_text(waiting: &DeadlockModel, confirmed: &Confirmation) -> String {
    let relation = &*waiting.relation;
    let ListRun { list, stats } = &confirmed.run;
    let (all, clock_cycles) = (list.len(), stats.clock_cycles);
    let arrived = stats.count(|delivery| delivery.arrival_step().is_some());
    if confirmed.run.is_deadlock() {
        let mut text =
            "These messages fill the cycle:\n".to_owned() + &messages_text(relation, list);
        let _ = writeln!(
            text,
            "On the circuit {arrived} of {all} messages arrive. After {clock_cycles} clock cycles \
             nothing moves any more."
        );
        return text + &held_messages_text(relation, stats);
    }
    let mut text = cycle_text(waiting, list);
    let _ = writeln!(
        text,
        "On the circuit {arrived} of {all} messages arrive. The run ends after {clock_cycles} \
         clock cycles."
    );
    match waiting.no_deadlock_reason {
        Some(_) => text,
        None => text + &format!("It is {}.\n", not_found_text(confirmed.extent)),
    }
}

/// Formats the result of a search that found no deadlock, with its extent.
fn not_found_text(tried: SearchExtent) -> String {
    format!(
        "cyclic in the dependency graph; no deadlocking list found: {} of up to {} were run on the \
         circuit, and none deadlocks it",
        format_count(tried.lists, "list"),
        format_count(tried.longest, "message")
    )
}

fn report(
    subject: &Subject,
    verdict: &DeadlockVerdict,
    escape: &EscapeVerdict,
    messages: Option<&Vec<Ends>>,
    confirmed: Option<&Confirmation>,
) -> DeadlockReport {
    let relation = &*subject.model.relation;
    let (acyclic, channels) = match verdict {
        DeadlockVerdict::Acyclic { order } => (true, order),
        DeadlockVerdict::Cyclic { cycle, .. } => (false, cycle),
    };
    let names = channels.iter().map(|c| relation.channel_name(*c));
    let stands_still = confirmed.map(|confirmed| confirmed.run.is_deadlock());
    let evidence = Evidence {
        has_circuit: subject.network.is_some(),
        circuit_deadlocked: stands_still == Some(true),
        resolves_cycles: subject.model.no_deadlock_reason.is_some(),
    };
    DeadlockReport {
        network: subject.network.map_or("own", Network::name),
        topology: relation.topology().name(),
        acyclic,
        deadlock_free: is_deadlock_free(evidence, verdict, escape),
        channels: names.collect(),
        escape: escape_report(relation, escape),
        pairs_without_route: subject.pairs_without_route,
        messages: messages.cloned(),
        stands_still,
        lists_tried: confirmed.map(|confirmed| confirmed.extent.lists),
        longest_list: confirmed.map(|confirmed| confirmed.extent.longest),
    }
}

// Finds a short list of messages that deadlocks a circuit.

/// Periods without a move after which the search assumes a deadlock. By then a link has tried each
/// of its registers, and no timeout of an undisturbed machine is pending. The final list runs again
/// until the machine itself reports the deadlock.
const STALL_PERIODS: u64 = 64;

/// Most runs spent on shortening a list.
const SHORTEN_RUNS_MAX: usize = 200;

/// Result of running a list on the circuit.
struct ListRun {
    pub list: Vec<Ends>,
    pub stats: RunStats,
}

/// Extent of a search: the lists that ran on the circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SearchExtent {
    pub lists: usize,
    /// Messages in the longest list.
    pub longest: usize,
}

/// Runs lists on a machine.
struct DeadlockSearch<'a> {
    machine: &'a dyn Machine,
    engine: &'a EngineFlags,
    /// Periods after which a run always ends.
    limit: u64,
    stop: interrupt::Stop,
    activity: ProgressStep,
    pub extent: SearchExtent,
}

impl ListRun {
    pub fn is_deadlock(&self) -> bool {
        matches!(self.stats.end, EndReason::Deadlock { .. })
    }
}

impl<'a> DeadlockSearch<'a> {
    /// Creates the runner of a job whose machine is prepared.
    pub fn new(job: &'a MachineJob, engine: &'a EngineFlags) -> Self {
        DeadlockSearch {
            machine: &*job.machine,
            engine,
            limit: job.limit.unwrap_or(u64::MAX),
            stop: interrupt::listen(),
            activity: ProgressStep::quiet("running lists of messages"),
            extent: SearchExtent::default(),
        }
    }

    /// Runs a list until all messages have arrived or the machine stops because of a stall.
    ///
    /// # Errors
    /// If the circuit cannot run, or a signal requests a stop.
    pub fn run(&mut self, list: &[Ends]) -> Result<ListRun, CliError> {
        self.run_until_stall(list, self.machine.deadlock_after())
    }

    fn run_until_stall(
        &mut self,
        list: &[Ends],
        stall_after: Option<u64>,
    ) -> Result<ListRun, CliError> {
        self.extent.lists += 1;
        self.extent.longest = self.extent.longest.max(list.len());
        let what = format!("list {}, {} messages", self.extent.lists, list.len());
        self.activity.step(&what);
        let circuit = self.machine.circuit();
        let options = self.engine.options(Keep::Outputs);
        let mut engine = self.engine.engine.start(circuit, &options, &build_dir())?;
        let mut driver = self.machine.driver(&mut *engine, Load::at_once(message_list(list)))?;
        let control = RunControl {
            limit: self.limit,
            stop: self.stop.flag(),
            ..RunControl::to_end(self.machine.timebase().steps(), stall_after)
        };
        let stats = drive(&mut *driver, control).map_err(|e| CliError::Failed(e.into()))?;
        if let EndReason::Stopped { .. } = stats.end {
            return Err(self.stop.error(format!("in {what}")));
        }
        Ok(ListRun { list: list.to_vec(), stats })
    }

    /// Searches for a list that deadlocks the machine, and shortens it. Returns `None` if no tried
    /// list deadlocks.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn search(
        &mut self,
        relation: &dyn Relation,
        cycle: &[Channel],
        filling: &[Ends],
    ) -> Result<Option<ListRun>, CliError> {
        for list in lists(relation, cycle, filling) {
            if !self.deadlocks(&list)? {
                continue;
            }
            let tried = self.extent;
            let short = self.shorten(list)?;
            let outcome = self.run(&short)?;
            self.extent = tried;
            if outcome.is_deadlock() {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn deadlocks(&mut self, list: &[Ends]) -> Result<bool, CliError> {
        let still = self.machine.deadlock_after().map(|after| after.min(STALL_PERIODS));
        Ok(self.run_until_stall(list, still)?.is_deadlock())
    }

    /// Removes messages while the rest still deadlocks, first in large groups, then one by one.
    fn shorten(&mut self, mut list: Vec<Ends>) -> Result<Vec<Ends>, CliError> {
        let mut runs = 0;
        let mut part = list.len().div_ceil(2);
        while part > 0 && runs < SHORTEN_RUNS_MAX {
            let mut at = 0;
            let before = list.len();
            while at < list.len() && runs < SHORTEN_RUNS_MAX {
                let mut rest = list.clone();
                rest.drain(at..(at + part).min(list.len()));
                runs += 1;
                match !rest.is_empty() && self.deadlocks(&rest)? {
                    true => list = rest,
                    false => at += part,
                }
            }
            // Single messages are tried until none can be removed.
            part = match part {
                1 if list.len() < before => 1,
                part => part / 2,
            };
        }
        Ok(list)
    }
}

/// Returns messages between these nodes, each with a different payload.
fn message_list(ends: &[Ends]) -> MessageList {
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

// Lists of messages that may deadlock a machine.

/// Numbers of repetitions of the messages that fill a cycle.
const REPEATS: [usize; 4] = [2, 4, 8, 16];

/// Messages of each source in a randomly drawn list.
const MESSAGES_PER_SOURCE: [usize; 2] = [4, 16];

/// Product of nodes and draws for one kind of list. Small machines get many draws, large machines
/// few.
const DRAWN_MESSAGES: usize = 512;

/// Returns the lists to try, in this order:
///
/// - the messages that fill the cycle in the graph, repeated
/// - random messages whose routes use two consecutive channels of the cycle
/// - random messages between all nodes
///
/// Each call returns the same lists.
fn lists<'a>(
    relation: &'a dyn Relation,
    cycle: &'a [Channel],
    filling: &'a [Ends],
) -> impl Iterator<Item = Vec<Ends>> + 'a {
    let repeated = REPEATS.iter().map(|times| filling.repeat(*times));
    let nodes = relation.topology().nodes();
    let draws = (DRAWN_MESSAGES / nodes as usize).clamp(2, 16) as u64;
    let seeds = move || (1..=draws).flat_map(|seed| MESSAGES_PER_SOURCE.map(|each| (seed, each)));
    // The routes of all pairs are computed only if the first lists do not suffice.
    let through = std::iter::once_with(move || destinations_through(relation, cycle));
    let through = through.flat_map(move |sources| {
        seeds().map(move |(seed, each)| random_list(&sources, each, seed))
    });
    let all = (0..nodes).map(|source| (source, (0..nodes).filter(|to| *to != source).collect()));
    let all: BTreeMap<u32, Vec<u32>> = all.collect();
    let everywhere = seeds().map(move |(seed, each)| random_list(&all, each, seed));
    repeated.chain(through).chain(everywhere)
}

/// Returns for each source the destinations whose routes use two consecutive channels of the cycle.
fn destinations_through(relation: &dyn Relation, cycle: &[Channel]) -> BTreeMap<u32, Vec<u32>> {
    let next = |at: usize| cycle[(at + 1) % cycle.len()];
    let after: BTreeMap<Channel, Channel> =
        (0..cycle.len()).map(|at| (cycle[at], next(at))).collect();
    let nodes = relation.topology().nodes();
    let mut sources: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for source in 0..nodes {
        for destination in 0..nodes {
            let route = relation.route(source, destination);
            let uses = |pair: &[Channel]| after.get(&pair[0]) == Some(&pair[1]);
            if route.windows(2).any(uses) {
                sources.entry(source).or_default().push(destination);
            }
        }
    }
    sources
}

/// Draws `each` messages of each source to random destinations, round-robin over the sources.
fn random_list(sources: &BTreeMap<u32, Vec<u32>>, each: usize, seed: u64) -> Vec<Ends> {
    let mut random = SplitMix64::new(seed);
    let mut list = vec![];
    for _ in 0..each {
        for (source, destinations) in sources {
            let at = random.below(destinations.len() as u64) as usize;
            list.push([*source, destinations[at]]);
        }
    }
    list
}
