//! Charts of a comparison.

use super::{Comparison, LoadPoint, MachineReport, PartCost};
use crate::report::display_name;
use page::chart::{Axis, Bar, BarChart, Chart, Curve, LineChart, Point, Scale};

/// Charts for which there is data, each with the id of its section.
pub(super) fn charts(comparison: &Comparison) -> Vec<(&'static str, Chart)> {
    let lines = [
        ("messages_per_processor", completion(comparison)),
        ("saturation", accepted(comparison)),
        ("saturation", latency(comparison)),
        ("saturation", latency_in_periods(comparison)),
    ];
    let lines = lines.into_iter().filter(|(_, chart)| !chart.is_empty());
    let lines = lines.map(|(section, chart)| (section, Chart::Lines(chart)));
    let cells = cells(comparison).map(|chart| ("silicon", Chart::Bars(chart)));
    cells.into_iter().chain(lines).collect()
}

fn cells(comparison: &Comparison) -> Option<BarChart> {
    let cells = |part: &PartCost| part.cost.logic_cells as f64;
    let bar = |m: &MachineReport| {
        let silicon = m.silicon.as_ref()?;
        Some(Bar {
            name: display_name(m.machine),
            family: m.network,
            filled: cells(&silicon.router),
            outline: cells(&silicon.node),
        })
    };
    let bars: Vec<Bar> = comparison.machines.iter().filter_map(bar).collect();
    (!bars.is_empty()).then(|| BarChart {
        id: "cells",
        title: "Logic cells of a router (filled) and of the whole node (outline)".into(),
        axis: "Size, logic cells".into(),
        bars,
    })
}

fn curves(comparison: &Comparison, points: impl Fn(&MachineReport) -> Vec<Point>) -> Vec<Curve> {
    let curve = |m: &MachineReport| Curve {
        name: display_name(m.machine),
        family: m.network,
        points: points(m),
    };
    comparison.machines.iter().map(curve).collect()
}

fn load_curves(
    comparison: &Comparison,
    place: impl Fn(&LoadPoint) -> Option<(f64, f64)>,
) -> Vec<Curve> {
    curves(comparison, |m| {
        let points = comparison.offered_load.iter();
        let points = points.filter(|p| p.machine == m.machine);
        let point = |p: &LoadPoint| {
            let (x, y) = place(p)?;
            let hollow = p.saturated;
            Some(Point { x, y, hollow })
        };
        points.filter_map(point).collect()
    })
}

fn completion(comparison: &Comparison) -> LineChart {
    let setup = &comparison.setup;
    let processors = (setup.nodes * u64::from(setup.processors)) as f64;
    let runs = &comparison.messages_per_processor;
    LineChart {
        id: "completion",
        title: "Time until the last message has arrived".into(),
        x: Axis::new("Messages per processor", Scale::Linear),
        y: Axis::new("Time, bit-times", Scale::Log),
        curves: curves(comparison, |m| {
            let runs = runs.iter().filter(|run| run.machine == m.machine);
            let point = |run: &super::ComparisonRun| Point {
                x: (run.messages + run.stayed) as f64 / processors,
                y: run.bit_times as f64,
                hollow: false,
            };
            runs.map(point).collect()
        }),
        references: vec![],
    }
}

fn accepted(comparison: &Comparison) -> LineChart {
    let most = comparison.offered_load.iter().map(|p| p.offered);
    let most = most.fold(0.0, f64::max);
    LineChart {
        id: "accepted",
        title: "Accepted load against offered load (hollow: saturated)".into(),
        x: Axis::new("Offered, messages per node and period", Scale::Linear),
        y: Axis::new("Accepted, messages per node and period", Scale::Linear),
        curves: load_curves(comparison, |p| Some((p.offered, p.accepted))),
        references: vec![("ideal".into(), [(0.0, 0.0), (most, most)])],
    }
}

fn latency(comparison: &Comparison) -> LineChart {
    LineChart {
        id: "latency",
        title: "Latency against load (hollow: saturated)".into(),
        x: Axis::new("Messages per node in 1,000 bit-times", Scale::Log),
        y: Axis::new("Median latency, bit-times", Scale::Log),
        curves: load_curves(comparison, |p| {
            Some((p.offered_per_1000_bit_times, p.latency.p50? as f64))
        }),
        references: vec![],
    }
}

fn latency_in_periods(comparison: &Comparison) -> LineChart {
    LineChart {
        id: "periods",
        title: "Latency against load, in each machine's own periods (hollow: saturated)".into(),
        x: Axis::new("Messages per node and period", Scale::Linear),
        y: Axis::new("Median latency, periods", Scale::Log),
        curves: load_curves(comparison, |p| Some((p.offered, p.p50_periods?))),
        references: vec![],
    }
}
