//! A cube of many dimensions, in layers: the nodes by their distance from the
//! source of a message, which goes from each layer to the next.

use super::route::Route;
use super::sheet::{Anchor, Sheet};
use crate::topology::Hypercube;

const WIDTH: f64 = 92.0;

/// The radius of the largest layer.
const RADIUS: f64 = 40.0;

pub fn draw(sheet: &mut Sheet, cube: Hypercube, route: &Route) {
    let dims = cube.dims();
    let phases = u64::from(2 * dims);
    let sizes: Vec<u64> = (0..=u64::from(dims))
        .map(|k| choose(dims.into(), k))
        .collect();
    let largest = sizes.iter().copied().max().unwrap_or(1) as f64;
    let top = sheet.strip(WIDTH * sizes.len() as f64, 2.0 * RADIUS + 90.0);
    let (middle, names) = (top + RADIUS + 24.0, top + 2.0 * RADIUS + 46.0);
    let x = |layer: usize| Sheet::LEFT + (layer as f64 + 0.5) * WIDTH;
    for layer in 1..sizes.len() {
        sheet.line((x(layer - 1), middle), (x(layer), middle), "edge");
    }
    for (i, _) in route.hops.iter().enumerate() {
        sheet.line((x(i), middle), (x(i + 1), middle), "way");
    }
    let reached = |layer: usize| match layer {
        0 => Some(route.source),
        _ => route.hops.get(layer - 1).map(|hop| hop.to),
    };
    for (layer, size) in sizes.iter().enumerate() {
        // Areas are as the logarithms of the numbers.
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
            sheet.text((at.0, names), &cube.hex(node), "label", Anchor::Middle);
        }
    }
    for (i, hop) in route.hops.iter().enumerate() {
        let at = ((x(i) + x(i + 1)) / 2.0, names + 18.0);
        let text = format!("dim {}", hop.dim());
        sheet.text(at, &text, "small", Anchor::Middle);
        let text = format!("sf {}, ph {}", hop.t / phases, hop.t % phases);
        sheet.text((at.0, at.1 + 12.0), &text, "small faint", Anchor::Middle);
    }
    sheet.note(
        "In a circle: how many nodes are at this distance from the source. Below: the one that the \
         message went through,",
    );
    sheet.note("and between two of them the dimension, superframe (sf) and phase (ph) of the hop.");
}

/// Ways to choose `k` of `n`.
fn choose(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |ways, i| ways * (n - k + i) / i)
}
