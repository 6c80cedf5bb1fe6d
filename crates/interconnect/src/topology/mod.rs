//! Topologies: nodes, ports, and the connections between ports, as plain arithmetic.
//!
//! * [`Topology`]: the interface of every network's nodes and ports;
//! * [`Link`], [`links`], [`neighbours`], [`distances`]: derived properties;
//! * [`AddressSpace`]: the number of nodes, and how an address is parsed and printed;
//! * [`Graph`]: nodes with names, described channel by channel;
//! * [`Hypercube`]: the binary n-cube;
//! * [`Metacube`]: clusters that are cubes, joined by cubes;
//! * [`Torus`]: the k-ary n-cube;
//! * [`number`]: parsing of numbers, including addresses.
//!
//! The module contains neither circuits nor schedules.

mod addresses;
mod graph;
mod hypercube;
mod metacube;
pub mod number;
mod torus;

pub use addresses::{node_at, short_name, AddressOutOfRange, AddressSpace, NoSuchNode, NodesError};
pub use graph::{Graph, GraphError};
pub use hypercube::{DimsError, Hypercube};
pub use metacube::{Metacube, MetacubeError};
use std::collections::VecDeque;
use std::fmt;
pub use torus::{Torus, TorusError};

/// One port of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortEnd {
    pub node: u32,
    pub port: u32,
}

impl PortEnd {
    pub const fn new(node: u32, port: u32) -> Self {
        PortEnd { node, port }
    }
}

/// Nodes of a network, and the connections between their ports.
///
/// Nodes and ports are counted from 0. All nodes have the same number of ports. A message that
/// leaves a node by a port arrives at one port of one node.
pub trait Topology: fmt::Debug + Send + Sync {
    /// Printed name: `3-cube`.
    fn name(&self) -> String;

    /// Number of nodes.
    fn nodes(&self) -> u32;

    /// Number of ports of a node.
    fn ports(&self) -> u32;

    /// Returns the end at which a message arrives that leaves by this end.
    fn peer(&self, end: PortEnd) -> PortEnd;

    /// Returns the end from which a message arrives at this end, the inverse of
    /// [`peer`](Self::peer). The two are equal if both ends of a wire use it in both directions.
    fn source(&self, end: PortEnd) -> PortEnd {
        self.peer(end)
    }

    /// Returns true if a channel leaves by this end. Nodes at the edge of a mesh have ports without
    /// a channel. [`peer`](Self::peer) of such an end is the end itself.
    fn is_connected(&self, end: PortEnd) -> bool {
        let _ = end;
        true
    }

    /// Returns true if the two directions between nodes use separate wires, even if both lead to
    /// the same node.
    fn is_one_way(&self) -> bool {
        false
    }

    /// Printed form of a node: 0x and as many digits as the last node has.
    fn node_name(&self, node: u32) -> String {
        let last = self.nodes().saturating_sub(1);
        let digits = format!("{last:X}").len();
        format!("0x{node:0digits$X}")
    }

    /// Printed form of a port: `dimension 2`.
    fn port_name(&self, port: u32) -> String {
        format!("port {port}")
    }

    /// Short form of a port: `dim 2`.
    fn port_label(&self, port: u32) -> String {
        self.port_name(port)
    }

    /// Word for a port: `dimension`.
    fn port_word(&self) -> &'static str {
        "port"
    }

    /// Number of links on a shortest path between two nodes, or `None` if there is no path.
    fn distance(&self, from: u32, to: u32) -> Option<u32> {
        distances(self, from)[to as usize]
    }
}

/// Checks the properties of every topology, for tests: each end is connected to one end, and
/// [`source`](Topology::source) is the reverse direction.
#[cfg(test)]
pub(crate) fn check(topology: &dyn Topology) {
    let mut met = std::collections::HashSet::new();
    for node in 0..topology.nodes() {
        for port in 0..topology.ports() {
            let end = PortEnd { node, port };
            let peer = topology.peer(end);
            assert!(peer.node < topology.nodes() && peer.port < topology.ports());
            assert_eq!(topology.source(peer), end, "{}", topology.name());
            assert!(met.insert(peer), "{peer:?} is met twice");
        }
    }
}

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
    let connected = move |end: &PortEnd| topology.is_connected(*end);
    let ends = (0..topology.ports()).flat_map(nodes);
    ends.filter(connected).filter_map(move |from| {
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
            if other != node && !found.contains(&other) {
                found.push(other);
            }
        }
    }
    found
}

// Distances between nodes, found by breadth-first search.

/// Returns for every node the length in links of a shortest path from `from`, or `None` if no path
/// exists.
pub fn distances<T: Topology + ?Sized>(topology: &T, from: u32) -> Vec<Option<u32>> {
    let mut found = vec![None; topology.nodes() as usize];
    found[from as usize] = Some(0);
    let mut reached = VecDeque::from([(from, 0)]);
    while let Some((node, distance)) = reached.pop_front() {
        for port in 0..topology.ports() {
            let next = topology.peer(PortEnd { node, port }).node;
            if found[next as usize].is_none() {
                found[next as usize] = Some(distance + 1);
                reached.push_back((next, distance + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Hypercube, Torus};

    #[test]
    fn a_ring_has_a_link_out_of_each_node() {
        let ends: Vec<(u32, u32)> =
            links(&RingAndIsolatedNode).map(|link| (link.from.node, link.to.node)).collect();
        assert_eq!(ends, [(0, 1), (1, 2), (2, 0), (3, 3)]);
        assert_eq!(neighbours(&RingAndIsolatedNode, 0), [1, 2]);
        assert_eq!(neighbours(&RingAndIsolatedNode, 2), [0, 1]);
    }

    /// A ring of two nodes has two channels, one in each direction.
    #[test]
    fn two_one_way_channels_are_two_links() {
        let ring = Torus::new(&[2]).unwrap();
        let ends: Vec<(u32, u32)> =
            links(&ring).map(|link| (link.from.node, link.to.node)).collect();
        assert_eq!(ends, [(0, 1), (1, 0)]);
    }

    /// Drawn by hand: dimension 0 first, in each dimension by the end whose bit is 0.
    #[test]
    fn a_cube_has_one_link_per_pair_of_ends() {
        let cube = Hypercube::new(2).unwrap();
        let ends: Vec<(u32, u32, u32)> =
            links(&cube).map(|link| (link.from.port, link.from.node, link.to.node)).collect();
        assert_eq!(ends, [(0, 0, 1), (0, 2, 3), (1, 0, 2), (1, 1, 3)]);
        assert_eq!(neighbours(&cube, 1), [0, 3]);
    }

    /// Three nodes in a one-way ring, and one node beside them.
    #[derive(Debug)]
    struct RingAndIsolatedNode;

    impl Topology for RingAndIsolatedNode {
        fn name(&self) -> String {
            "circle and one".into()
        }

        fn nodes(&self) -> u32 {
            4
        }

        fn ports(&self) -> u32 {
            1
        }

        fn peer(&self, end: PortEnd) -> PortEnd {
            let node = [1, 2, 0, 3][end.node as usize];
            PortEnd { node, ..end }
        }

        fn source(&self, end: PortEnd) -> PortEnd {
            let node = [2, 0, 1, 3][end.node as usize];
            PortEnd { node, ..end }
        }
    }

    #[test]
    fn distances_follow_one_way_channels() {
        let found = distances(&RingAndIsolatedNode, 1);
        assert_eq!(found, [Some(2), Some(0), Some(1), None]);
        assert_eq!(RingAndIsolatedNode.distance(2, 1), Some(2));
        assert_eq!(RingAndIsolatedNode.distance(0, 3), None);
    }
}
