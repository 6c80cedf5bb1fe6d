//! Text of the report: explains its terms, and describes the figures. The text depends on the
//! measured numbers.

use super::tables::selected_notes;
use super::{Comparison, RunReport};
use machine::format_count::format_count;

/// Explains the terms that the report needs.
pub fn terms(comparison: &Comparison) -> String {
    let terms = selected_notes(comparison, |note| note.terms);
    format!("The words. {}", terms.trim_end())
}

/// Paragraphs about cost and about traffic.
pub fn paragraphs(comparison: &Comparison) -> Vec<String> {
    vec![cost_paragraph(comparison), traffic_paragraph(comparison)]
}

/// Sorts machines by a figure in ascending order, without those that lack it.
fn ranked<'a, T>(
    items: impl IntoIterator<Item = &'a T>,
    figure: impl Fn(&T) -> Option<f64>,
) -> Vec<(&'a T, f64)> {
    let figures = items
        .into_iter()
        .filter_map(|item| Some((item, figure(item)?)));
    let mut ranked: Vec<_> = figures.collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    ranked
}

fn cost_paragraph(comparison: &Comparison) -> String {
    let machines = &comparison.machines;
    let mut text = String::from("The price. ");
    let cells = ranked(machines, |m| {
        Some(m.silicon.as_ref()?.router.cost.logic_cells as f64)
    });
    let nodes = ranked(machines, |m| {
        Some(m.silicon.as_ref()?.node.cost.logic_cells as f64)
    });
    if let ([(small, least), .., (large, most)], [(light, lightest), .., (heavy, heaviest)]) =
        (&cells[..], &nodes[..])
    {
        text += &format!(
            "The smallest router of a node is that of {}, {least} logic cells; the largest that of \
             {}, {most}, {:.1} times as many. With processors {} has the smallest node, {lightest} logic \
             cells, and {} the largest, {heaviest}. ",
            small.machine,
            large.machine,
            most / least,
            light.machine,
            heavy.machine,
        );
        let spread = heaviest / lightest;
        text += match spread < most / least {
            true => {
                "The processor outweighs part of the difference between the routers: the nodes \
                 differ less than the routers do. "
            }
            false => "The nodes differ as much as the routers do, or more. ",
        };
    } else if let ([(only, router)], [(_, node)]) = (&cells[..], &nodes[..]) {
        text += &format!(
            "A router of {} takes {router} logic cells, a node with its processors {node}. ",
            only.machine
        );
    } else if cells.is_empty() {
        text += "Nodes of this cube were not synthesised, so nothing is said here of cells and \
                 clocks. ";
    }
    let wires = ranked(machines, |m| Some(m.wires.per_node));
    if let [(few, fewest), .., (many, most)] = &wires[..] {
        if fewest < most {
            text += &format!(
                "{} has {} per node, {} {most}. ",
                few.machine,
                format_count(*fewest, "wire"),
                many.machine
            );
        }
    }
    if comparison.notes.len() > 1 {
        text += &selected_notes(comparison, |note| note.silicon_excludes);
        text += "None of this is in the figures. ";
    }
    text + "Boards, pins and cables are not priced, and costs are those of one placement."
}

fn traffic_paragraph(comparison: &Comparison) -> String {
    let runs = &comparison.runs;
    let mut text = String::from("The traffic. ");
    text += &bit_times(runs);
    for run in runs.iter().filter(|run| run.lost > 0) {
        text += &format!(
            "On {} {} loses {} of {} messages. ",
            run.pattern, run.machine, run.lost, run.messages
        );
    }
    text += &per_second(runs);
    text += &saturation(comparison);
    text += &selected_notes(comparison, |note| note.time_includes);
    text + "Everything is drawn from one seed."
}

/// Patterns that have the same fastest and the same slowest machine.
struct PatternGroup<'a> {
    fast: &'a str,
    slow: &'a str,
    patterns: Vec<&'a str>,
    /// Time of the slowest machine divided by the time of the fastest.
    ratios: Vec<f64>,
}

