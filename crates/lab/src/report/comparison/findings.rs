//! The results of a comparison in a few sentences. They depend on the measured numbers.

use super::{Comparison, ComparisonRun, LoadPoint, MachineReport};
use crate::report::display_name;
use machine::format_number;
use machine::text::format_count;
use page::{grouped, Best, Finding};

/// Returns the results, the most important one first.
pub(super) fn findings(comparison: &Comparison) -> Vec<Finding> {
    let findings = [
        speed(&comparison.runs),
        per_wire(&comparison.runs),
        wires(&comparison.machines),
        cells(&comparison.machines),
        per_cell(&comparison.runs),
        load(comparison),
    ];
    let mut findings: Vec<Finding> = findings.into_iter().flatten().collect();
    // Wires are in the finding about messages per wire, too.
    if findings.len() > 5 {
        findings.remove(2);
    }
    for finding in &mut findings {
        finding.figures = grouped(&finding.figures);
    }
    findings
}

/// Restrictions of the results.
pub(super) fn warnings(comparison: &Comparison) -> Vec<String> {
    let left_out = comparison.left_out.iter().map(ToString::to_string);
    let no_runs = comparison.no_runs.iter().map(ToString::to_string);
    let losses = comparison.runs.iter().filter(|run| run.lost > 0);
    let losses = losses.map(|run| {
        format!(
            "{} loses {} of {} on {}.",
            display_name(run.machine),
            run.lost,
            format_count(run.messages, "message"),
            run.pattern
        )
    });
    left_out.chain(no_runs).chain(losses).collect()
}

/// The machine that wins on most patterns, and the first such pattern.
struct Contest<'a> {
    wins: usize,
    patterns: usize,
    best: (&'a ComparisonRun, f64),
    worst: (&'a ComparisonRun, f64),
}

impl Contest<'_> {
    fn on(&self) -> String {
        match (self.wins, self.patterns) {
            (_, 1) => format!("on {}", self.best.0.pattern),
            (2, 2) => "on both patterns".to_owned(),
            (wins, all) if wins == all => format!("on all {all} patterns"),
            (wins, all) => format!("on {wins} of {all} patterns"),
        }
    }

    fn winner(&self) -> String {
        display_name(self.best.0.machine)
    }

    fn loser(&self) -> String {
        display_name(self.worst.0.machine)
    }

    fn ratio(&self) -> String {
        let (best, worst) = (self.best.1, self.worst.1);
        let ratio = best.max(worst) / best.min(worst);
        format_number(Some(ratio), if ratio < 10.0 { 1 } else { 0 })
    }
}

/// Compares machines that lose nothing. `None` if fewer than two have this figure.
fn contest(
    runs: &[ComparisonRun],
    best: Best,
    figure: impl Fn(&ComparisonRun) -> Option<f64>,
) -> Option<Contest<'_>> {
    let mut results = vec![];
    for pattern in patterns(runs) {
        let runs = runs.iter().filter(|run| run.pattern == pattern);
        let complete = runs.filter(|run| run.lost == 0 && run.bit_times > 0);
        let ranked = ranked(complete, &figure);
        if let [lowest, .., highest] = ranked[..] {
            results.push(match best {
                Best::Lowest => (lowest, highest),
                Best::Highest => (highest, lowest),
            });
        }
    }
    let wins = |machine: &str| {
        let won = results.iter().filter(|(best, _)| best.0.machine == machine);
        won.count()
    };
    // The first of those that win equally often.
    let most = results.iter().map(|(best, _)| wins(best.0.machine)).max()?;
    let (best, worst) = results.iter().find(|(best, _)| wins(best.0.machine) == most)?;
    Some(Contest { wins: most, patterns: results.len(), best: *best, worst: *worst })
}

/// Every pattern once, in order.
fn patterns(runs: &[ComparisonRun]) -> Vec<&str> {
    let mut patterns: Vec<&str> = vec![];
    for run in runs {
        if !patterns.contains(&run.pattern.as_str()) {
            patterns.push(&run.pattern);
        }
    }
    patterns
}

/// Sorts by a figure in ascending order, without those that lack it.
fn ranked<'a, T>(
    items: impl IntoIterator<Item = &'a T>,
    figure: impl Fn(&T) -> Option<f64>,
) -> Vec<(&'a T, f64)> {
    let figures = items.into_iter();
    let figures = figures.filter_map(|item| Some((item, figure(item)?)));
    let mut ranked: Vec<_> = figures.collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    ranked
}

