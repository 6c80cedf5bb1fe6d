//! E-cube routing: a message crosses its remaining dimensions lowest first (tdma-hypercube,
//! "Dimension-Ordered Routing").
//!
//! The remaining dimensions are those in which the current node differs from the destination. The
//! fixed order prevents deadlock.

use super::{Channel, Relation};
use crate::topology::{Hypercube, PortEnd, Topology};
use serde::Serialize;

/// Relation of e-cube routing. Its channels are the receive buffers, one for each node and
/// dimension.
#[derive(Clone, Copy, Debug)]
pub struct ECube(pub Hypercube);

impl ECube {
    fn output_channels(self, node: u32, destination: u32) -> Vec<Channel> {
        let port = next_dim(node, destination);
        let channel = |port| Channel { from: PortEnd { node, port }, vc: 0 };
        port.map(channel).into_iter().collect()
    }
}

impl Relation for ECube {
    fn topology(&self) -> &dyn Topology {
        &self.0
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.output_channels(source, destination)
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.output_channels(self.0.peer(channel.from).node, destination)
    }

    /// Routes depend only on the differing bits.
    fn is_translation_invariant(&self) -> bool {
        true
    }
}

/// Returns the dimension that a message at `here` crosses next, or `None` at the destination.
pub fn next_dim(here: u32, destination: u32) -> Option<u32> {
    let delta = here ^ destination;
    (delta != 0).then(|| delta.trailing_zeros())
}

/// Returns the hops of a message as sending node, dimension and receiving node.
pub fn hops(source: u32, destination: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    let mut here = source;
    std::iter::from_fn(move || {
        let dim = next_dim(here, destination)?;
        let next = here ^ 1 << dim;
        Some((std::mem::replace(&mut here, next), dim, next))
    })
}

// Adaptive routing on the cube: a message crosses its remaining dimensions in any order.
//
// The remaining dimensions are those in which the current node differs from the destination. Every
// hop leads nearer to the destination. The relation does not include the deflection by a crowded
// node (docs/adaptive.md).

/// Relation of adaptive routing. It has the same channels as [`ECube`]: one
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

// Path of a lone message in the CM-1 (cm1-message-router, section 3).
//
// In a petit cycle a message passes every dimension of its chip, lowest first. It crosses each
// dimension in which it still differs from its destination, if the wire is free. A lone message
// finds every wire free. With other traffic it may wait or take another path.

/// One line of a hop table: chip `node` sends the message to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cm1Hop {
    pub node: u32,
    /// Dimension of the hop.
    pub dim: u32,
    /// Address bit `dim` of `node`.
    pub bit: u32,
    /// Petit cycle of the hop, counted from 0 at injection.
    pub petit_cycle: u32,
    pub next: u32,
}

/// Returns the hops of a message between chips, in the order in which they are made.
pub fn lone_message_hops(source: u32, destination: u32) -> Vec<Cm1Hop> {
    let hop = |(node, dim, next)| Cm1Hop { node, dim, bit: node >> dim & 1, petit_cycle: 0, next };
    hops(source, destination).map(hop).collect()
}

#[cfg(test)]
mod tests {
    use super::{hops, next_dim, ECube};
    use crate::routing::Relation;
    use crate::topology::Hypercube;

    /// The relation leads along the same links as the hops.
    #[test]
    fn the_relation_matches_the_hops() {
        let cube = Hypercube::new(5).unwrap();
        for source in cube.addresses() {
            for destination in cube.addresses() {
                let route = ECube(cube).route(source, destination);
                let route = route.iter().map(|c| (c.from.node, c.from.port));
                let path = hops(source, destination).map(|(node, dim, _)| (node, dim));
                assert!(route.eq(path));
            }
        }
    }

    #[test]
    fn hops_end_at_the_destination() {
        let path: Vec<_> = hops(0b010, 0b101).collect();
        assert_eq!(path, [(0b010, 0, 0b011), (0b011, 1, 0b001), (0b001, 2, 0b101)]);
        assert_eq!(hops(5, 5).count(), 0);
    }

    /// Compares with a search bit by bit, as in the routing code of the paper.
    #[test]
    fn next_dim_is_the_lowest_differing_dimension() {
        for here in 0..64u32 {
            for destination in 0..64u32 {
                let expected = (0..6).find(|dim| (here >> dim) % 2 != (destination >> dim) % 2);
                assert_eq!(next_dim(here, destination), expected);
            }
        }
    }
}
