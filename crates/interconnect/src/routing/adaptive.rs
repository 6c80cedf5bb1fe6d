//! Adaptive routing on the cube: a message crosses its remaining dimensions in any order.
//!
//! The remaining dimensions are those in which the current node differs from the destination. Every
//! hop leads nearer to the destination. The relation does not include the deflection by a crowded
//! node (docs/adaptive.md).

use super::{Channel, Relation};
use crate::topology::{Hypercube, PortEnd, Topology};

/// Relation of adaptive routing. It has the same channels as [`ECube`](super::ecube::ECube): one
/// buffer for each node and dimension.
#[derive(Clone, Copy, Debug)]
pub struct AdaptiveRouting(pub Hypercube);

impl Relation for AdaptiveRouting {
    fn topology(&self) -> &dyn Topology {
        &self.0
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        let delta = source ^ destination;
        (0..self.0.dims())
            .filter(|dim| delta >> dim & 1 == 1)
            .map(|port| Channel::new(PortEnd { node: source, port }, 0))
            .collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.first(self.0.peer(channel.from).node, destination)
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }
}
