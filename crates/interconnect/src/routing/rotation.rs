//! Minimal rotation (minimal-rotation-routing): chooses the next dimension of a packet from the
//! word of remaining dimensions.
//!
//! The note defines routes but no buffers. Two virtual channels make the routes free of deadlock. A
//! packet moves to virtual channel 1 when it goes against the usual order of dimensions of its
//! rule.

use super::{Channel, Relation};
use crate::topology::{Hypercube, PortEnd, Topology};

/// Rule for the next dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RotationRule {
    /// The leading 1 of the least rotation of the word. If several rotations give it, the shortest
    /// leftward one counts. After the first hop this is the next 1 to the right, around the word
    /// (the note's Lemma).
    #[default]
    Minimal,
    /// The rightmost 1 of the leftmost group of 1s: the first scheme of the note.
    Thacker,
}

impl RotationRule {
    /// Returns the next dimension to cross on a cube of `dims` dimensions, given the remaining
    /// dimensions `left`. Returns `None` if none remain.
    pub fn next_dim(self, dims: u32, left: u32) -> Option<u32> {
        match (self, left) {
            (_, 0) => None,
            (RotationRule::Minimal, _) => Some(leading_bit(dims, left)),
            (RotationRule::Thacker, _) => {
                let right_end = |dim: u32| dim == 0 || !is_set(left, dim - 1);
                let mut from_left = (0..dims).rev();
                from_left.find(|dim| is_set(left, *dim) && right_end(*dim))
            }
        }
    }

    /// Returns the dimensions in the order in which they are crossed.
    pub fn sequence(self, dims: u32, left: u32) -> Vec<u32> {
        let mut left = left;
        let next = || {
            let dim = self.next_dim(dims, left)?;
            left &= !(1 << dim);
            Some(dim)
        };
        std::iter::from_fn(next).collect()
    }

    /// Returns true if crossing `from` and then `to` goes against the rule's order. The order is
    /// right to left for minimal rotation, or left to right in a group for Thacker's rule.
    pub fn wraps(self, from: u32, to: u32) -> bool {
        match self {
            RotationRule::Minimal => to > from,
            RotationRule::Thacker => to < from,
        }
    }
}

fn is_set(word: u32, bit: u32) -> bool {
    word >> bit & 1 == 1
}

/// Returns the least rotation of a word, and the shortest leftward rotation that yields it.
pub fn least_rotation(dims: u32, word: u32) -> (u32, u32) {
    let turned = |by: u32| (word << by | word >> (dims - by)) & ((1 << dims) - 1);
    let turns = (0..dims).map(|by| (turned(by), by));
    turns.min().expect("a cube has a dimension")
}

/// Returns the bit that is leftmost in the least rotation of a nonzero word.
fn leading_bit(dims: u32, word: u32) -> u32 {
    let (least, by) = least_rotation(dims, word);
    (least.ilog2() + dims - by) % dims
}

/// Routing relation of minimal rotation, with virtual channels in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationRouting {
    pub cube: Hypercube,
    pub rule: RotationRule,
    /// Number of virtual channels per channel, 1 or 2.
    pub channels: u32,
}

impl RotationRouting {
    /// Returns minimal rotation with two virtual channels.
    pub fn new(cube: Hypercube) -> Self {
        RotationRouting { cube, rule: RotationRule::Minimal, channels: 2 }
    }

    /// Returns the output channel of a packet at a node. `come` is the dimension and virtual
    /// channel of its arrival.
    fn output_channel(
        &self,
        node: u32,
        destination: u32,
        come: Option<(u32, u32)>,
    ) -> Option<Channel> {
        let port = self.rule.next_dim(self.cube.dims(), node ^ destination)?;
        let vc = match come {
            Some((dim, vc)) if self.rule.wraps(dim, port) => (vc + 1).min(self.channels - 1),
            Some((_, vc)) => vc,
            None => 0,
        };
        Some(Channel::new(PortEnd { node, port }, vc))
    }
}

impl Relation for RotationRouting {
    fn topology(&self) -> &dyn Topology {
        &self.cube
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.output_channel(source, destination, None).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let node = self.cube.peer(channel.from).node;
        let come = (channel.from.port, channel.vc);
        self.output_channel(node, destination, Some(come)).into_iter().collect()
    }

    /// `0x3 to 0x2, virtual channel 1`.
    fn channel_name(&self, channel: Channel) -> String {
        channel_name(self.cube, self.channels, channel)
    }

    /// Routes depend only on the differing bits.
    fn is_translation_invariant(&self) -> bool {
        true
    }
}

/// Name of a channel of a cube, with its virtual channel if there are several.
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
