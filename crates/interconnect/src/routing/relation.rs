//! Routing relation of a network: the channels that a message may enter next.

use crate::topology::{PortEnd, Topology};

/// Storage between two nodes for one message or a part of one. A message enters it from this end on
/// this virtual channel.
///
/// Networks without virtual channels use only number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The end by which a message enters the channel.
    pub from: PortEnd,
    /// The virtual channel, counted from 0.
    pub vc: u32,
}

impl Channel {
    pub const fn new(from: PortEnd, vc: u32) -> Self {
        Channel { from, vc }
    }
}

/// Gives the permitted next channels of a message from its current channel and its destination.
///
/// The relation is plain arithmetic, so an analysis can enumerate all of it. A message that holds a
/// channel may wait for the next channels. If such waits form a cycle, a machine may deadlock
/// (torus-routing-chip, Definition 5 and Theorem 1).
pub trait Relation {
    fn topology(&self) -> &dyn Topology;

    /// Returns the channels that a message may enter at its source, or none if the source is its
    /// destination.
    fn first(&self, source: u32, destination: u32) -> Vec<Channel>;

    /// Returns the channels that a message for `destination` may enter from this one, or none if it
    /// has arrived there.
    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel>;

    /// Printed name of a channel: `0x3 to 0x2`, with the virtual channel if there are several.
    fn channel_name(&self, channel: Channel) -> String {
        let topology = self.topology();
        let to = topology.peer(channel.from);
        let (from, to) = (channel.from.node, to.node);
        format!("{} to {}", topology.node_name(from), topology.node_name(to))
    }

    /// Returns true if messages between these nodes have routes. Otherwise they enter no channel.
    fn has_route(&self, source: u32, destination: u32) -> bool {
        let _ = (source, destination);
        true
    }

    /// Returns true if nodes are those of a cube and a route depends only on the xor of source and
    /// destination. The route from s to d is then the route from 0 to s xor d, with each node xor
    /// s.
    fn is_translation_invariant(&self) -> bool {
        false
    }

    /// Returns the channels, in order, of a message that always takes the first permitted one.
    fn route(&self, source: u32, destination: u32) -> Vec<Channel> {
        let mut route: Vec<Channel> = vec![];
        let mut next = self.first(source, destination);
        while let Some(channel) = next.first().copied() {
            route.push(channel);
            next = self.next(channel, destination);
        }
        route
    }
}
