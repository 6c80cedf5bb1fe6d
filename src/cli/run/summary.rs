//! Text summary of a run, one printer for all networks.

use interconnect::topology::AddressSpace;
use interconnect::traffic::MessageList;
use machine::networks::{Machine, MachineJob};
use machine::text::{format_count, format_count_phrase};
use machine::{
    format_percent, merge_by_phase, Delivery, EndReason, Histogram, Latency, LogLine, Outcome,
};
use std::fmt::Write;

/// Most messages that are listed one by one.
const LISTED: usize = 10;

/// Most rows of the table of arrivals.
const ROWS: u64 = 8;

/// Formats the summary, preceded by the event log if requested.
pub fn text(job: &MachineJob, outcome: &Outcome, trace: bool) -> String {
    let stats = &outcome.stats;
    let timebase = outcome.timebase;
    let mut text = String::new();
    if trace {
        text += &event_log(&*job.machine, job.addresses, outcome);
    }
    let headline = job.machine.headline();
    let _ = write!(text, "{headline}, {} engine: ", outcome.engine);
    text += &delivered(outcome.delivered(), outcome.messages(), outcome.to_self);
    for line in &stats.summary_lines {
        text += line;
        text.push('\n');
    }
    text += &latency(outcome.latency());
    text += &arrivals(timebase.period_name, &arrival_periods(outcome), ROWS);
    text += &problem_lines(outcome);
    text += &trap_lines(job.addresses, outcome);
    text += &missing_lines(job.addresses, outcome, &job.load.messages);
    text + &rate(outcome.node_cycles_per_second())
}

