//! The plots, as SVG. Colours are fixed words; the page's style sheet gives them
//! their look, so that one picture serves on light and on dark.

use super::{Comparison, MachineReport};
use plotters::prelude::*;

/// Width and height of a plot.
const SIZE: (u32, u32) = (760, 420);

/// Lines and text.
pub const INK: &str = "#1F2937";
/// The grid.
pub const GRID: &str = "#D5DAE1";
/// The machines, in order; the colours are told apart by the colour-blind too.
pub const SERIES: [&str; 4] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"];

/// A curve of a machine.
struct Curve {
    machine: usize,
    name: String,
    points: Vec<(f64, f64)>,
}

struct Axes<'a> {
    title: &'a str,
    x: &'a str,
    y: &'a str,
    /// Where curves are not.
    legend: SeriesLabelPosition,
}

/// A plot and the section that it belongs to.
pub struct Plot {
    pub section: &'static str,
    pub svg: String,
}

/// All that there are points for.
pub fn plots(comparison: &Comparison) -> Vec<Plot> {
    let mut plots = vec![];
    let mut add = |section, svg: Option<String>| {
        plots.extend(svg.map(|svg| Plot { section, svg }));
    };
    add("silicon", cells(comparison));
    let axes = Axes {
        title: "Bit-times until all have arrived",
        x: "messages per processor",
        y: "bit-times",
        legend: SeriesLabelPosition::UpperLeft,
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
    add("messages_per_processor", lines(&axes, &curves));
    let loads = &comparison.offered_load;
    let axes = Axes {
        title: "Median latency against load, in bit-times",
        x: "messages per node and 1000 bit-times",
        y: "bit-times",
        // The machines whose bit-times are worth less saturate on the left.
        legend: SeriesLabelPosition::UpperRight,
    };
    let absolute = self::curves(comparison, |m| {
        let points = loads.iter().filter(|p| p.machine == m.machine);
        let place = |p: &super::LoadPoint| (p.offered_per_1000_bit_times, p.latency.p50 as f64);
        points.map(place).collect()
    });
    add("offered_load", lines(&axes, &absolute));
    let axes = Axes {
        title: "Median latency against load, in each machine's own periods",
        x: "messages per node and period",
        y: "periods",
        legend: SeriesLabelPosition::UpperLeft,
    };
    let own = self::curves(comparison, |m| {
        let points = loads.iter().filter(|p| p.machine == m.machine);
        points.map(|p| (p.offered, p.p50_periods)).collect()
    });
    add("offered_load", lines(&axes, &own));
    plots
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

fn colour(text: &str) -> RGBColor {
    let part = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).expect("#RRGGBB");
    RGBColor(part(1), part(3), part(5))
}

fn series(machine: usize) -> RGBColor {
    colour(SERIES[machine % SERIES.len()])
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour(INK))
}

/// Both axes logarithmic; `None` if there is nothing to draw.
fn lines(axes: &Axes, curves: &[Curve]) -> Option<String> {
    let shown = |p: &&(f64, f64)| p.0 > 0.0 && p.1 > 0.0;
    let all = || curves.iter().flat_map(|c| &c.points).filter(shown);
    let range = |value: fn(&(f64, f64)) -> f64, room: f64| {
        let low = all().map(value).fold(f64::INFINITY, f64::min);
        let high = all().map(value).fold(0.0, f64::max);
        low / 1.25..high * room
    };
    all().next()?;
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    let drawn = (|| {
        let mut chart = ChartBuilder::on(&root)
            .caption(axes.title, font(18))
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(80)
            .build_cartesian_2d(
                range(|p| p.0, 1.25).log_scale(),
                // Room for the legend.
                range(|p| p.1, 3.0).log_scale(),
            )?;
        chart
            .configure_mesh()
            .x_desc(axes.x)
            .y_desc(axes.y)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .axis_style(colour(INK))
            .bold_line_style(colour(GRID))
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&|value| short(*value))
            .y_label_formatter(&|value| short(*value))
            .draw()?;
        for curve in curves.iter().filter(|curve| !curve.points.is_empty()) {
            let colour = series(curve.machine);
            let points: Vec<_> = curve.points.iter().filter(shown).copied().collect();
            let legend = move |(x, y)| mark(curve.machine, (x + 10, y));
            chart
                .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
                .label(&curve.name)
                .legend(legend);
            chart.draw_series(points.into_iter().map(|p| mark(curve.machine, p)))?;
        }
        chart
            .configure_series_labels()
            .position(axes.legend.clone())
            .label_font(font(14))
            .border_style(colour(GRID))
            .draw()?;
        root.present()
    })();
    drop(root);
    drawn.ok().map(|()| svg)
}

/// A point of a machine: each has a form of its own.
fn mark<'b, C: Clone + 'static>(machine: usize, at: C) -> DynElement<'static, SVGBackend<'b>, C> {
    let filled = series(machine).filled();
    match machine % 3 {
        0 => Circle::new(at, 5, filled).into_dyn(),
        1 => TriangleMarker::new(at, 7, filled).into_dyn(),
        _ => Cross::new(at, 5, series(machine).stroke_width(3)).into_dyn(),
    }
}

/// Logic cells as bars: the router, and in outline the whole node.
fn cells(comparison: &Comparison) -> Option<String> {
    let costs: Option<Vec<_>> = comparison
        .machines
        .iter()
        .map(|m| {
            let silicon = m.silicon.as_ref()?;
            let cells = |part: &super::PartCost| part.cost.logic_cells as f64;
            Some((m.machine, cells(&silicon.router), cells(&silicon.node)))
        })
        .collect();
    let costs = costs?;
    let most = costs.iter().map(|c| c.2).fold(1.0, f64::max);
    let height = 110 + 64 * costs.len() as u32;
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (SIZE.0, height)).into_drawing_area();
    let drawn = (|| {
        let mut chart = ChartBuilder::on(&root)
            .caption(
                "Logic cells of a node: filled the router, in outline all",
                font(18),
            )
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(20)
            .build_cartesian_2d(0.0..most * 1.3, 0.0..costs.len() as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_desc("logic cells")
            .label_style(font(13))
            .axis_desc_style(font(14))
            .axis_style(colour(INK))
            .bold_line_style(colour(GRID))
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&|value| short(*value))
            .draw()?;
        for (i, (name, router, node)) in costs.iter().enumerate() {
            // The first machine on top.
            let low = (costs.len() - 1 - i) as f64 + 0.12;
            let (middle, high) = (low + 0.26, low + 0.52);
            let colour = series(i);
            let bar = |to: f64, style: ShapeStyle| Rectangle::new([(0.0, low), (to, high)], style);
            let text = format!("{router:.0} of {node:.0}");
            chart.draw_series([
                bar(*router, colour.filled()),
                bar(*node, colour.stroke_width(2)),
            ])?;
            chart.draw_series([
                Text::new((*name).to_owned(), (0.0, high + 0.28), font(14)),
                Text::new(text, (node + most * 0.015, middle + 0.1), font(14)),
            ])?;
        }
        root.present()
    })();
    drop(root);
    drawn.ok().map(|()| svg)
}

/// A number on an axis.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 1e4 => format!("{}k", v / 1e3),
        v if v >= 1.0 => format!("{}", (v * 100.0).round() / 100.0),
        v => format!("{}", (v * 1e4).round() / 1e4),
    }
}
