//! Plots as SVG. Each is drawn for wide screens and for phones. A title and a description serve
//! readers who do not see the plot.

use super::{Comparison, MachineReport, PartCost};
use crate::report::escaped;
use plotters::prelude::{SeriesLabelPosition, *};
use std::ops::Range;

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
    if let Some(bars) = bars(comparison) {
        plots.extend(plot(
            (0, "silicon"),
            "Logic cells of a node: filled the router, in outline all",
            &bars_description(&bars),
            |paper| draw_bars(paper, &bars),
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
    let description = curves_description(axes, curves);
    plot(place, title, &description, |paper| {
        draw_curves(paper, axes, curves)
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

// Bar chart of logic cells: filled for the router, in outline for the whole node.

/// Machine with the logic cells of its router and of its node.
struct CellBar {
    machine: &'static str,
    router: f64,
    node: f64,
}

/// Bars of the synthesised machines, or `None` if there are none.
fn bars(comparison: &Comparison) -> Option<Vec<CellBar>> {
    let machines = comparison.machines.iter();
    let bars = machines.filter_map(|m| {
        let silicon = m.silicon.as_ref()?;
        let cells = |part: &PartCost| part.cost.logic_cells as f64;
        Some(CellBar {
            machine: m.machine,
            router: cells(&silicon.router),
            node: cells(&silicon.node),
        })
    });
    let bars: Vec<CellBar> = bars.collect();
    (!bars.is_empty()).then_some(bars)
}

/// Describes the plot in words.
fn bars_description(bars: &[CellBar]) -> String {
    let bar = |b: &CellBar| format!(" {}: {} of {}.", b.machine, b.router, b.node);
    let all: String = bars.iter().map(bar).collect();
    format!("Bars: logic cells of the router, of those of the node.{all}")
}

fn draw_bars(paper: &PlotArea, bars: &[CellBar]) -> Option<String> {
    let most = bars.iter().map(|b| b.node).fold(1.0, f64::max);
    let height = 90 + 64 * bars.len() as u32;
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (paper.width, height)).into_drawing_area();
    let drawn = (|| {
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(8)
            .build_cartesian_2d(0.0..most * 1.1, 0.0..bars.len() as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_desc("logic cells")
            // A number is up to six letters wide.
            .x_labels((paper.width / (6 * paper.font)) as usize)
            .label_style(paper.text())
            .axis_desc_style(paper.text())
            .axis_style(colour(INK))
            .bold_line_style(colour(GRID))
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&|value| short(*value))
            .draw()?;
        for (i, b) in bars.iter().enumerate() {
            // The first machine is at the top.
            let low = (bars.len() - 1 - i) as f64 + 0.12;
            let high = low + 0.52;
            let colour = series(i);
            let bar = |to: f64, style: ShapeStyle| Rectangle::new([(0.0, low), (to, high)], style);
            chart.draw_series([
                bar(b.router, colour.filled()),
                bar(b.node, colour.stroke_width(2)),
            ])?;
            let text = format!("{}: {} of {}", b.machine, b.router, b.node);
            chart.draw_series([Text::new(text, (0.0, high + 0.28), paper.text())])?;
        }
        root.present()
    })();
    drop(root);
    drawn.ok().map(|()| svg)
}

// Curves over two logarithmic axes.

/// Curve of a machine.
pub struct Curve {
    pub machine: usize,
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// Points that have a logarithm.
    fn positive_points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let points = self.points.iter().copied();
        points.filter(|p| p.0 > 0.0 && p.1 > 0.0)
    }
}

pub struct Axes {
    pub x: &'static str,
    pub y: &'static str,
    /// Corner without curves.
    pub legend: SeriesLabelPosition,
}

/// Describes the plot in words.
fn curves_description(axes: &Axes, curves: &[Curve]) -> String {
    let mut text = format!(
        "Curves: {} against {}, both axes logarithmic.",
        axes.y, axes.x
    );
    for curve in curves {
        let points: Vec<(f64, f64)> = curve.positive_points().collect();
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            let value = |v: f64| format!("{}", (v * 100.0).round() / 100.0);
            text += &format!(
                " {}: {} {} at {}, {} at {}.",
                curve.name,
                value(first.1),
                axes.y,
                value(first.0),
                value(last.1),
                value(last.0)
            );
        }
    }
    text
}

/// Draws the curves, or returns `None` if there is nothing to draw.
fn draw_curves(paper: &PlotArea, axes: &Axes, curves: &[Curve]) -> Option<String> {
    let range = |value: fn((f64, f64)) -> f64, room: f64| -> Range<f64> {
        let all = || curves.iter().flat_map(Curve::positive_points).map(value);
        let low = all().fold(f64::INFINITY, f64::min);
        let high = all().fold(0.0, f64::max);
        low / 1.25..high * room
    };
    curves.iter().flat_map(Curve::positive_points).next()?;
    let (x, y) = (range(|p| p.0, 1.25), range(|p| p.1, paper.above));
    let (margin, below) = (12, 52);
    let across = f64::from(paper.width - paper.left - 2 * margin);
    let down = f64::from(paper.height - below - 2 * margin);
    // A label is as wide as six digits, and as high as two lines.
    let x_ticks = ticks(&x, across, 3.0 * f64::from(paper.font));
    let y_ticks = ticks(&y, down, 1.8 * f64::from(paper.font));
    let mut svg = String::new();
    let size = (paper.width, paper.height);
    let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let drawn = (|| {
        let mut chart = ChartBuilder::on(&root)
            .margin(margin)
            .x_label_area_size(below)
            .y_label_area_size(paper.left)
            .build_cartesian_2d(
                x.log_scale().with_key_points(x_ticks),
                y.log_scale().with_key_points(y_ticks),
            )?;
        chart
            .configure_mesh()
            .x_desc(axes.x)
            .y_desc(axes.y)
            .label_style(paper.text())
            .axis_desc_style(paper.text())
            .axis_style(colour(INK))
            .bold_line_style(colour(GRID))
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&|value| short(*value))
            .y_label_formatter(&|value| short(*value))
            .draw()?;
        for curve in curves.iter().filter(|curve| !curve.points.is_empty()) {
            let machine = curve.machine;
            let style = series(machine).stroke_width(3);
            let points: Vec<_> = curve.positive_points().collect();
            let legend = move |(x, y): (i32, i32)| mark(machine, (x + 10, y));
            let drawn = match dashes(machine) {
                None => chart.draw_series(LineSeries::new(points.clone(), style))?,
                Some((dash, gap)) => {
                    chart.draw_series(DashedLineSeries::new(points.clone(), dash, gap, style))?
                }
            };
            drawn.label(&curve.name).legend(legend);
            chart.draw_series(points.into_iter().map(|p| mark(machine, p)))?;
        }
        chart
            .configure_series_labels()
            .position(axes.legend.clone())
            .label_font(paper.text())
            .border_style(colour(GRID))
            .draw()?;
        root.present()
    })();
    drop(root);
    drawn.ok().map(|()| svg)
}

// Paper and pens. The colours are fixed words that the page's style sheet replaces, so one picture
// serves light and dark backgrounds.

/// Drawing area. Lengths are in pixels.
struct PlotArea {
    pub width: u32,
    pub height: u32,
    /// Font size for the plotter, which writes letters smaller by a factor of 1.24.
    pub font: u32,
    /// Space for the numbers at the left.
    pub left: u32,
    /// Space for the legend, as a factor on a logarithmic axis.
    pub above: f64,
}

/// For screens of at least 800 pixels.
const WIDE: PlotArea = PlotArea {
    width: 760,
    height: 400,
    font: 16,
    left: 76,
    above: 3.0,
};

/// For phones with screens of at least 360 pixels.
const NARROW: PlotArea = PlotArea {
    width: 336,
    height: 340,
    font: 15,
    left: 62,
    above: 12.0,
};

/// Colour of lines and text.
pub const INK: &str = "#1F2937";
/// Colour of the grid.
pub const GRID: &str = "#D5DAE1";
/// Colours of the machines, in order. Colour-blind readers can distinguish them, too.
pub const SERIES: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B58900", "#6B7280", "#6A3D9A",
];

