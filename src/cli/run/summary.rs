//! Text summary of a run, one printer for all networks.

use super::lines;
use crate::counted::counted;
use crate::machine::{merged, End, Fate, Histogram, LogLine, Outcome};
use crate::networks::{Job, Machine};
use crate::topology::Addresses;
use crate::traffic::MessageList;
use std::fmt::Write;

/// Most messages that are listed one by one.
const LISTED: usize = 10;

/// Most rows of the table of arrivals.
const ROWS: u64 = 8;

/// Formats the summary, preceded by the event log if requested.
pub fn text(job: &Job, outcome: &Outcome, trace: bool) -> String {
    let (labels, account) = (&outcome.labels, &outcome.account);
    let timebase = outcome.timebase;
    let mut text = String::new();
    if trace {
        text += &log(&*job.machine, job.addresses, outcome);
    }
    let headline = job.machine.headline();
    let _ = write!(text, "{headline}, {} engine: ", labels.engine);
    text += &lines::delivered(outcome.delivered(), outcome.messages(), labels.to_self);
    for line in &account.lines {
        text += line;
        text.push('\n');
    }
    text += &lines::latency(outcome.latency());
    text += &lines::arrivals(timebase.period_name, &periods(outcome), ROWS);
    text += &troubles(outcome);
    text += &traps(job.addresses, outcome);
    text += &missing(job.addresses, outcome, &job.messages);
    text + &lines::rate(outcome.node_cycles_per_second())
}

/// Formats the event log, one event per line.
fn log(machine: &dyn Machine, cube: Addresses, outcome: &Outcome) -> String {
    let step = outcome.timebase.step_name;
    let mut text =
        format!("     t  {step}  what         node to register    from -> for  message\n");
    let account = &outcome.account;
    for line in merged(&account.events, &account.notes) {
        let e = match line {
            LogLine::Message(event) => event,
            LogLine::Node(n) => {
                let node = cube.hex(n.node);
                let _ = writeln!(text, "{:>6}  {:>5}  {:<11}  {node}", n.t, n.phase, n.what);
                continue;
            }
        };
        let register = machine.place_name(e.from_reg);
        let _ = writeln!(
            text,
            "{:>6}  {:>5}  {:<11}  {} -> {}  {register:<9}  {} -> {}  {:>7}",
            e.t,
            e.phase,
            e.what,
            cube.hex(e.node),
            cube.hex(e.to),
            cube.hex(e.src),
            cube.hex(e.dst),
            e.message
        );
    }
    text
}

/// Returns the periods in which messages arrived.
fn periods(outcome: &Outcome) -> Histogram {
    let steps = outcome.timebase.steps();
    let fates = outcome.account.fates.iter();
    let arrived = fates.filter_map(|fate| Some(u64::from(fate.arrived()?) / steps));
    arrived.collect()
}

/// Formats the transmission problems of the run. Returns an empty text if there were none.
fn troubles(outcome: &Outcome) -> String {
    let account = &outcome.account;
    let own = account.entries.iter();
    let own = own.filter_map(|entry| Some((entry.value.as_u64()?, entry.words?)));
    let all = [
        (outcome.lost(), "messages lost"),
        (outcome.undelivered(), "messages given up, not delivered"),
        (outcome.unknown(), "messages given up, delivered or not"),
        (outcome.unfinished(), "messages still under way"),
        (account.duplicated, "messages handed over twice"),
        (account.undetected, "errors that the machine did not notice"),
    ];
    let counts: Vec<(u64, &str)> = own.chain(all).collect();
    let mut text = lines::counts(&counts);
    if let End::Stuck { periods } = outcome.end {
        let period = outcome.timebase.period_name;
        let _ = writeln!(text, "  nothing moved for {periods} {period}s");
    }
    text
}

/// Formats the cores that have halted, with their locations.
pub fn traps(cube: Addresses, outcome: &Outcome) -> String {
    let mut text = String::new();
    for trap in outcome.account.traps.iter().take(LISTED) {
        let _ = writeln!(text, "  core of node {} {trap}", cube.hex(trap.node));
    }
    let rest = outcome.account.traps.len().saturating_sub(LISTED);
    if rest > 0 {
        let _ = writeln!(text, "  and {rest} cores more");
    }
    text
}

/// Formats the number of messages that have neither arrived nor been lost.
pub fn left(messages: u64) -> String {
    let are = if messages == 1 { "is" } else { "are" };
    format!("{} {are} left", counted(messages, "message"))
}

/// Formats in one sentence that cores have halted. At least one core must have halted.
pub fn halted(outcome: &Outcome) -> String {
    let first = &outcome.account.traps[0];
    let rest = match outcome.unfinished() {
        0 => String::new(),
        n => format!("; {}", left(n)),
    };
    format!(
        "{} of {} cores have halted; the first is node 0x{:X}, {first}{rest}",
        outcome.account.traps.len(),
        outcome.labels.nodes,
        first.node
    )
}

/// Formats the messages that did not arrive, with the reasons.
fn missing(cube: Addresses, outcome: &Outcome, messages: &MessageList) -> String {
    let mut text = String::new();
    let step = outcome.timebase.step_name;
    let arrived = |fate: &Fate| matches!(fate, Fate::Delivered { .. } | Fate::ToSelf);
    let missing = || {
        (0..)
            .zip(&outcome.account.fates)
            .filter(|(_, fate)| !arrived(fate))
    };
    for (place, fate) in missing().take(LISTED) {
        let why = match fate {
            Fate::Delivered { .. } | Fate::ToSelf => continue,
            Fate::Lost { t } => format!("overwritten or damaged in {step} {t}"),
            Fate::Undelivered => "undelivered: a link on its way is down".to_owned(),
            Fate::Unknown => "unknown: a link went down before it answered".to_owned(),
            Fate::UnderWay => "still under way".to_owned(),
        };
        let message = messages.get(place);
        let (source, destination) = (cube.hex(message.source), cube.hex(message.destination));
        let _ = writeln!(text, "  {source} -> {destination}: {why}");
    }
    let rest = missing().count().saturating_sub(LISTED);
    if rest > 0 {
        let _ = writeln!(text, "  and {rest} more");
    }
    text
}