/// Compares the fastest with the slowest machine among those that lose nothing.
fn bit_times(runs: &[RunReport]) -> String {
    let mut groups: Vec<PatternGroup> = vec![];
    for pattern in patterns(runs) {
        let runs = runs.iter().filter(|run| run.pattern == pattern);
        let complete = ranked(runs, |run| {
            (run.lost == 0 && run.bit_times > 0).then_some(run.bit_times as f64)
        });
        let [(fast, shortest), .., (slow, longest)] = complete[..] else {
            continue;
        };
        if shortest == longest {
            continue;
        }
        let (fast, slow) = (fast.machine, slow.machine);
        let known = groups.iter().position(|g| (g.fast, g.slow) == (fast, slow));
        let known = known.unwrap_or_else(|| {
            groups.push(PatternGroup {
                fast,
                slow,
                patterns: vec![],
                ratios: vec![],
            });
            groups.len() - 1
        });
        groups[known].patterns.push(pattern);
        groups[known].ratios.push(longest / shortest);
    }
    let sentence = |group: &PatternGroup| {
        let ratios = group.ratios.iter().copied();
        let least = ratios.clone().fold(f64::INFINITY, f64::min);
        let most = ratios.fold(0.0, f64::max);
        let range = match format!("{least:.1}") == format!("{most:.1}") {
            true => format!("{most:.1}"),
            false => format!("{least:.1} to {most:.1}"),
        };
        format!(
            "On {} {} needs the fewest bit-times and {} the most, {range} times as many. ",
            group.patterns.join(", "),
            group.fast,
            group.slow
        )
    };
    groups.iter().map(sentence).collect()
}

/// Every pattern once, in order.
fn patterns(runs: &[RunReport]) -> Vec<&str> {
    let mut patterns: Vec<&str> = vec![];
    for run in runs {
        if !patterns.contains(&run.pattern.as_str()) {
            patterns.push(&run.pattern);
        }
    }
    patterns
}

/// Names the machine with the best throughput per cell, and the number of patterns for which it is
/// best.
fn per_second(runs: &[RunReport]) -> String {
    let patterns = patterns(runs);
    let best: Vec<&RunReport> = patterns
        .iter()
        .filter_map(|pattern| {
            let runs = runs.iter().filter(|run| run.pattern == *pattern);
            let ranked = ranked(runs, |run| run.per_second_and_1000_node_cells);
            (ranked.len() > 1).then(|| ranked.last().map(|(run, _)| *run))?
        })
        .collect();
    let mut winners: Vec<&str> = best.iter().map(|run| run.machine).collect();
    winners.sort_unstable();
    winners.dedup();
    match winners[..] {
        [] => String::new(),
        [only] => format!(
            "For the logic cells of its nodes {only} carries the most messages per second, on every \
             pattern. "
        ),
        _ => {
            let of = |winner: &&str| {
                let wins: Vec<&str> = best
                    .iter()
                    .filter(|run| run.machine == *winner)
                    .map(|run| run.pattern.as_str())
                    .collect();
                format!("{winner} on {}", wins.join(", "))
            };
            let all: Vec<String> = winners.iter().map(of).collect();
            format!(
                "For the logic cells of its nodes the most messages per second are carried by {}. ",
                all.join(" and by ")
            )
        }
    }
}

fn saturation(comparison: &Comparison) -> String {
    let mut text = String::new();
    for m in &comparison.machines {
        let points = || {
            comparison
                .offered_load
                .iter()
                .filter(|p| p.machine == m.machine)
        };
        let held = points().rfind(|p| !p.saturated);
        let limit = points().find(|p| p.saturated);
        text += &match (held, limit) {
            (Some(held), Some(limit)) => format!(
                "{} keeps up with a load of {} and no more with {} messages per node and {}: \
                 {:.2} and {:.2} per node in 1000 bit-times. ",
                m.machine,
                held.load,
                limit.load,
                m.timebase.period_name,
                held.offered_per_1000_bit_times,
                limit.offered_per_1000_bit_times
            ),
            (Some(held), None) => format!(
                "{} keeps up with all loads that were tried, up to {} per node and {}. ",
                m.machine,
                format_count(held.load, "message"),
                m.timebase.period_name
            ),
            (None, Some(limit)) => format!(
                "{} is saturated by the lowest load that was tried, {} messages per node and {}. ",
                m.machine, limit.load, m.timebase.period_name
            ),
            (None, None) => String::new(),
        };
    }
    text
}
