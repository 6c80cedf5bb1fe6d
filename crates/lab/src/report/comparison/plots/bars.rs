//! Bar chart of logic cells: filled for the router, in outline for the whole node.

use super::super::{Comparison, PartCost};
use super::paper::{colour, series, PlotArea, GRID, INK};
use super::short;
use plotters::prelude::*;

/// Machine with the logic cells of its router and of its node.
pub struct CellBar {
    machine: &'static str,
    router: f64,
    node: f64,
}

/// Bars of the synthesised machines, or `None` if there are none.
pub fn bars(comparison: &Comparison) -> Option<Vec<CellBar>> {
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
pub fn description(bars: &[CellBar]) -> String {
    let bar = |b: &CellBar| format!(" {}: {} of {}.", b.machine, b.router, b.node);
    let all: String = bars.iter().map(bar).collect();
    format!("Bars: logic cells of the router, of those of the node.{all}")
}

pub fn draw(paper: &PlotArea, bars: &[CellBar]) -> Option<String> {
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
