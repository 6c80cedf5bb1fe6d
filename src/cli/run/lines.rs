//! Summary lines common to all machines.

use machine::format_count::{format_count, format_count_phrase};
use machine::{Histogram, Latency};
use std::fmt::Write;

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
pub fn counts(counts: &[(u64, &str)]) -> String {
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
