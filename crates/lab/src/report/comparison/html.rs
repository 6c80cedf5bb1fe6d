//! The report as one self-contained page.

use super::plots::{self, Plot};
use super::tables::{self, selected_notes};
use super::{Comparison, RunReport, Section};
use crate::report::escaped;
use machine::format_count::format_count;
use std::fmt::Write;

/// Returns the report as an HTML page.
pub fn page(comparison: &Comparison) -> String {
    let setup = &comparison.setup;
    let names: Vec<&str> = comparison.machines.iter().map(|m| m.machine).collect();
    let title = format!("{} on the same messages", names.join(", "));
    let plots = plots::plots(comparison);
    let mut body = format!(
        "<h1>{}</h1>\n<p>{}.</p>\n",
        escaped(&title),
        escaped(&tables::headline(comparison))
    );
    let left_out = comparison.left_out.iter().map(ToString::to_string);
    let no_runs = comparison.no_runs.iter().map(ToString::to_string);
    let words = [terms(comparison)].into_iter();
    let words = words.chain(paragraphs(comparison));
    for paragraph in left_out.chain(no_runs).chain(words) {
        let _ = writeln!(body, "<p class=\"shows\">{}</p>", escaped(&paragraph));
    }
    for section in tables::sections(comparison) {
        body += &with_plots(&section, &plots);
    }
    let _ = writeln!(
        body,
        "<footer>\n<p>Made by</p>\n<pre>{}</pre>\n<p>Phasecube {}{}. The figures are in \
         machines.csv, runs.csv, messages_per_processor.csv, offered_load.csv and compare.json, \
         too.</p>\n</footer>",
        escaped(&setup.command),
        setup.version,
        match setup.tools.is_empty() {
            true => String::new(),
            false => format!(", synthesis with {}", escaped(&setup.tools.join(" and "))),
        }
    );
    document(&title, &body)
}

/// Section with its plots, its table and its note.
pub fn with_plots(section: &Section, plots: &[Plot]) -> String {
    let mut text = format!(
        "<section id=\"{}\">\n<h2>{}</h2>\n",
        section.id,
        escaped(&section.title)
    );
    for plot in plots.iter().filter(|plot| plot.section == section.id) {
        let [wide, narrow] = plot.svgs.each_ref().map(|svg| svg.trim());
        let _ = writeln!(
            text,
            "<figure>\n<figcaption>{}</figcaption>\n<div class=\"on-wide\">{wide}</div>\n\
             <div class=\"on-narrow\">{narrow}</div>\n</figure>",
            escaped(plot.title)
        );
    }
    text += &table(section);
    let _ = writeln!(
        text,
        "<p class=\"note\">{}</p>\n</section>",
        escaped(&section.note)
    );
    text
}

/// Complete page.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(title),
        style()
    )
}

fn table(section: &Section) -> String {
    let table = &section.table;
    let line = |cells: &[String], tag: &str| {
        let mut text = String::from("<tr>");
        for (i, cell) in cells.iter().enumerate() {
            let class = if i < table.left {
                " class=\"text\""
            } else {
                ""
            };
            let _ = write!(text, "<{tag}{class}>{}</{tag}>", escaped(cell));
        }
        text + "</tr>\n"
    };
    let rows: String = table.rows.iter().map(|row| line(row, "td")).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead>\n{}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        escaped(&section.title),
        line(&table.headings, "th")
    )
}

/// Lighter plot colours for a dark background.
const DARK_SERIES: [&str; plots::SERIES.len()] = [
    "#56B4E9", "#F5A35C", "#4FD1A5", "#E9A8CF", "#F0E442", "#B9C4D0", "#B79CEB",
];

fn style() -> String {
    let mut dark = String::new();
    let recolour = [(plots::INK, "#E5E7EB"), (plots::GRID, "#3A4352")];
    let series = plots::SERIES.into_iter().zip(DARK_SERIES);
    for (light, shade) in recolour.into_iter().chain(series) {
        let _ = writeln!(
            dark,
            "  svg [fill=\"{light}\"] {{ fill: {shade}; }}\n  svg [stroke=\"{light}\"] {{ stroke: {shade}; }}"
        );
    }
    format!(
        "{STYLE}@media (prefers-color-scheme: dark) {{\n  :root {{ --paper: #11161D; --ink: #E5E7EB; \
         --faint: #9BA5B4; --rule: #3A4352; --stripe: #18202A; }}\n{dark}}}\n"
    )
}

const STYLE: &str = "\
:root { --paper: #FFFFFF; --ink: #1F2937; --faint: #55606F; --rule: #D5DAE1; --stripe: #F5F7F9; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h1, p, td, th { overflow-wrap: break-word; }
figure { margin: 0 0 1rem; }
figcaption { font-weight: 600; margin: 0 0 .5rem; }
svg { display: block; width: 100%; height: auto; }
.on-wide { max-width: 760px; }
.on-narrow { max-width: 480px; }
@media (max-width: 799px) { .on-wide { display: none; } }
@media (min-width: 800px) { .on-narrow { display: none; } }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
.text { text-align: left; }
#verdicts td { white-space: normal; min-width: 8rem; vertical-align: top; }
tbody tr:nth-child(even) { background: var(--stripe); }
.note, footer { color: var(--faint); font-size: .875rem; max-width: 46rem; }
pre { overflow-x: auto; padding: .75rem; background: var(--stripe); color: var(--ink); }
";

// Text of the report: explains its terms, and describes the figures. The text depends on the
// measured numbers.

/// Explains the terms that the report needs.
pub(super) fn terms(comparison: &Comparison) -> String {
    let terms = selected_notes(comparison, |note| note.terms);
    format!("The words. {}", terms.trim_end())
}

/// Paragraphs about cost and about traffic.
pub(super) fn paragraphs(comparison: &Comparison) -> Vec<String> {
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
        text += "Nodes of this cube were not synthesised, so their cells and clocks are not \
                 listed. ";
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
