//! Where a message may go next: the relation that a network routes by.

use crate::topology::{End, Topology};

/// A place between two nodes that holds one message or a part of one: what leaves by
/// this end on this virtual channel comes to lie in it.
///
/// Networks without virtual channels have number 0 only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The end by which it is entered.
    pub from: End,
    /// The virtual channel, counted from 0.
    pub vc: u32,
}

impl Channel {
    pub const fn new(from: End, vc: u32) -> Self {
        Channel { from, vc }
    }
}

/// From where a message is and where it is for, the channels that may be next.
///
/// It is plain arithmetic, so that all of it can be looked at: a message that holds a
/// channel may wait for those that are next, and where such waits go round in a circle
/// a machine may stand still (torus-routing-chip, Definition 5 and Theorem 1).
pub trait Relation {
    fn topology(&self) -> &dyn Topology;

    /// The channels that a message may enter at its source; none if it is at home.
    fn first(&self, source: u32, destination: u32) -> Vec<Channel>;

    /// The channels that a message for `destination` may enter from this one; none if
    /// it is at home there.
    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel>;

    /// A channel as it is printed: `0x3 to 0x2`, with the virtual channel where there
    /// are several.
    fn channel_name(&self, channel: Channel) -> String {
        let topology = self.topology();
        let to = topology.peer(channel.from);
        let (from, to) = (channel.from.node, to.node);
        format!("{} to {}", topology.node_name(from), topology.node_name(to))
    }

    /// Whether messages between these nodes have routes; else they enter no channel.
    fn carries(&self, source: u32, destination: u32) -> bool {
        let _ = (source, destination);
        true
    }

    /// Whether nodes are those of a cube and a route depends on what source and
    /// destination differ in only: the route from s to d is that from 0 to s xor d, each node of it
    /// xor s.
    fn translates(&self) -> bool {
        false
    }

    /// The channels of a message that always takes the first that it may, in order.
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
