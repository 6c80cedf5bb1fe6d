//! Minimal rotation (minimal-rotation-routing): which dimension of the cube a packet
//! crosses next, from the word of those that it has still to cross.
//!
//! The note defines routes and says nothing of buffers. Two virtual channels make them
//! free of deadlock: a packet goes on on virtual channel 1 once it goes against the order in
//! which its rule mostly crosses dimensions.

use super::{Channel, Relation};
use crate::topology::{End, Hypercube, Topology};

/// How the next dimension is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The 1 that leads the least rotation of the word; of several that give it, the shortest
    /// leftward one. After the first hop this is the next 1 to the right, round the word
    /// (the note's Lemma).
    #[default]
    Minimal,
    /// The rightmost 1 of the leftmost group of 1s: the scheme that the note begins with.
    Thacker,
}

impl Rule {
    /// The dimension that is crossed next when those of `left` are still to be crossed, on
    /// a cube of `dims` dimensions; `None` if there are none.
    pub fn next_dim(self, dims: u32, left: u32) -> Option<u32> {
        match (self, left) {
            (_, 0) => None,
            (Rule::Minimal, _) => Some(leader(dims, left)),
            (Rule::Thacker, _) => {
                let right_end = |dim: u32| dim == 0 || !is_set(left, dim - 1);
                let mut from_left = (0..dims).rev();
                from_left.find(|dim| is_set(left, *dim) && right_end(*dim))
            }
        }
    }

    /// The dimensions that are crossed, in order.
    pub fn sequence(self, dims: u32, left: u32) -> Vec<u32> {
        let mut left = left;
        let next = || {
            let dim = self.next_dim(dims, left)?;
            left &= !(1 << dim);
            Some(dim)
        };
        std::iter::from_fn(next).collect()
    }

    /// A packet that crosses these one after the other goes against the rule's order,
    /// right to left (minimal rotation) or left to right in a group (Thacker's).
    pub fn wraps(self, from: u32, to: u32) -> bool {
        match self {
            Rule::Minimal => to > from,
            Rule::Thacker => to < from,
        }
    }
}

fn is_set(word: u32, bit: u32) -> bool {
    word >> bit & 1 == 1
}

/// The least of a word's rotations, and the shortest leftward rotation that makes it.
pub fn least_rotation(dims: u32, word: u32) -> (u32, u32) {
    let turned = |by: u32| (word << by | word >> (dims - by)) & ((1 << dims) - 1);
    let turns = (0..dims).map(|by| (turned(by), by));
    turns.min().expect("a cube has a dimension")
}

/// The bit that is leftmost in the least rotation of a word that is not 0.
fn leader(dims: u32, word: u32) -> u32 {
    let (least, by) = least_rotation(dims, word);
    (least.ilog2() + dims - by) % dims
}

/// The relation: a virtual channel after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationRouting {
    pub cube: Hypercube,
    pub rule: Rule,
    /// Virtual channels of a channel, 1 or 2.
    pub channels: u32,
}

impl RotationRouting {
    /// Minimal rotation with two virtual channels.
    pub fn new(cube: Hypercube) -> Self {
        RotationRouting {
            cube,
            rule: Rule::Minimal,
            channels: 2,
        }
    }

    /// The channel by which a packet leaves a node that has come on this virtual channel
    /// of this dimension.
    fn out_of(&self, node: u32, destination: u32, come: Option<(u32, u32)>) -> Option<Channel> {
        let port = self.rule.next_dim(self.cube.dims(), node ^ destination)?;
        let vc = match come {
            Some((dim, vc)) if self.rule.wraps(dim, port) => (vc + 1).min(self.channels - 1),
            Some((_, vc)) => vc,
            None => 0,
        };
        Some(Channel::new(End { node, port }, vc))
    }
}

impl Relation for RotationRouting {
    fn topology(&self) -> &dyn Topology {
        &self.cube
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.out_of(source, destination, None).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let node = self.cube.peer(channel.from).node;
        let come = (channel.from.port, channel.vc);
        self.out_of(node, destination, Some(come))
            .into_iter()
            .collect()
    }

    /// `0x3 to 0x2, virtual channel 1`.
    fn channel_name(&self, channel: Channel) -> String {
        channel_name(self.cube, self.channels, channel)
    }

    /// Routes depend on what differs only.
    fn translates(&self) -> bool {
        true
    }
}

/// A channel of a cube, with its virtual channel if there are several.
pub(super) fn channel_name(cube: Hypercube, channels: u32, channel: Channel) -> String {
    let ends = [channel.from.node, cube.peer(channel.from).node];
    let [from, to] = ends.map(|node| cube.hex(node));
    match channels {
        1 => format!("{from} to {to}"),
        _ => format!("{from} to {to}, virtual channel {}", channel.vc),
    }
}

#[cfg(test)]
mod tests;