fn speed(runs: &[ComparisonRun]) -> Option<Finding> {
    let Some(found) = contest(runs, Best::Lowest, |run| Some(run.bit_times as f64)) else {
        let run = runs.first()?;
        return Some(Finding {
            summary: format!("{} delivers {}", display_name(run.machine), run.pattern),
            figures: format!(
                "{} of {} arrive within {} bit-times.",
                run.delivered,
                format_count(run.messages, "message"),
                run.bit_times
            ),
        });
    };
    Some(Finding {
        summary: format!("{} needs the fewest bit-times {}", found.winner(), found.on()),
        figures: format!(
            "On {} it needs {}. {} needs the most, {}, which is {} times as many.",
            found.best.0.pattern,
            found.best.1,
            found.loser(),
            found.worst.1,
            found.ratio(),
        ),
    })
}

fn per_wire(runs: &[ComparisonRun]) -> Option<Finding> {
    let found = contest(runs, Best::Highest, |run| run.per_1000_wire_bit_times)?;
    Some(Finding {
        summary: format!("{} carries the most per wire {}", found.winner(), found.on()),
        figures: format!(
            "On {} each of its wires carries {:.1} messages in 1000 bit-times. {} carries {:.2}, \
             {} times fewer.",
            found.best.0.pattern,
            found.best.1,
            found.loser(),
            found.worst.1,
            found.ratio(),
        ),
    })
}

fn wires(machines: &[MachineReport]) -> Option<Finding> {
    let ranked = ranked(machines, |m| Some(m.wires.per_node));
    let [(few, fewest), .., (many, most)] = ranked[..] else {
        return None;
    };
    (fewest < most).then(|| Finding {
        summary: format!("{} has the fewest wires", display_name(few.machine)),
        figures: format!(
            "It has {} per node, and {} has {most}.",
            format_count(fewest, "wire"),
            display_name(many.machine)
        ),
    })
}

fn cells(machines: &[MachineReport]) -> Option<Finding> {
    let routers = ranked(machines, |m| Some(m.silicon.as_ref()?.router.cost.logic_cells as f64));
    let nodes = ranked(machines, |m| Some(m.silicon.as_ref()?.node.cost.logic_cells as f64));
    let ([(small, least), .., (large, most)], [(_, light), .., (_, heavy)]) =
        (&routers[..], &nodes[..])
    else {
        return None;
    };
    Some(Finding {
        summary: format!("{} has the smallest router", display_name(small.machine)),
        figures: format!(
            "It takes {least} logic cells. The largest, of {}, takes {most}. With processors, nodes \
             take {light} to {heavy}.",
            display_name(large.machine),
        ),
    })
}

fn per_cell(runs: &[ComparisonRun]) -> Option<Finding> {
    let found = contest(runs, Best::Highest, |run| run.per_second_and_1000_node_cells)?;
    Some(Finding {
        summary: format!(
            "{} carries the most per logic cell {}",
            found.winner(),
            found.on()
        ),
        figures: format!(
            "On {} 1000 cells of its nodes carry {:.0} messages a second. Those of {} carry {:.0}, {} \
             times fewer.",
            found.best.0.pattern,
            found.best.1,
            found.loser(),
            found.worst.1,
            found.ratio(),
        ),
    })
}

/// Highest load of a machine before saturation.
pub(super) fn held_load<'a>(comparison: &'a Comparison, machine: &str) -> Option<&'a LoadPoint> {
    let points = comparison.offered_load.iter();
    points.filter(|p| p.machine == machine).rfind(|p| !p.saturated)
}

fn load(comparison: &Comparison) -> Option<Finding> {
    let ranked = ranked(&comparison.machines, |m| {
        Some(held_load(comparison, m.machine)?.offered_per_1000_bit_times)
    });
    let [(low, lowest), .., (high, highest)] = ranked[..] else {
        return None;
    };
    Some(Finding {
        summary: format!("{} keeps up with the highest steady load", display_name(high.machine)),
        figures: format!(
            "It carries {highest:.1} messages per node in 1000 bit-times before it saturates. {} \
             carries {lowest:.2}.",
            display_name(low.machine),
        ),
    })
}
