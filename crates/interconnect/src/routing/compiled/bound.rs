//! Lower bounds on the length of a schedule.

use super::{schedule_one_sweep, SweepDirection};
use crate::topology::{Hypercube, Metacube};

/// Lower bounds on the number of superframes of a list, for four reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerBound {
    /// Bound from injection and delivery: in a pair of phases a node sends at most one message and
    /// receives at most one.
    pub ends: u32,
    /// Bound from link capacity: a link carries one message per superframe in each direction. A
    /// message crosses one link of each dimension in which its ends differ.
    pub crossings: u32,
    /// Bound from path conflicts. In a cube a message that arrives within one superframe takes its
    /// e-cube path. The bound is 1 if no two of these paths share a link, else 2. In a metacube the
    /// bound is 1.
    pub conflicts: u32,
    /// Bound from distance: superframes that the slowest message takes on an empty network.
    pub distance: u32,
}

impl LowerBound {
    /// Returns the bounds for these sources and destinations, with links in the order of `sweep`.
    pub fn of(shape: Metacube, sweep: SweepDirection, messages: &[[u32; 2]]) -> Self {
        let travelling = || messages.iter().filter(|[from, to]| from != to);
        let links = shape.links();
        let mut ends = vec![[0u32; 2]; shape.nodes() as usize];
        // Indexed by the bit of the address and its value at the source.
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
        let alone = |&[from, to]: &[u32; 2]| lone_message_superframes(shape, sweep, from, to);
        LowerBound {
            ends: most.div_ceil(links),
            crossings: crossings.iter().enumerate().map(crossed).max().unwrap_or(0),
            conflicts: conflict_bound(shape, messages),
            distance: travelling().map(alone).max().unwrap_or(0),
        }
    }

    /// Returns the largest of the four bounds.
    pub fn superframes(self) -> u32 {
        self.ends
            .max(self.crossings)
            .max(self.conflicts)
            .max(self.distance)
    }
}

/// Returns [`LowerBound::ways`], or 0 if no message travels. The first superframe sweeps up.
fn conflict_bound(shape: Metacube, messages: &[[u32; 2]]) -> u32 {
    let travels = messages.iter().any(|[from, to]| from != to);
    let cube = (shape.class_bits() == 0).then(|| Hypercube::of(shape.field_bits()));
    match cube {
        Some(cube) if schedule_one_sweep(cube, messages).is_none() => 2,
        _ => travels.into(),
    }
}

/// Number of links whose ends differ in this bit of the address.
fn links_across(shape: Metacube, bit: u32) -> u32 {
    let half = shape.nodes() / 2;
    match bit < shape.field_bits() * shape.classes() {
        // Only nodes of one class have these links.
        true => half / shape.classes(),
        false => half,
    }
}

/// Superframes that a lone message takes.
fn lone_message_superframes(shape: Metacube, sweep: SweepDirection, from: u32, to: u32) -> u32 {
    if shape.class_bits() == 0 {
        // E-cube routing needs one superframe for any order of dimensions.
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
