//! Route of one message through the machine, read from the event log.

use super::{bow_middle, Anchor, ScheduledMachine, Sheet};
use interconnect::topology::{distances, links, short_name, Hypercube, PortEnd, Topology};
use interconnect::traffic::MessageList;
use machine::text::format_count;
use machine::{MessageEvent, MessageEventKind};

/// Transfer of a message from a node to its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHop {
    /// Step, counted from the start.
    pub t: u64,
    pub from: u32,
    /// Port of the sender. If several ports lead to `to`, the first one.
    pub port: u32,
    pub to: u32,
}

/// Nodes that a message visits, with the step of each hop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRoute {
    /// Position in the list of messages, counted from 0.
    pub message: usize,
    pub source: u32,
    pub destination: u32,
    pub hops: Vec<MessageHop>,
}

impl MessageRoute {
    /// Route of the message at this position, up to its last hop.
    ///
    /// Messages with the same source and destination take the same route. Each buffer on the
    /// route holds one message, so messages never overtake each other. The k-th of these messages
    /// therefore made the k-th transfer on each hop. If one was lost, a later one may be shown in
    /// its place.
    ///
    /// # Panics
    /// If the list has no message at this position.
    pub fn new(
        topology: &dyn Topology,
        messages: &MessageList,
        events: &[MessageEvent],
        message: usize,
    ) -> Self {
        let ends = |place: usize| {
            let message = messages.get(place);
            (message.source, message.destination)
        };
        let (source, destination) = ends(message);
        let before = (0..message).filter(|place| ends(*place) == (source, destination));
        let turn = before.count();
        let moved = |e: &&MessageEvent| {
            (e.src, e.dst) == (source, destination)
                && matches!(e.what, MessageEventKind::Forwarded | MessageEventKind::Delivered)
        };
        let moves: Vec<&MessageEvent> = events.iter().filter(moved).collect();
        let mut here = source;
        let mut hops: Vec<MessageHop> = vec![];
        while here != destination && hops.len() < topology.nodes() as usize {
            let Some(event) = moves.iter().filter(|e| e.node == here).nth(turn) else {
                break;
            };
            let peer = |port| topology.peer(PortEnd { node: here, port }).node;
            let port = (0..topology.ports()).find(|port| peer(*port) == event.to);
            let Some(port) = port else {
                break;
            };
            hops.push(MessageHop { t: event.t, from: here, port, to: event.to });
            here = event.to;
        }
        MessageRoute { message, source, destination, hops }
    }

    /// Route of the first message among those with the longest distance.
    pub fn longest(
        topology: &dyn Topology,
        messages: &MessageList,
        events: &[MessageEvent],
    ) -> Option<Self> {
        let distance = |place: &usize| {
            let message = messages.get(*place);
            topology.distance(message.source, message.destination)
        };
        let message = (0..messages.len()).rev().max_by_key(distance)?;
        Some(MessageRoute::new(topology, messages, events, message))
    }

    /// Lists the nodes of the route. The text follows [`title`](Self::title).
    pub(super) fn node_list(&self, machine: ScheduledMachine) -> String {
        let nodes: Vec<String> = self.hops.iter().map(|hop| machine.name(hop.to)).collect();
        match nodes.is_empty() {
            true => ".".into(),
            false => format!("; via {}.", nodes.join(", ")),
        }
    }

    pub(super) fn title(&self, machine: ScheduledMachine) -> String {
        let arrived = match self.hops.last() {
            Some(last) if last.to == self.destination => {
                let step = machine.step.full;
                format!("{}, arrived in {step} {}", format_count(self.hops.len(), "hop"), last.t)
            }
            Some(last) => format!(
                "{}, as far as {}",
                format_count(self.hops.len(), "hop"),
                machine.name(last.to)
            ),
            None if self.source == self.destination => "to itself, no hops".into(),
            None => "it has not moved".into(),
        };
        format!(
            "Message {} from {} to {}: {arrived}",
            self.message,
            machine.name(self.source),
            machine.name(self.destination)
        )
    }
}

// Picture of a cube of up to six dimensions: three short ones and three long ones.

/// Displacement of a node by an address bit, in a cube of `dims` dimensions.
fn bit_displacement(dims: u32, bit: u32) -> (f64, f64) {
    let small = match dims {
        ..=4 => 130.0,
        _ => 78.0,
    };
    match bit {
        0 => (small, 0.0),
        1 => (0.0, -small),
        2 => (0.46 * small, -0.38 * small),
        3 => (if dims == 4 { 270.0 } else { 300.0 }, 0.0),
        4 => (0.0, -260.0),
        _ => (146.0, -122.0),
    }
}

/// Curvature of the route across a dimension. In the long dimensions it passes beside the nodes of
/// the short ones.
pub fn bow(dim: u32) -> f64 {
    match dim {
        ..=2 => 0.0,
        _ => 27.0,
    }
}