fn colour(text: &str) -> RGBColor {
    let part = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).expect("#RRGGBB");
    RGBColor(part(1), part(3), part(5))
}

fn series(machine: usize) -> RGBColor {
    colour(SERIES[machine % SERIES.len()])
}

impl PlotArea {
    pub fn text(&self) -> TextStyle<'static> {
        ("sans-serif", self.font).into_font().color(&colour(INK))
    }
}

/// Lengths of the dashes and gaps of a machine's line, so that coinciding lines remain visible.
/// `None` is a line without gaps, which is drawn first.
fn dashes(machine: usize) -> Option<(u32, u32)> {
    const DASHES: [Option<(u32, u32)>; SERIES.len()] = [
        None,
        Some((9, 9)),
        Some((2, 5)),
        Some((16, 5)),
        Some((5, 5)),
        Some((2, 10)),
        Some((12, 12)),
    ];
    DASHES[machine % SERIES.len()]
}

/// Mark at a point of a machine. Each machine has its own shape, and marks at the same point do not
/// hide each other.
fn mark<'b, C: Clone + 'static>(machine: usize, at: C) -> DynElement<'static, SVGBackend<'b>, C> {
    let filled = series(machine).filled();
    let line = series(machine).stroke_width(2);
    match machine % SERIES.len() {
        0 => Circle::new(at, 6, filled).into_dyn(),
        1 => TriangleMarker::new(at, 5, filled).into_dyn(),
        2 => Cross::new(at, 5, line).into_dyn(),
        3 => Circle::new(at, 8, line).into_dyn(),
        4 => TriangleMarker::new(at, 9, line).into_dyn(),
        5 => Circle::new(at, 3, filled).into_dyn(),
        _ => Cross::new(at, 9, line).into_dyn(),
    }
}

