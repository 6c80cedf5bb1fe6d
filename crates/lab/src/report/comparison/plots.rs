//! Plots as SVG. Each is drawn for wide screens and for phones. A title and a description serve
//! readers who do not see the plot.

mod bars;
mod lines;
mod paper;

pub use lines::{Axes, Curve};

pub use paper::{GRID, INK, SERIES};

use super::{Comparison, MachineReport};
use crate::report::xml::escaped;
use paper::{PlotArea, NARROW, WIDE};
use plotters::prelude::SeriesLabelPosition;

/// Plot and the section that it belongs to.
pub struct Plot {
    pub section: &'static str,
    pub title: &'static str,
    /// Wide and narrow version.
    pub svgs: [String; 2],
}

/// Makes all plots for which there is data.
pub fn plots(comparison: &Comparison) -> Vec<Plot> {
    let mut plots: Vec<Plot> = vec![];
    if let Some(bars) = bars::bars(comparison) {
        plots.extend(plot(
            (0, "silicon"),
            "Logic cells of a node: filled the router, in outline all",
            &bars::description(&bars),
            |paper| bars::draw(paper, &bars),
        ));
    }
    let mut add_lines = |section, title, axes: Axes, curves: &[Curve]| {
        let place = (plots.len(), section);
        plots.extend(line_plot(place, title, &axes, curves));
    };
    let runs = &comparison.messages_per_processor;
    let processors = comparison.setup.nodes * u64::from(comparison.setup.processors);
    let curves = curves(comparison, |m| {
        let runs = runs.iter().filter(|run| run.machine == m.machine);
        runs.map(|run| {
            let all = run.messages + run.stayed;
            (all as f64 / processors as f64, run.bit_times as f64)
        })
        .collect()
    });
    add_lines(
        "messages_per_processor",
        "Bit-times until all have arrived",
        Axes {
            x: "messages per processor",
            y: "bit-times",
            legend: SeriesLabelPosition::UpperLeft,
        },
        &curves,
    );
    let loads = &comparison.offered_load;
    let absolute = self::curves(comparison, |m| {
        let points = loads.iter().filter(|p| p.machine == m.machine);
        let place = |p: &super::LoadPoint| {
            let p50 = p.latency.p50? as f64;
            Some((p.offered_per_1000_bit_times, p50))
        };
        points.filter_map(place).collect()
    });
    add_lines(
        "offered_load",
        "Median latency against load, in bit-times",
        Axes {
            x: "messages per node and 1000 bit-times",
            y: "bit-times",
            // Machines with many bit-times per message saturate at the left.
            legend: SeriesLabelPosition::UpperRight,
        },
        &absolute,
    );
    let own = self::curves(comparison, |m| {
        let points = loads.iter().filter(|p| p.machine == m.machine);
        let place = |p: &super::LoadPoint| Some((p.offered, p.p50_periods?));
        points.filter_map(place).collect()
    });
    add_lines(
        "offered_load",
        "Median latency against load, in each machine's own periods",
        Axes {
            x: "messages per node and period",
            y: "periods",
            legend: SeriesLabelPosition::UpperLeft,
        },
        &own,
    );
    plots
}

/// Plots curves. `place` is the number of the plot on the page and its section. `None` if there is
/// nothing to draw.
pub fn line_plot(
    place: (usize, &'static str),
    title: &'static str,
    axes: &Axes,
    curves: &[Curve],
) -> Option<Plot> {
    let description = lines::description(axes, curves);
    plot(place, title, &description, |paper| {
        lines::draw(paper, axes, curves)
    })
}

fn plot(
    (number, section): (usize, &'static str),
    title: &'static str,
    description: &str,
    draw: impl Fn(&PlotArea) -> Option<String>,
) -> Option<Plot> {
    let drawn = |paper: &PlotArea, kind: &str| {
        let id = format!("plot-{number}-{kind}");
        Some(labelled(&draw(paper)?, &id, title, description))
    };
    Some(Plot {
        section,
        title,
        svgs: [drawn(&WIDE, "wide")?, drawn(&NARROW, "narrow")?],
    })
}

fn curves(
    comparison: &Comparison,
    points: impl Fn(&MachineReport) -> Vec<(f64, f64)>,
) -> Vec<Curve> {
    let machines = comparison.machines.iter().enumerate();
    machines
        .map(|(machine, m)| Curve {
            machine,
            name: m.machine.into(),
            points: points(m),
        })
        .collect()
}

/// Adds title and description to a picture, because the plotter writes none.
fn labelled(svg: &str, id: &str, title: &str, description: &str) -> String {
    let Some((head, body)) = svg.split_once('>') else {
        return svg.into();
    };
    format!(
        "{head} role=\"img\" aria-labelledby=\"{id}-title {id}-description\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-description\">{}</desc>{body}",
        escaped(title),
        escaped(description)
    )
}

/// Short form of a number on an axis.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 1e4 => format!("{}k", v / 1e3),
        v if v >= 1.0 => format!("{}", (v * 100.0).round() / 100.0),
        v => format!("{}", (v * 1e4).round() / 1e4),
    }
}
