//! Picture of a machine in layers: nodes grouped by distance from the source of a message. A
//! shortest route leads from each layer to the next.

use super::route::MessageRoute;
use super::sheet::{Anchor, Sheet};
use super::ScheduledMachine;
use interconnect::topology::distances;

const WIDTH: f64 = 92.0;

/// Radius of the largest layer.
const RADIUS: f64 = 40.0;

pub fn draw(sheet: &mut Sheet, machine: ScheduledMachine, route: &MessageRoute) {
    let ScheduledMachine {
        topology,
        step,
        period,
    } = machine;
    let distances = distances(topology, route.source);
    let layer_of = |node: u32| distances[node as usize].unwrap_or(0) as usize;
    let mut sizes: Vec<u64> = vec![];
    for distance in distances.iter().flatten() {
        let layer = *distance as usize;
        sizes.resize(sizes.len().max(layer + 1), 0);
        sizes[layer] += 1;
    }
    let largest = sizes.iter().copied().max().unwrap_or(1) as f64;
    let top = sheet.strip(WIDTH * sizes.len() as f64, 2.0 * RADIUS + 90.0);
    let (middle, names) = (top + RADIUS + 24.0, top + 2.0 * RADIUS + 46.0);
    let x = |layer: usize| Sheet::LEFT + (layer as f64 + 0.5) * WIDTH;
    for layer in 1..sizes.len() {
        sheet.line((x(layer - 1), middle), (x(layer), middle), "edge");
    }
    for hop in &route.hops {
        let [from, to] = [hop.from, hop.to].map(|node| (x(layer_of(node)), middle));
        sheet.line(from, to, "way");
    }
    let reached = |layer: usize| {
        let mut nodes = std::iter::once(route.source).chain(route.hops.iter().map(|hop| hop.to));
        nodes.find(|node| layer_of(*node) == layer)
    };
    for (layer, size) in sizes.iter().enumerate() {
        // Areas are proportional to the logarithms of the numbers.
        let share = (1.0 + *size as f64).ln() / (1.0 + largest).ln();
        let radius = RADIUS * share.sqrt();
        let at = (x(layer), middle);
        let (fill, text) = match reached(layer) {
            Some(_) => ("visited", "label on"),
            None => ("node", "label"),
        };
        sheet.circle(at, radius, fill);
        sheet.text((at.0, at.1 + 4.0), &size.to_string(), text, Anchor::Middle);
        if let Some(node) = reached(layer) {
            sheet.text((at.0, names), &machine.name(node), "label", Anchor::Middle);
        }
    }
    for hop in &route.hops {
        let [from, to] = [hop.from, hop.to].map(|node| x(layer_of(node)));
        let at = ((from + to) / 2.0, names + 18.0);
        let text = topology.port_label(hop.port);
        sheet.text(at, &text, "small", Anchor::Middle);
        let (number, place) = (period.number(hop.t), period.step(hop.t));
        let text = format!("{} {number}, {} {place}", period.name.short, step.short);
        sheet.text((at.0, at.1 + 12.0), &text, "small faint", Anchor::Middle);
    }
    sheet.note(
        "In a circle: how many nodes are at this distance from the source. Below: the one that the \
         message went through,",
    );
    sheet.note(&format!(
        "and between two of them the {}, {} ({}) and {} ({}) of the hop.",
        topology.port_word(),
        period.name.full,
        period.name.short,
        step.full,
        step.short
    ));
}