/// Round numbers in a range, for a logarithmic axis with a length of `pixels`. Returns as many as
/// fit with a distance of at least `apart` pixels, or one if the range contains any.
fn ticks(range: &std::ops::Range<f64>, pixels: f64, apart: f64) -> Vec<f64> {
    const STEPS: [&[f64]; 5] = [
        &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        &[1.0, 2.0, 3.0, 5.0],
        &[1.0, 2.0, 5.0],
        &[1.0, 3.0],
        &[1.0],
    ];
    let decades = (range.end / range.start).log10();
    let first = range.start.log10().floor() as i32;
    let last = range.end.log10().ceil() as i32;
    let within = |steps: &[f64], every: i32| -> Vec<f64> {
        let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
        let all = powers.flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)));
        all.filter(|tick| range.contains(tick)).collect()
    };
    let fits = |ticks: &Vec<f64>| {
        let gap = |pair: &[f64]| (pair[1] / pair[0]).log10() / decades * pixels;
        ticks.windows(2).all(|pair| gap(pair) >= apart)
    };
    let mut choices: Vec<Vec<f64>> = STEPS.iter().map(|steps| within(steps, 1)).collect();
    choices.extend((2..=last - first).map(|every| within(&[1.0], every)));
    let found = choices
        .iter()
        .find(|ticks| !ticks.is_empty() && fits(ticks));
    match found {
        Some(ticks) => ticks.clone(),
        // All are too close together, so only one is shown.
        None => choices[0].first().copied().into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use super::{NARROW, SERIES, WIDE};

    /// Coinciding lines remain visible, because the upper ones have gaps.
    #[test]
    fn coinciding_lines_remain_visible() {
        let points = vec![(1.0, 10.0), (10.0, 100.0), (100.0, 110.0)];
        let curves: Vec<Curve> = (0..SERIES.len())
            .map(|machine| Curve {
                machine,
                name: format!("machine {machine}"),
                points: points.clone(),
            })
            .collect();
        let axes = Axes {
            x: "x",
            y: "y",
            legend: SeriesLabelPosition::UpperLeft,
        };
        for paper in [&WIDE, &NARROW] {
            let svg = draw_curves(paper, &axes, &curves).unwrap();
            // A line without gaps is one element. Each dash of a dashed line is one element, too.
            let pieces = SERIES.map(|colour| {
                let line = format!("fill=\"none\" opacity=\"1\" stroke=\"{colour}\"");
                let lines = svg.lines().filter(|l| l.starts_with("<polyline"));
                lines.filter(|l| l.contains(&line)).count()
            });
            let [solid, dashed @ ..] = pieces;
            assert_eq!(solid, 1);
            assert!(dashed.iter().all(|pieces| *pieces > 8), "{pieces:?}");
        }
        let text = curves_description(&axes, &curves[..1]);
        assert!(
            text.ends_with(" machine 0: 10 y at 1, 110 at 100."),
            "{text}"
        );
    }
}

#[cfg(test)]
mod paper_tests {
    use super::*;

    #[test]
    fn ticks_keep_their_distance() {
        assert_eq!(ticks(&(0.8..20.0), 280.0, 36.0), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(ticks(&(40.0..30_000.0), 300.0, 60.0), [100.0, 1e3, 1e4]);
        for (low, high) in [(0.05, 1.6), (1.0, 1.6), (491.0, 768.0), (1e-3, 1e9)] {
            for pixels in [200.0, 260.0, 700.0] {
                let ticks = ticks(&(low..high), pixels, 40.0);
                assert!(!ticks.is_empty(), "{low} {high}");
                let decades = f64::log10(high / low);
                for pair in ticks.windows(2) {
                    let gap = (pair[1] / pair[0]).log10() / decades * pixels;
                    assert!(gap >= 40.0, "{ticks:?}");
                }
            }
        }
    }
}