pub fn node_position(dims: u32, node: u32) -> (f64, f64) {
    let set = (0..dims).filter(|bit| node >> bit & 1 == 1);
    set.fold((0.0, 0.0), |(x, y), bit| {
        let (dx, dy) = bit_displacement(dims, bit);
        (x + dx, y + dy)
    })
}

pub fn draw_cube(
    sheet: &mut Sheet,
    cube: Hypercube,
    machine: ScheduledMachine,
    route: &MessageRoute,
) {
    let dims = cube.dims();
    let radius = if dims <= 4 { 15.0 } else { 11.0 };
    let class = machine.class();
    let (right, up) = node_position(dims, cube.nodes() - 1);
    let pad = radius + 14.0;
    // The hops are listed at the right.
    let list = 290.0;
    let height = (2.0 * pad - up).max(24.0 + 16.0 * route.hops.len() as f64);
    let top = sheet.strip(right + 2.0 * pad + list, height);
    let at = |node: u32| {
        let (x, y) = node_position(dims, node);
        (Sheet::LEFT + pad + x, top + height - pad + y)
    };
    for link in links(&cube) {
        // With many bows the picture would be unreadable.
        let bow = if dims <= 4 { bow(link.from.port) } else { 0.0 };
        sheet.bow(at(link.from.node), at(link.to.node), bow, "edge");
    }
    // Drawn from the low end to the high end, like the edge.
    let ends = |hop: &MessageHop| (at(hop.from.min(hop.to)), at(hop.from.max(hop.to)));
    for hop in &route.hops {
        let (low, high) = ends(hop);
        sheet.bow(low, high, bow(hop.port), "route");
    }
    let visited = |node: u32| {
        node == route.source
            || node == route.destination
            || route.hops.iter().any(|hop| hop.to == node)
    };
    for node in cube.addresses() {
        let (x, y) = at(node);
        let (fill, text) = match visited(node) {
            true => ("visited", format!("{class} on")),
            false => ("node", class.into()),
        };
        sheet.cycle((x, y), radius, fill);
        let name = short_name(machine.topology, node);
        sheet.text((x, y + 3.5), &name, &text, Anchor::Middle);
    }
    for (i, hop) in route.hops.iter().enumerate() {
        let (low, high) = ends(hop);
        let (x, y) = bow_middle(low, high, bow(hop.port));
        let number = (i + 1).to_string();
        sheet.text((x, y + 5.0), &number, "heading halo", Anchor::Middle);
    }
    hops(sheet, machine, route, (Sheet::LEFT + right + 2.0 * pad, top + 16.0));
}

fn hops(sheet: &mut Sheet, machine: ScheduledMachine, route: &MessageRoute, (x, y): (f64, f64)) {
    let ScheduledMachine { topology, step, period } = machine;
    for (i, hop) in route.hops.iter().enumerate() {
        let text = format!(
            "{}: {} → {}, {}, {} {}, {} {}",
            i + 1,
            machine.name(hop.from),
            machine.name(hop.to),
            topology.port_label(hop.port),
            period.name.full,
            period.number(hop.t),
            step.full,
            period.step(hop.t)
        );
        let y = y + 16.0 * i as f64;
        sheet.text((x, y), &text, "label", Anchor::Start);
    }
}

// Picture of a machine in layers: nodes grouped by distance from the source of a message. A
// shortest route leads from each layer to the next.

const LAYER_WIDTH: f64 = 92.0;

/// Radius of the largest layer.
const RADIUS: f64 = 40.0;

pub fn draw_layers(sheet: &mut Sheet, machine: ScheduledMachine, route: &MessageRoute) {
    let ScheduledMachine { topology, step, period } = machine;
    let distances = distances(topology, route.source);
    let layer_of = |node: u32| distances[node as usize].unwrap_or(0) as usize;
    let mut sizes: Vec<u64> = vec![];
    for distance in distances.iter().flatten() {
        let layer = *distance as usize;
        sizes.resize(sizes.len().max(layer + 1), 0);
        sizes[layer] += 1;
    }
    let largest = sizes.iter().copied().max().unwrap_or(1) as f64;
    let top = sheet.strip(LAYER_WIDTH * sizes.len() as f64, 2.0 * RADIUS + 90.0);
    let (middle, names) = (top + RADIUS + 24.0, top + 2.0 * RADIUS + 46.0);
    let x = |layer: usize| Sheet::LEFT + (layer as f64 + 0.5) * LAYER_WIDTH;
    for layer in 1..sizes.len() {
        sheet.line((x(layer - 1), middle), (x(layer), middle), "edge");
    }
    for hop in &route.hops {
        let [from, to] = [hop.from, hop.to].map(|node| (x(layer_of(node)), middle));
        sheet.line(from, to, "route");
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
        sheet.cycle(at, radius, fill);
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
