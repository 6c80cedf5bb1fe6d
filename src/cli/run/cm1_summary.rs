//! What a person reads of a run of the CM-1.

use super::lines;
use crate::machine::cm1::{Cm1Fate, Cm1Outcome, Cm1Run};
use crate::machine::Histogram;
use std::fmt::Write;

/// Rows of the table of arrivals, at most.
const ROWS: u64 = 16;

pub fn text(outcome: &Cm1Outcome, run: &Cm1Run) -> String {
    let mut text = format!(
        "CM-1, {}-cube, {} rows, {} processors per chip, {} ejection, {} engine: ",
        outcome.dims, outcome.rows, outcome.processors, outcome.eject, outcome.engine
    );
    text += &lines::delivered(outcome.delivered, outcome.messages, outcome.to_self);
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
    text += &lines::latency(outcome.latency);
    text += &lines::arrivals("petit cycle", &petit_cycles(run), ROWS);
    text += &lines::counts(&[
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
    ]);
    text + &lines::rate(outcome.node_cycles_per_second)
}

/// The petit cycles in which messages arrived.
fn petit_cycles(run: &Cm1Run) -> Histogram {
    let arrived = run.fates.iter().filter_map(|fate| match fate {
        Cm1Fate::Delivered { petit } => Some(*petit),
        _ => None,
    });
    arrived.collect()
}
