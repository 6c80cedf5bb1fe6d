//! What a person reads of a run of the CM-1.

use crate::machine::cm1::{Cm1Fate, Cm1Outcome, Cm1Run};
use std::fmt::Write;

/// Rows of the table of arrivals, at most.
const ROWS: u64 = 16;

pub fn text(outcome: &Cm1Outcome, run: &Cm1Run) -> String {
    let mut text = format!(
        "CM-1, {}-cube, {} rows, {} processors per chip, {} ejection, {} engine: {} of {} \
         messages delivered",
        outcome.dims,
        outcome.rows,
        outcome.processors,
        outcome.eject,
        outcome.engine,
        outcome.delivered,
        outcome.messages
    );
    let _ = match outcome.to_self {
        0 => writeln!(text),
        n => writeln!(text, ", {n} of them to their own source"),
    };
    let _ = writeln!(
        text,
        "{} petit cycles of {} bit-times, {} bit-times in all, and {} in the ejector",
        outcome.petit_cycles, outcome.petit_period, outcome.bit_times, outcome.ejector_bit_times
    );
    let _ = writeln!(
        text,
        "{} hops, {} productive and {} in desperation; wires used {:.1} %, {:.1} % productively",
        outcome.hops,
        outcome.productive_hops,
        outcome.desperation_hops,
        100.0 * outcome.wire_utilisation,
        100.0 * outcome.wire_utilisation_productive
    );
    let l = outcome.latency;
    let _ = writeln!(
        text,
        "latency from the start, in {}: min {}, median {}, 99 % {}, max {}",
        l.unit, l.min, l.p50, l.p99, l.max
    );
    text += &arrivals(run);
    let counts = [
        (outcome.refused, "offers of processors that had to wait"),
        (outcome.collisions, "messages ORed onto another one"),
        (
            outcome.timeouts,
            "times that the router was emptied by the timeout",
        ),
        (outcome.parity_errors, "messages with wrong parity, flagged"),
        (outcome.lost, "messages lost"),
        (outcome.unfinished, "messages still under way"),
        (outcome.duplicated, "messages that arrived twice"),
        (outcome.undetected, "errors that the machine did not notice"),
    ];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(text, "  {count} {what}");
    }
    let _ = writeln!(
        text,
        "{:.2} million node-cycles per second",
        outcome.node_cycles_per_second / 1e6
    );
    text
}

/// How many messages arrived in which petit cycle, as bars.
fn arrivals(run: &Cm1Run) -> String {
    let petits: Vec<u64> = run
        .fates
        .iter()
        .filter_map(|fate| match fate {
            Cm1Fate::Delivered { petit } => Some(*petit),
            _ => None,
        })
        .collect();
    let Some(last) = petits.iter().max() else {
        return String::new();
    };
    let per_row = (last + 1).div_ceil(ROWS);
    let counts: Vec<usize> = (0..(last + 1).div_ceil(per_row))
        .map(|row| petits.iter().filter(|p| **p / per_row == row).count())
        .collect();
    let most = counts.iter().max().copied().unwrap_or(1).max(1);
    let mut text = String::new();
    for (row, count) in (0..).zip(counts) {
        let (from, to) = (row * per_row + 1, ((row + 1) * per_row).min(last + 1));
        let which = match from == to {
            true => format!("petit cycle {from}"),
            false => format!("petit cycles {from} to {to}"),
        };
        let bar = "#".repeat((count * 40).div_ceil(most));
        let _ = writeln!(text, "  {which:<24}{count:>8}  {bar}");
    }
    text
}
