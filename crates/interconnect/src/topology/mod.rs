//! Topologies: nodes, ports, and the connections between ports, as plain arithmetic.
//!
//! * [`Topology`]: the interface of every network's nodes and ports;
//! * [`Link`], [`links`], [`neighbours`], [`distances`]: derived properties;
//! * [`AddressSpace`]: the number of nodes, and how an address is parsed and printed;
//! * [`Hypercube`]: the binary n-cube;
//! * [`Metacube`]: clusters that are cubes, joined by cubes;
//! * [`Torus`]: the k-ary n-cube;
//! * [`number`]: parsing of numbers, including addresses.
//!
//! The module contains neither circuits nor schedules.

mod address;
mod addresses;
mod distance;
mod hypercube;
mod link;
mod metacube;
pub mod number;
mod torus;

pub use address::{node_at, short_name, NoSuchNode};
pub use addresses::{AddressOutOfRange, AddressSpace, NodesError};
pub use distance::distances;
pub use hypercube::{DimsError, Hypercube};
pub use link::{links, neighbours, Link};
pub use metacube::{Metacube, MetacubeError};
pub use torus::{Torus, TorusError};

use std::fmt;

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
