//! What a person reads of a run.

use super::lines;
use crate::machine::cube::{CubeRun, MessageFate, RunEnd};
use crate::machine::{merged, Histogram, LogLine, Outcome};
use crate::topology::Hypercube;
use crate::traffic::MessageList;
use std::fmt::Write;

/// Messages listed one by one, at most.
const LISTED: usize = 10;

/// Rows of the table of arrivals, at most.
const ROWS: u64 = 8;

/// The summary, after the event log if that is wanted.
pub fn text(
    cube: Hypercube,
    outcome: &Outcome,
    run: &CubeRun,
    messages: &MessageList,
    trace: bool,
) -> String {
    let mut text = String::new();
    if trace {
        text += &log(cube, run);
    }
    let _ = write!(
        text,
        "{}-cube, {} link, {} engine: ",
        outcome.dims, outcome.link, outcome.engine
    );
    text += &lines::delivered(outcome.delivered, outcome.messages, outcome.to_self);
    let _ = writeln!(
        text,
        "{} superframes, {} hops, {} clock cycles, {} bit-times; wires used {:.1} %",
        outcome.superframes,
        outcome.hops,
        outcome.clock_cycles,
        outcome.bit_times,
        100.0 * outcome.wire_utilisation
    );
    text += &lines::latency(outcome.latency);
    text += &lines::arrivals("superframe", &superframes(cube, run), ROWS);
    text += &troubles(outcome, run.end);
    text += &traps(cube, outcome);
    text += &missing(cube, run, messages);
    text + &lines::rate(outcome.node_cycles_per_second)
}

/// The log, a line each.
fn log(cube: Hypercube, run: &CubeRun) -> String {
    let mut text =
        "     t  phase  what         node to register    from -> for  message\n".to_owned();
    for line in merged(&run.events, &run.notes) {
        let e = match line {
            LogLine::Message(event) => event,
            LogLine::Node(n) => {
                let node = cube.hex(n.node);
                let _ = writeln!(text, "{:>6}  {:>5}  {:<11}  {node}", n.t, n.phase, n.what);
                continue;
            }
        };
        let register = match e.from_reg == cube.dims() {
            true => "injection".to_owned(),
            false => format!("link {}", e.from_reg),
        };
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

/// The superframes in which messages arrived.
fn superframes(cube: Hypercube, run: &CubeRun) -> Histogram {
    let superframe = u64::from(2 * cube.dims());
    let arrived = run.fates.iter().filter_map(|fate| match fate {
        MessageFate::Delivered { t } => Some(u64::from(*t) / superframe),
        _ => None,
    });
    arrived.collect()
}

/// What went wrong on the way, if anything did.
fn troubles(outcome: &Outcome, end: RunEnd) -> String {
    let mut text = lines::counts(&[
        (outcome.refused, "frames refused, their register was full"),
        (outcome.silences, "frames without a proper answer"),
        (outcome.retries, "frames sent again"),
        (outcome.late, "phases in which a node was late"),
        (outcome.slips, "slips of a node"),
        (outcome.clashes, "bit-times in which both ends held a wire"),
        (outcome.lost, "messages lost"),
        (outcome.undelivered, "messages given up, not delivered"),
        (outcome.unknown, "messages given up, delivered or not"),
        (outcome.unfinished, "messages still under way"),
        (outcome.duplicated, "messages handed over twice"),
        (outcome.undetected, "errors that the machine did not notice"),
    ]);
    if let RunEnd::Stuck { superframes } = end {
        let _ = writeln!(text, "  nothing moved for {superframes} superframes");
    }
    text
}

/// The cores that have halted, and where.
fn traps(cube: Hypercube, outcome: &Outcome) -> String {
    let mut text = String::new();
    for trap in outcome.traps.iter().take(LISTED) {
        let _ = writeln!(text, "  core of node {} {trap}", cube.hex(trap.node));
    }
    let rest = outcome.traps.len().saturating_sub(LISTED);
    if rest > 0 {
        let _ = writeln!(text, "  and {rest} cores more");
    }
    text
}

/// That cores have halted, in a sentence. There is one at least.
pub fn halted(outcome: &Outcome) -> String {
    let first = &outcome.traps[0];
    let left = match outcome.unfinished {
        0 => String::new(),
        n => format!("; {n} messages are left"),
    };
    format!(
        "{} of {} cores have halted; the first is node 0x{:X}, {first}{left}",
        outcome.traps.len(),
        outcome.nodes,
        first.node
    )
}

/// The messages that did not arrive, and why.
fn missing(cube: Hypercube, run: &CubeRun, messages: &MessageList) -> String {
    let mut text = String::new();
    let arrived =
        |fate: &MessageFate| matches!(fate, MessageFate::Delivered { .. } | MessageFate::ToSelf);
    let missing = || (0..).zip(&run.fates).filter(|(_, fate)| !arrived(fate));
    for (place, fate) in missing().take(LISTED) {
        let why = match fate {
            MessageFate::Delivered { .. } | MessageFate::ToSelf => continue,
            MessageFate::Lost { t } => format!("overwritten or damaged in phase {t}"),
            MessageFate::Undelivered => "undelivered: a link on its way is down".to_owned(),
            MessageFate::Unknown => "unknown: a link went down before it answered".to_owned(),
            MessageFate::UnderWay => "still under way".to_owned(),
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
