//! Curves over two logarithmic axes.

use super::paper::{colour, dashes, mark, series, ticks, PlotArea, GRID, INK};
use super::short;
use plotters::prelude::*;
use std::ops::Range;

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
pub fn description(axes: &Axes, curves: &[Curve]) -> String {
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
pub fn draw(paper: &PlotArea, axes: &Axes, curves: &[Curve]) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::super::paper::{NARROW, SERIES, WIDE};
    use super::*;

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
            let svg = draw(paper, &axes, &curves).unwrap();
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
        let text = description(&axes, &curves[..1]);
        assert!(
            text.ends_with(" machine 0: 10 y at 1, 110 at 100."),
            "{text}"
        );
    }
}
