//! What no schedule of a list can beat.

use super::{in_one_sweep, Sweep};
use crate::topology::{Hypercube, Metacube};

/// Superframes that a list needs at least, by four reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerBound {
    /// A node sends one message in a pair of phases at most, and receives one.
    pub ends: u32,
    /// A link carries one message in a superframe each way, and a message crosses some link
    /// of each dimension in which its ends differ.
    pub crossings: u32,
    /// In one superframe the way of a message is the one of e-cube routing; two, if a link is
    /// on the ways of several. In a cube; 1 in a metacube.
    pub ways: u32,
    /// A message alone needs so many.
    pub distance: u32,
}

impl LowerBound {
    /// That of these sources and destinations, where links have this order.
    pub fn of(shape: Metacube, sweep: Sweep, messages: &[[u32; 2]]) -> Self {
        let travelling = || messages.iter().filter(|[from, to]| from != to);
        let links = shape.links();
        let mut ends = vec![[0u32; 2]; shape.nodes() as usize];
        // By bit of the address and what it is at the source.
        let mut crossings = vec![[0u32; 2]; shape.bits() as usize];
        for &[from, to] in travelling() {
            ends[from as usize][0] += 1;
            ends[to as usize][1] += 1;
            for (bit, crossings) in crossings.iter_mut().enumerate() {
                if (from ^ to) >> bit & 1 == 1 {
                    crossings[(from >> bit & 1) as usize] += 1;
                }
            }
        }
        let most = ends.iter().flatten().max().copied().unwrap_or(0);
        let crossed = |(bit, crossings): (usize, &[u32; 2])| {
            let most = crossings[0].max(crossings[1]);
            most.div_ceil(links_across(shape, bit as u32))
        };
        let alone = |&[from, to]: &[u32; 2]| soonest(shape, sweep, from, to);
        LowerBound {
            ends: most.div_ceil(links),
            crossings: crossings.iter().enumerate().map(crossed).max().unwrap_or(0),
            ways: ways(shape, messages),
            distance: travelling().map(alone).max().unwrap_or(0),
        }
    }

    /// The greatest of them.
    pub fn superframes(self) -> u32 {
        self.ends
            .max(self.crossings)
            .max(self.ways)
            .max(self.distance)
    }
}

/// As [`LowerBound::ways`]; 0 if no message travels. The first superframe sweeps up.
fn ways(shape: Metacube, messages: &[[u32; 2]]) -> u32 {
    let travels = messages.iter().any(|[from, to]| from != to);
    let cube = (shape.class_bits() == 0).then(|| Hypercube::of(shape.field_bits()));
    match cube {
        Some(cube) if in_one_sweep(cube, messages).is_none() => 2,
        _ => travels.into(),
    }
}

/// Links whose ends differ in this bit of the address.
fn links_across(shape: Metacube, bit: u32) -> u32 {
    let half = shape.nodes() / 2;
    match bit < shape.field_bits() * shape.classes() {
        // Only nodes of one class have them.
        true => half / shape.classes(),
        false => half,
    }
}

/// Superframes that a message alone needs.
fn soonest(shape: Metacube, sweep: Sweep, from: u32, to: u32) -> u32 {
    if shape.class_bits() == 0 {
        // By e-cube, in whatever order dimensions are swept.
        return 1;
    }
    let mut reached = vec![from];
    for superframes in 1.. {
        let order = sweep.order(shape, superframes);
        let last = &order[order.len() - shape.links() as usize..];
        for &link in last {
            let crossed: Vec<u32> = reached
                .iter()
                .map(|node| shape.neighbour(*node, link))
                .collect();
            reached.extend(crossed);
            reached.sort_unstable();
            reached.dedup();
        }
        if reached.contains(&to) {
            return superframes;
        }
    }
    unreachable!("a metacube is connected")
}
