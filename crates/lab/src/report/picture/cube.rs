//! Picture of a cube of up to six dimensions: three short ones and three long ones.

use super::route::{MessageHop, MessageRoute};
use super::sheet::{bow_middle, Anchor, Sheet};
use super::ScheduledMachine;
use interconnect::topology::{links, short_name, Hypercube};

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
fn bow(dim: u32) -> f64 {
    match dim {
        ..=2 => 0.0,
        _ => 27.0,
    }
}

fn node_position(dims: u32, node: u32) -> (f64, f64) {
    let set = (0..dims).filter(|bit| node >> bit & 1 == 1);
    set.fold((0.0, 0.0), |(x, y), bit| {
        let (dx, dy) = bit_displacement(dims, bit);
        (x + dx, y + dy)
    })
}

pub fn draw(sheet: &mut Sheet, cube: Hypercube, machine: ScheduledMachine, route: &MessageRoute) {
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
        sheet.bow(low, high, bow(hop.port), "way");
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
        sheet.circle((x, y), radius, fill);
        let name = short_name(machine.topology, node);
        sheet.text((x, y + 3.5), &name, &text, Anchor::Middle);
    }
    for (i, hop) in route.hops.iter().enumerate() {
        let (low, high) = ends(hop);
        let (x, y) = bow_middle(low, high, bow(hop.port));
        let number = (i + 1).to_string();
        sheet.text((x, y + 5.0), &number, "heading halo", Anchor::Middle);
    }
    hops(
        sheet,
        machine,
        route,
        (Sheet::LEFT + right + 2.0 * pad, top + 16.0),
    );
}

fn hops(sheet: &mut Sheet, machine: ScheduledMachine, route: &MessageRoute, (x, y): (f64, f64)) {
    let ScheduledMachine {
        topology,
        step,
        period,
    } = machine;
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