/// Formats the event log, one event per line.
pub fn event_log(machine: &dyn Machine, cube: AddressSpace, outcome: &Outcome) -> String {
    let step = outcome.timebase.step_name;
    let mut text =
        format!("     t  {step}  event        node to buffer      from -> for  message\n");
    let stats = &outcome.stats;
    for line in merge_by_phase(&stats.events, &stats.notes) {
        let e = match line {
            LogLine::Message(event) => event,
            LogLine::Node(n) => {
                let node = cube.hex(n.node);
                let _ = writeln!(text, "{:>6}  {:>5}  {:<11}  {node}", n.t, n.phase, n.what);
                continue;
            }
        };
        let register = machine.buffer_name(e.from_reg);
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
fn arrival_periods(outcome: &Outcome) -> Histogram {
    let steps = outcome.timebase.steps();
    let deliveries = outcome.stats.deliveries.iter();
    let arrived =
        deliveries.filter_map(|delivery| Some(u64::from(delivery.arrival_step()?) / steps));
    arrived.collect()
}

/// Formats the transmission problems of the run. Returns an empty text if there were none.
fn problem_lines(outcome: &Outcome) -> String {
    let stats = &outcome.stats;
    let own = stats.entries.iter();
    let own = own.filter_map(|entry| Some((entry.value.as_u64()?, entry.label?)));
    let all = [
        (outcome.lost(), "messages lost"),
        (outcome.undelivered(), "messages dropped, not delivered"),
        (outcome.unknown(), "messages dropped, delivery unknown"),
        (outcome.unfinished(), "messages still in flight"),
        (stats.duplicated, "messages delivered twice"),
        (stats.undetected, "errors that the machine did not detect"),
    ];
    let counts: Vec<(u64, &str)> = own.chain(all).collect();
    let mut text = count_lines(&counts);
    if let EndReason::Deadlock { periods } = outcome.stats.end {
        let period = outcome.timebase.period_name;
        let _ = writeln!(text, "  nothing moved for {periods} {period}s");
    }
    text
}

/// Formats the cores that have halted, with their locations.
pub fn trap_lines(cube: AddressSpace, outcome: &Outcome) -> String {
    let mut text = String::new();
    for trap in outcome.stats.traps.iter().take(LISTED) {
        let _ = writeln!(text, "  core of node {} {trap}", cube.hex(trap.node));
    }
    let rest = outcome.stats.traps.len().saturating_sub(LISTED);
    if rest > 0 {
        let _ = writeln!(text, "  and {rest} more cores");
    }
    text
}

/// Formats the number of messages that have neither arrived nor been lost.
pub fn left_text(messages: u64) -> String {
    let are = if messages == 1 { "is" } else { "are" };
    format!("{} {are} left", format_count(messages, "message"))
}

/// Formats in one sentence that cores have halted. At least one core must have halted.
pub fn halted_text(outcome: &Outcome) -> String {
    let first = &outcome.stats.traps[0];
    let rest = match outcome.unfinished() {
        0 => String::new(),
        n => format!("; {}", left_text(n)),
    };
    format!(
        "{} of {} cores have halted; the first is node 0x{:X}, {first}{rest}",
        outcome.stats.traps.len(),
        outcome.nodes,
        first.node
    )
}

/// Formats the messages that did not arrive, with the reasons.
fn missing_lines(cube: AddressSpace, outcome: &Outcome, messages: &MessageList) -> String {
    let mut text = String::new();
    let step = outcome.timebase.step_name;
    let arrived =
        |delivery: &Delivery| matches!(delivery, Delivery::Delivered { .. } | Delivery::ToSelf);
    let missing =
        || (0..).zip(&outcome.stats.deliveries).filter(|(_, delivery)| !arrived(delivery));
    for (place, delivery) in missing().take(LISTED) {
        let why = match delivery {
            Delivery::Delivered { .. } | Delivery::ToSelf => continue,
            Delivery::Lost { t } => format!("overwritten or damaged in {step} {t}"),
            Delivery::Undelivered => "dropped: a link on its route is down".to_owned(),
            Delivery::Unknown => "dropped: a link went down before it answered".to_owned(),
            Delivery::UnderWay => "still in flight".to_owned(),
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

/// Explains the outcome: how many messages arrived, or how the programs ended.
pub fn meaning(outcome: &Outcome) -> String {
    let stats = &outcome.stats;
    let periods = format_count(stats.periods, outcome.timebase.period_name);
    if let Some(programs) = &stats.programs {
        let failed = programs.exits.iter().flatten().filter(|code| **code != 0);
        let failed = match failed.count() {
            0 => "without an error".to_owned(),
            failed => format!("{failed} of them with an exit code other than 0"),
        };
        let traffic = match stats.hops {
            0 => "No message crossed a link.".to_owned(),
            hops => {
                format!("Their messages crossed links {} in {periods}.", format_count(hops, "time"))
            }
        };
        let ended = format_count(programs.ended(), "program");
        return format!("{ended} ended, {failed}. {traffic}");
    }
    let (all, delivered) = (outcome.messages(), outcome.delivered());
    let mut text = match all - delivered {
        _ if all == 0 => return "there were no messages to carry.".to_owned(),
        0 => format!("each of the {} arrived", format_count(all, "message")),
        missing => format!(
            "{delivered} of {} arrived. This mode permits the loss of the other {missing}",
            format_count(all, "message")
        ),
    };
    text += &match stats.hops {
        0 => ". No message crossed a link.".to_owned(),
        _ => format!(
            ". It took {periods}, in which {} of the capacity of the wires was used.",
            format_percent(stats.wire_utilisation)
        ),
    };
    text
}

// Summary lines common to all machines.

/// Formats the number of delivered messages, as the end of the first line.
pub fn delivered(delivered: u64, messages: u64, to_self: u64) -> String {
    let all = format_count(messages, "message");
    match to_self {
        0 => format!("{delivered} of {all} delivered\n"),
        n => format!("{delivered} of {all} delivered, {n} of them to their own source\n"),
    }
}

pub fn latency(l: Latency) -> String {
    let unit = l.unit;
    let figures = match (l.min, l.p50, l.p99, l.max) {
        (Some(min), Some(p50), Some(p99), Some(max)) => {
            format!("min {min}, median {p50}, 99 % {p99}, max {max}")
        }
        _ => "none".to_owned(),
    };
    format!("latency from the start, in {unit}: {figures}\n")
}

/// Formats the arrivals in each period (`superframe`, `petit cycle`) as bars. Periods are counted
/// from 0, as in `--from`, pictures and waveforms. The table has at most `rows` rows.
pub fn arrivals(period: &str, arrivals: &Histogram, rows: u64) -> String {
    let Some(last) = arrivals.percentile(100) else {
        return String::new();
    };
    let per_row = (last + 1).div_ceil(rows);
    let mut counts = vec![0; (last + 1).div_ceil(per_row) as usize];
    for (number, count) in arrivals.iter() {
        counts[(number / per_row) as usize] += count;
    }
    let most = counts.iter().max().copied().unwrap_or(1).max(1);
    let mut text = String::new();
    for (row, count) in (0..).zip(counts) {
        let (from, to) = (row * per_row, ((row + 1) * per_row - 1).min(last));
        let which = match from == to {
            true => format!("{period} {from}"),
            false => format!("{period}s {from} to {to}"),
        };
        let bar = "#".repeat((count * 40).div_ceil(most) as usize);
        let _ = writeln!(text, "  {which:<24}{count:>8}  {bar}");
    }
    text
}

/// Formats one line for each count above zero.
pub fn count_lines(counts: &[(u64, &str)]) -> String {
    let mut text = String::new();
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(text, "  {}", format_count_phrase(*count, what));
    }
    text
}

pub fn rate(node_cycles_per_second: f64) -> String {
    let millions = node_cycles_per_second / 1e6;
    format!("{millions:.2} million node-cycles per second\n")
}
