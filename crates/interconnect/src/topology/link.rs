//! Links between the ends of two nodes.

use super::{PortEnd, Topology};

/// Link between two ends: a wire that both ends use, or a one-way channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// Sending end. If both ends send, the first one by port, then by node. In a cube this is the
    /// end whose address bit is 0.
    pub from: PortEnd,
    pub to: PortEnd,
}

impl Link {
    /// Returns true if the link has this node at an end.
    pub fn is_at(self, node: u32) -> bool {
        self.from.node == node || self.to.node == node
    }
}

/// Returns every link once, ordered by the port of its first end, then by the node.
///
/// Two ends share one wire if each is the peer of the other, unless channels are one-way.
pub fn links<T: Topology + ?Sized>(topology: &T) -> impl Iterator<Item = Link> + '_ {
    let nodes = move |port| (0..topology.nodes()).map(move |node| PortEnd { node, port });
    (0..topology.ports()).flat_map(nodes).filter_map(|from| {
        let to = topology.peer(from);
        let both = topology.peer(to) == from && !topology.is_one_way();
        let first = (from.port, from.node) <= (to.port, to.node);
        (first || !both).then_some(Link { from, to })
    })
}

/// Returns the nodes that a node has a link with, each once, by port.
pub fn neighbours<T: Topology + ?Sized>(topology: &T, node: u32) -> Vec<u32> {
    let mut found = vec![];
    for port in 0..topology.ports() {
        let end = PortEnd { node, port };
        for other in [topology.peer(end).node, topology.source(end).node] {
            if !found.contains(&other) {
                found.push(other);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Hypercube, Torus};

    /// Nodes in a ring. A message that leaves one node arrives at the next.
    #[derive(Debug)]
    struct OneWayRing(u32);

    impl Topology for OneWayRing {
        fn name(&self) -> String {
            format!("ring of {}", self.0)
        }

        fn nodes(&self) -> u32 {
            self.0
        }

        fn ports(&self) -> u32 {
            1
        }

        fn peer(&self, end: PortEnd) -> PortEnd {
            let node = (end.node + 1) % self.0;
            PortEnd { node, ..end }
        }

        fn source(&self, end: PortEnd) -> PortEnd {
            let node = (end.node + self.0 - 1) % self.0;
            PortEnd { node, ..end }
        }
    }

    #[test]
    fn a_ring_has_a_link_out_of_each_node() {
        let ends: Vec<(u32, u32)> = links(&OneWayRing(4))
            .map(|link| (link.from.node, link.to.node))
            .collect();
        assert_eq!(ends, [(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(neighbours(&OneWayRing(4), 0), [1, 3]);
        assert_eq!(neighbours(&OneWayRing(4), 3), [0, 2]);
    }

    /// A ring of two nodes has two channels, one in each direction.
    #[test]
    fn two_one_way_channels_are_two_links() {
        let ring = Torus::new(&[2]).unwrap();
        let ends: Vec<(u32, u32)> = links(&ring)
            .map(|link| (link.from.node, link.to.node))
            .collect();
        assert_eq!(ends, [(0, 1), (1, 0)]);
    }

    /// Drawn by hand: dimension 0 first, in each dimension by the end whose bit is 0.
    #[test]
    fn a_cube_has_one_link_per_pair_of_ends() {
        let cube = Hypercube::new(2).unwrap();
        let ends: Vec<(u32, u32, u32)> = links(&cube)
            .map(|link| (link.from.port, link.from.node, link.to.node))
            .collect();
        assert_eq!(ends, [(0, 0, 1), (0, 2, 3), (1, 0, 2), (1, 1, 3)]);
        assert_eq!(neighbours(&cube, 1), [0, 3]);
    }
}
