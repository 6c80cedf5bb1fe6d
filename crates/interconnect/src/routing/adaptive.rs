//! Adaptive routing on the cube: a message crosses the dimensions in which its destination
//! differs from where it is, in any order. No hop leads away; what a crowded node does
//! (docs/adaptive.md) is not part of the relation.

use super::{Channel, Relation};
use crate::topology::{End, Hypercube, Topology};

/// The relation of adaptive routing. Its channels are those of [`ECube`](super::ecube::ECube):
/// a register for each node and dimension.
#[derive(Clone, Copy, Debug)]
pub struct AnyOrder(pub Hypercube);

impl Relation for AnyOrder {
    fn topology(&self) -> &dyn Topology {
        &self.0
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        let delta = source ^ destination;
        (0..self.0.dims())
            .filter(|dim| delta >> dim & 1 == 1)
            .map(|port| Channel::new(End { node: source, port }, 0))
            .collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.first(self.0.peer(channel.from).node, destination)
    }

    fn translates(&self) -> bool {
        true
    }
}
