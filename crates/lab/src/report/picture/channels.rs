//! Picture of a network in which each channel is coloured by its load.
//!
//! A small torus is drawn as a grid and a small cube as in [`route`](super::route). Of other
//! networks, there is a map for each output port, with a cell for each node.

use super::route::{bow, node_position};
use super::timeline::MessageTimeline;
use super::{bow_middle, round, Anchor, Sheet};
use interconnect::topology::{short_name, Hypercube, PortEnd, Topology, Torus};
use machine::text::format_count;
use machine::{format_percent, ChannelUse};
use std::fmt::Write;

/// Largest torus that is drawn as a grid.
const GRID_NODES_MAX: u32 = 256;

/// Largest cube whose links are drawn.
const CUBE_DIMS_MAX: u32 = 4;

/// Number of channels that are listed.
const LISTED: usize = 5;

/// Classes of loads, the lowest first, for lines and for areas. On a dark background the highest
/// load is the lightest.
const STYLE: &str = "
.strong { font-weight: bold }
.load { fill: none; stroke-linecap: butt }
.load0 { stroke: #c3c9d0; stroke-width: 1 }
.load1 { stroke: #f5b971; stroke-width: 2 }
.load2 { stroke: #ee8d4a; stroke-width: 3.2 }
.load3 { stroke: #dd5a2e; stroke-width: 4.4 }
.load4 { stroke: #b3261e; stroke-width: 5.6 }
.load5 { stroke: #6f0d16; stroke-width: 7 }
.heat0 { fill: #eceff2 }
.heat1 { fill: #f5b971 }
.heat2 { fill: #ee8d4a }
.heat3 { fill: #dd5a2e }
.heat4 { fill: #b3261e }
.heat5 { fill: #6f0d16 }
@media (prefers-color-scheme: dark) {
.load0 { stroke: #4a525b }
.load1 { stroke: #7d3a25 }
.load2 { stroke: #b0492a }
.load3 { stroke: #dd6f3c }
.load4 { stroke: #f3a35e }
.load5 { stroke: #ffe0b0 }
.heat0 { fill: #262b31 }
.heat1 { fill: #7d3a25 }
.heat2 { fill: #b0492a }
.heat3 { fill: #dd6f3c }
.heat4 { fill: #f3a35e }
.heat5 { fill: #ffe0b0 }
}
";

/// Number of classes of loads above zero.
const CLASSES: usize = 5;

/// Input of the picture.
pub struct NetworkPicture<'a> {
    pub topology: &'a dyn Topology,
    pub channel_use: &'a ChannelUse,
    /// Messages over time, drawn below the network if they are not too many.
    pub messages: MessageTimeline<'a>,
}

/// Scale of the colours: classes of equal width from zero.
struct LoadScale {
    /// Width of a class, a round number.
    step: f64,
}

impl LoadScale {
    /// Creates the scale for loads of up to `highest`.
    fn new(highest: f64) -> Self {
        let least = (highest / CLASSES as f64).max(1e-6);
        let unit = 10f64.powi(least.log10().floor() as i32);
        let rounds = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].map(|times| times * unit);
        // A load on the border of a class belongs to it.
        let fits = |step: &f64| step * (1.0 + 1e-9) >= least;
        LoadScale { step: rounds.into_iter().find(fits).unwrap_or(10.0 * unit) }
    }

    /// Class of a load. Only unused channels are in class 0.
    fn class(&self, load: f64) -> usize {
        match load <= 0.0 {
            true => 0,
            false => ((load / self.step - 1e-9).ceil() as usize).clamp(1, CLASSES),
        }
    }

    /// Meaning of a class: `4 to 6 %`.
    fn meaning(&self, class: usize) -> String {
        // Steps are round numbers, so few decimals are exact.
        let decimals = (-(100.0 * self.step).log10().floor()).max(0.0) as usize;
        let percent = |class: usize| format!("{:.decimals$}", 100.0 * self.step * class as f64);
        match class {
            0 => "0".into(),
            1 => format!("up to {} %", percent(1)),
            _ => format!("{} to {} %", percent(class - 1), percent(class)),
        }
    }
}

impl NetworkPicture<'_> {
    /// Draws the picture as SVG.
    pub fn svg(&self) -> String {
        let channels = self.channel_use;
        let hottest = channels.hottest();
        let highest = hottest.first().map_or(0.0, |end| channels.load(*end));
        let scale = LoadScale::new(highest);
        let title = format!(
            "{}: channels used {}, the hottest {}",
            self.topology.name(),
            format_percent(Some(channels.mean_load())),
            format_percent(Some(highest)),
        );
        let mut sheet = Sheet::with_style(STYLE);
        sheet.heading(&title);
        sheet.note(&format!(
            "Load of a channel: the share of the {}s of the run in which it carried a {}.",
            channels.slot, channels.unit
        ));
        self.legend(&mut sheet, &scale);
        let how = self.draw_network(&mut sheet, &scale);
        let list = self.list_hottest(&mut sheet, &hottest);
        sheet.strip(0.0, 12.0);
        let messages = match self.messages.is_drawable() {
            true => self.messages.draw(&mut sheet),
            false => {
                sheet.note(&format!(
                    "Messages over time are drawn of runs with up to {} messages.",
                    MessageTimeline::MESSAGES_MAX
                ));
                String::new()
            }
        };
        let description = format!("{title}. {how} Hottest channels: {list}. {messages}");
        sheet.finish(&title, description.trim_end())
    }

    fn legend(&self, sheet: &mut Sheet, scale: &LoadScale) {
        let y = sheet.strip(CLASSES as f64 * 116.0 + 60.0, 30.0) + 8.0;
        let mut x = Sheet::LEFT;
        for class in 0..=CLASSES {
            sheet.rect((x, y), (14.0, 12.0), &format!("heat{class}"));
            let meaning = scale.meaning(class);
            sheet.text((x + 19.0, y + 10.0), &meaning, "small", Anchor::Start);
            x += 30.0 + 7.0 * meaning.len() as f64;
        }
    }

    /// Draws the channels and nodes. Returns a description.
    fn draw_network(&self, sheet: &mut Sheet, scale: &LoadScale) -> String {
        let torus = Torus::recognise(self.topology);
        let cube = Hypercube::recognise(self.topology);
        match (torus, cube) {
            (Some(torus), _) if torus.dims() <= 2 && torus.nodes() <= GRID_NODES_MAX => {
                self.draw_grid(sheet, scale, &torus)
            }
            (_, Some(cube)) if cube.dims() <= CUBE_DIMS_MAX => self.draw_cube(sheet, scale, cube),
            (torus, _) => self.draw_maps(sheet, scale, torus.as_ref()),
        }
    }

    /// Draws the channels, the hottest last, each as a path.
    fn draw_channels(&self, sheet: &mut Sheet, scale: &LoadScale, paths: &mut [(PortEnd, String)]) {
        let load = |end: PortEnd| self.channel_use.load(end);
        paths.sort_by(|(a, _), (b, _)| load(*a).total_cmp(&load(*b)));
        for (end, path) in paths {
            sheet.path(path, &format!("load load{}", scale.class(load(*end))));
        }
    }

    fn draw_nodes(&self, sheet: &mut Sheet, radius: f64, at: impl Fn(u32) -> (f64, f64)) {
        for node in 0..self.topology.nodes() {
            let (x, y) = at(node);
            sheet.cycle((x, y), radius, "node");
            let name = short_name(self.topology, node);
            sheet.text((x, y + 4.0), &name, "small", Anchor::Middle);
        }
    }

    /// Draws a torus of one or two dimensions. Channels that join opposite edges are drawn as two
    /// ends outside the grid.
    fn draw_grid(&self, sheet: &mut Sheet, scale: &LoadScale, torus: &Torus) -> String {
        const RADIUS: f64 = 13.0;
        const STUB: f64 = 26.0;
        let columns = torus.radices()[0];
        let rows = torus.nodes() / columns;
        let pitch = if columns <= 8 { 68.0 } else { 46.0 };
        let pad = RADIUS + STUB;
        let size = |nodes: u32| f64::from(nodes - 1) * pitch + 2.0 * pad;
        let top = sheet.strip(size(columns), size(rows));
        let at = |node: u32| {
            let (x, y) = (node % columns, node / columns);
            let middle = |place: u32| f64::from(place) * pitch + pad;
            (Sheet::LEFT + middle(x), top + middle(y))
        };
        let mut paths = vec![];
        for node in torus.addresses() {
            for dim in 0..torus.dims() {
                let end = PortEnd::new(node, dim as u32);
                let ((x, y), (to_x, to_y)) = (at(node), at(torus.next(node, dim)));
                let (dx, dy) = [(1.0, 0.0), (0.0, 1.0)][dim];
                let path = match torus.coordinate(node, dim) {
                    0 => {
                        let out = (x - pad * dx, y - pad * dy);
                        let back = (to_x + pad * dx, to_y + pad * dy);
                        line((x, y), out) + " " + &line(back, (to_x, to_y))
                    }
                    _ => line((x, y), (to_x, to_y)),
                };
                paths.push((end, path));
            }
        }
        self.draw_channels(sheet, scale, &mut paths);
        self.draw_nodes(sheet, RADIUS, at);
        let (across, edges) = match torus.dims() {
            1 => ("Channels lead to the left", "the left end to the right one"),
            _ => {
                ("Channels lead to the left in dimension 0 and up in dimension 1", "opposite edges")
            }
        };
        let text = format!("{across}. Channels out of the picture join {edges}.");
        sheet.note(&text);
        format!("A grid of nodes. {text}")
    }

    /// Draws a cube of up to four dimensions. The half of a link at a node is the channel out of
    /// the node.
    fn draw_cube(&self, sheet: &mut Sheet, scale: &LoadScale, cube: Hypercube) -> String {
        const RADIUS: f64 = 14.0;
        const PAD: f64 = RADIUS + 26.0;
        let (right, up) = node_position(cube.dims(), cube.nodes() - 1);
        let height = 2.0 * PAD - up;
        let top = sheet.strip(right + 2.0 * PAD, height);
        let at = |node: u32| {
            let (x, y) = node_position(cube.dims(), node);
            (Sheet::LEFT + PAD + x, top + height - PAD + y)
        };
        let mut paths = vec![];
        for node in cube.addresses() {
            for dim in 0..cube.dims() {
                let other = cube.neighbour(node, dim);
                // Both halves are on the curve from the lower node to the higher one.
                let bow = if node < other { bow(dim) } else { -bow(dim) };
                paths.push((PortEnd::new(node, dim), half_curve(at(node), at(other), bow)));
            }
        }
        self.draw_channels(sheet, scale, &mut paths);
        self.draw_nodes(sheet, RADIUS, at);
        let text = "The half of a link beside a node is the channel out of this node.";
        sheet.note(text);
        format!("A cube of {} dimensions. {text}", cube.dims())
    }

    /// Draws a map for each port, with a cell for each node.
    fn draw_maps(&self, sheet: &mut Sheet, scale: &LoadScale, torus: Option<&Torus>) -> String {
        const WIDTH: f64 = 820.0;
        const GAP: f64 = 16.0;
        let topology = self.topology;
        let nodes = topology.nodes();
        let columns = map_columns(nodes, torus);
        let rows = nodes.div_ceil(columns);
        let cell = (256 / columns).clamp(3, 14);
        let [width, height] = [columns, rows].map(|cells| f64::from(cells * cell));
        let slot = width.max(180.0) + GAP;
        let per_row = ((WIDTH / slot) as u32).max(1);
        for first in (0..topology.ports()).step_by(per_row as usize) {
            let ports = first..(first + per_row).min(topology.ports());
            let top = sheet.strip(ports.len() as f64 * slot, height + 30.0) + 18.0;
            for (place, port) in ports.enumerate() {
                let left = Sheet::LEFT + place as f64 * slot;
                let loads: Vec<f64> = (0..nodes)
                    .map(|node| self.channel_use.load(PortEnd::new(node, port)))
                    .collect();
                let highest = loads.iter().copied().fold(0.0, f64::max);
                let label = format!(
                    "{}: up to {}",
                    topology.port_label(port),
                    format_percent(Some(highest))
                );
                sheet.text((left, top - 5.0), &label, "small", Anchor::Start);
                sheet.rect((left, top), (width, height), "heat0");
                for class in 1..=CLASSES {
                    let of_class = |node: u32| scale.class(loads[node as usize]) == class;
                    let path = cells((left, top), (columns, cell, nodes), of_class);
                    if !path.is_empty() {
                        sheet.path(&path, &format!("heat{class}"));
                    }
                }
            }
        }
        let text = format!(
            "A map for each {}. A cell is the channel out of a node, {} to a row, {} at the top left.",
            topology.port_word(),
            format_count(columns, "node"),
            topology.node_name(0)
        );
        sheet.note(&text);
        text
    }

    /// Lists the hottest channels. Returns them in one line.
    fn list_hottest(&self, sheet: &mut Sheet, hottest: &[PortEnd]) -> String {
        sheet.strip(0.0, 8.0);
        sheet.text_line("Hottest channels", "label strong");
        let channels = self.channel_use;
        let text = |end: &PortEnd| {
            let slots = channels.slots(end.port);
            format!(
                "{} → {}, {}: {}, {} of {}",
                self.topology.node_name(end.node),
                self.topology.node_name(self.topology.peer(*end).node),
                self.topology.port_name(end.port),
                format_percent(Some(channels.load(*end))),
                channels.count(*end),
                format_count(slots, channels.slot)
            )
        };
        let lines: Vec<String> = hottest.iter().take(LISTED).map(text).collect();
        for line in &lines {
            sheet.text_line(line, "label");
        }
        let load_of = |end: &PortEnd| channels.load(*end);
        let last = hottest.get(LISTED - 1).map(load_of);
        let equal = hottest.iter().skip(LISTED);
        let equal = equal.filter(|end| Some(load_of(end)) == last).count();
        match (lines.is_empty(), equal) {
            (true, _) => {
                sheet.text_line("no channel was used", "label");
                "none".into()
            }
            (_, 0) => lines.join("; "),
            (_, equal) => {
                let more = format!("and {equal} more with the load of the last");
                sheet.text_line(&more, "small faint");
                lines.join("; ") + "; " + &more
            }
        }
    }
}

/// Path of a straight line.
fn line(from: (f64, f64), to: (f64, f64)) -> String {
    let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(round);
    format!("M{x1},{y1} L{x2},{y2}")
}

/// Path of the first half of a curve whose middle is `bow` to the left.
fn half_curve(from: (f64, f64), to: (f64, f64), bow: f64) -> String {
    let (middle_x, middle_y) = bow_middle(from, to, bow);
    let (x, y) = bow_middle(from, to, 2.0 * bow);
    let control = ((from.0 + x) / 2.0, (from.1 + y) / 2.0);
    let [x1, y1, cx, cy, x2, y2] =
        [from.0, from.1, control.0, control.1, middle_x, middle_y].map(round);
    format!("M{x1},{y1} Q{cx},{cy} {x2},{y2}")
}

/// Number of nodes in a row of a map, so that the map is about square. A row of a torus is whole in
/// its lowest dimensions.
fn map_columns(nodes: u32, torus: Option<&Torus>) -> u32 {
    let Some(torus) = torus else {
        let divides = |columns: &u32| nodes.is_multiple_of(*columns) && columns * columns >= nodes;
        return (1..=nodes).find(divides).unwrap_or(nodes);
    };
    let rows_of = torus.radices().iter().scan(1, |product, radix| {
        *product *= radix;
        Some(*product)
    });
    let unequal = |columns: &u32| {
        let rows = f64::from(nodes / columns);
        (f64::from(*columns) / rows).ln().abs()
    };
    let columns = rows_of.min_by(|a, b| unequal(a).total_cmp(&unequal(b)));
    columns.unwrap_or(nodes)
}

/// Path around the cells of the chosen nodes. Neighbours in a row are joined.
fn cells(
    (left, top): (f64, f64),
    (columns, cell, nodes): (u32, u32, u32),
    chosen: impl Fn(u32) -> bool,
) -> String {
    let mut path = String::new();
    for row in 0..nodes.div_ceil(columns) {
        let end = ((row + 1) * columns).min(nodes);
        let mut node = row * columns;
        while node < end {
            let run = (node..end).take_while(|node| chosen(*node)).count() as u32;
            if run > 0 {
                let x = left + f64::from((node - row * columns) * cell);
                let y = top + f64::from(row * cell);
                let width = run * cell;
                let _ = write!(path, "M{x} {y}h{width}v{cell}h-{width}z");
            }
            node += run.max(1);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_round_borders_and_cover_all_loads() {
        for (highest, step) in [(1.0, 0.2), (0.25, 0.05), (0.26, 0.06), (0.99, 0.2), (0.007, 0.002)]
        {
            let scale = LoadScale::new(highest);
            assert!((scale.step - step).abs() < 1e-12, "{highest}: {}", scale.step);
            assert_eq!(scale.class(0.0), 0);
            assert_eq!(scale.class(1e-9), 1);
            assert!((4..=CLASSES).contains(&scale.class(highest)), "{highest}");
            assert_eq!(scale.class(scale.step), 1);
        }
        assert_eq!(LoadScale::new(0.26).meaning(2), "6 to 12 %");
        assert_eq!(LoadScale::new(0.007).meaning(1), "up to 0.2 %");
    }

    #[test]
    fn equal_neighbours_are_one_cell() {
        let path = cells((0.0, 10.0), (4, 3, 8), |node| [1, 2, 3, 4, 6].contains(&node));
        let wanted = "M3 10h9v3h-9zM0 13h3v3h-3zM6 13h3v3h-3z";
        assert_eq!(path, wanted);
    }

    #[test]
    fn maps_are_about_square() {
        let columns = |radices: &[u32]| {
            let torus = Torus::new(radices).unwrap();
            map_columns(torus.nodes(), Some(&torus))
        };
        assert_eq!((columns(&[20, 40]), columns(&[64, 64])), (20, 64));
        assert_eq!((map_columns(4096, None), map_columns(32, None)), (64, 8));
    }
}
