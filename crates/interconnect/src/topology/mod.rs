//! Which nodes there are and which of their ports meet: plain arithmetic.
//!
//! * [`Topology`]: what every network says of its nodes and ports;
//! * [`Link`], [`links`], [`neighbours`], [`distances`]: what follows from that;
//! * [`Addresses`]: how many nodes there are, and how a node is read and printed;
//! * [`Hypercube`]: the binary n-cube;
//! * [`Metacube`]: clusters that are cubes, joined by cubes;
//! * [`Torus`]: the k-ary n-cube;
//! * [`number`]: how a person writes a number, an address among them.
//!
//! Nothing here knows a circuit or a schedule.

mod address;
mod addresses;
mod distance;
mod hypercube;
mod link;
mod metacube;
pub mod number;
mod torus;

pub use address::{node_at, short_name, NoNode};
pub use addresses::{Addresses, NodesError, Outside};
pub use distance::distances;
pub use hypercube::{DimsError, Hypercube};
pub use link::{links, neighbours, Link};
pub use metacube::{Metacube, MetacubeError};
pub use torus::{Torus, TorusError};

use std::fmt;

/// One port of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    pub node: u32,
    pub port: u32,
}

impl End {
    pub const fn new(node: u32, port: u32) -> Self {
        End { node, port }
    }
}

/// Which nodes there are, and which of their ports meet.
///
/// Nodes and ports are counted from 0. All nodes have as many ports. What leaves a
/// node by a port arrives at one port of one node.
pub trait Topology: fmt::Debug + Send + Sync {
    /// What it is called in print: `3-cube`.
    fn name(&self) -> String;

    /// Number of nodes.
    fn nodes(&self) -> u32;

    /// Number of ports of a node.
    fn ports(&self) -> u32;

    /// Where what leaves by this end arrives.
    fn peer(&self, end: End) -> End;

    /// Where what arrives at this end has left: the inverse of [`peer`](Self::peer).
    /// Where both ends of a wire use it both ways it is the same.
    fn source(&self, end: End) -> End {
        self.peer(end)
    }

    /// Whether what leaves a node by a port and what arrives by it go over wires of their
    /// own, even where both lead to the same node.
    fn is_one_way(&self) -> bool {
        false
    }

    /// A node as it is printed: 0x and as many digits as the last one has.
    fn node_name(&self, node: u32) -> String {
        let last = self.nodes().saturating_sub(1);
        let digits = format!("{last:X}").len();
        format!("0x{node:0digits$X}")
    }

    /// A port as it is printed: `dimension 2`.
    fn port_name(&self, port: u32) -> String {
        format!("port {port}")
    }

    /// A port where there is little room: `dim 2`.
    fn port_label(&self, port: u32) -> String {
        self.port_name(port)
    }

    /// What a port is, in a word: `dimension`.
    fn port_word(&self) -> &'static str {
        "port"
    }

    /// Links on a shortest way from one node to another; `None` if there is no way.
    fn distance(&self, from: u32, to: u32) -> Option<u32> {
        distances(self, from)[to as usize]
    }
}

/// What every topology must keep, for the tests of all: each end meets one end, and
/// [`source`](Topology::source) is the way back.
#[cfg(test)]
pub(crate) fn check(topology: &dyn Topology) {
    let mut met = std::collections::HashSet::new();
    for node in 0..topology.nodes() {
        for port in 0..topology.ports() {
            let end = End { node, port };
            let peer = topology.peer(end);
            assert!(peer.node < topology.nodes() && peer.port < topology.ports());
            assert_eq!(topology.source(peer), end, "{}", topology.name());
            assert!(met.insert(peer), "{peer:?} is met twice");
        }
    }
}
