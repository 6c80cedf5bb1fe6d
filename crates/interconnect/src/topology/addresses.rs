//! Node addresses of a machine, independent of its wiring: their number, their parsing and their
//! printed form.

use super::{Hypercube, Metacube, Topology};
use std::fmt;
use std::ops::Range;
use thiserror::Error;

/// The addresses 0 to N-1 of N nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressSpace {
    nodes: u32,
    /// Number of dimensions of a cube, which is printed by its own name.
    dims: Option<u32>,
}

/// Error: an unsupported number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a machine of {0} nodes is not possible; accepted: 1 to {max}", max = AddressSpace::MAX_NODES)]
pub struct NodesError(pub u64);

/// Error: a number is not the address of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{value} (0x{value:X}) is outside the {addresses}; accepted: {range}", range = addresses.range())]
pub struct AddressOutOfRange {
    pub value: u64,
    pub addresses: AddressSpace,
}

impl AddressSpace {
    /// Maximum number of nodes. An address has up to 16 bits.
    pub const MAX_NODES: u32 = 1 << 16;

    /// Returns the addresses of a machine with this number of nodes.
    pub fn new(nodes: u64) -> Result<Self, NodesError> {
        match u32::try_from(nodes) {
            Ok(nodes @ 1..=Self::MAX_NODES) => Ok(AddressSpace { nodes, dims: None }),
            _ => Err(NodesError(nodes)),
        }
    }

    /// Number of nodes.
    pub fn nodes(self) -> u32 {
        self.nodes
    }

    /// Returns every address, ascending.
    pub fn all(self) -> Range<u32> {
        0..self.nodes
    }

    /// Returns the width of an address in bits if the number of nodes is a power of two greater
    /// than 1.
    pub fn bits(self) -> Option<u32> {
        let whole = self.nodes.is_power_of_two() && self.nodes > 1;
        whole.then(|| self.nodes.trailing_zeros())
    }

    /// Returns `value` as the address of a node, if there is such a node.
    pub fn address(self, value: u64) -> Result<u32, AddressOutOfRange> {
        match u32::try_from(value) {
            Ok(node) if node < self.nodes => Ok(node),
            _ => Err(AddressOutOfRange { value, addresses: self }),
        }
    }

    /// Printed form of an address: 0x and as many digits as the largest address has.
    pub fn hex(self, node: u32) -> String {
        let digits = format!("{:X}", self.nodes - 1).len();
        format!("0x{node:0digits$X}")
    }

    /// Range of addresses for messages: `0x0 to 0xE (0 to 14)`.
    pub fn range(self) -> String {
        let last = self.nodes - 1;
        format!("{} to {} (0 to {last})", self.hex(0), self.hex(last))
    }
}

impl From<Hypercube> for AddressSpace {
    fn from(cube: Hypercube) -> Self {
        AddressSpace { nodes: cube.nodes(), dims: Some(cube.dims()) }
    }
}

impl From<Metacube> for AddressSpace {
    /// Returns the addresses of the metacube's nodes, of up to 15 bits.
    fn from(metacube: Metacube) -> Self {
        AddressSpace { nodes: metacube.nodes(), dims: None }
    }
}

/// Formats the machine's name for messages: `4-cube`, `machine of 15 nodes`.
impl fmt::Display for AddressSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.dims, self.nodes) {
            (Some(dims), _) => write!(f, "{dims}-cube"),
            (None, 1) => write!(f, "machine of 1 node"),
            (None, nodes) => write!(f, "machine of {nodes} nodes"),
        }
    }
}

// Reading and printing of node addresses for any topology.

/// Error: a number is not the address of a node.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{value} (0x{value:X}) is outside the {topology}; accepted: {accepted}")]
pub struct NoSuchNode {
    pub value: u64,
    /// Name of the topology.
    pub topology: String,
    /// Range of accepted addresses.
    pub accepted: String,
}

/// Returns `value` as a node address.
///
/// # Errors
/// Returns an error if there is no such node.
pub fn node_at(topology: &dyn Topology, value: u64) -> Result<u32, NoSuchNode> {
    match u32::try_from(value) {
        Ok(node) if node < topology.nodes() => Ok(node),
        _ => Err(NoSuchNode { value, topology: topology.name(), accepted: node_range(topology) }),
    }
}

/// Range of node addresses for messages: `0x0 to 0xF (0 to 15)`.
fn node_range(topology: &dyn Topology) -> String {
    let last = topology.nodes().saturating_sub(1);
    let (first_name, last_name) = (topology.node_name(0), topology.node_name(last));
    format!("{first_name} to {last_name} (0 to {last})")
}

/// Short name of a node, without `0x` and leading zeros.
pub fn short_name(topology: &dyn Topology, node: u32) -> String {
    let name = topology.node_name(node);
    match name.strip_prefix("0x").map(|hex| hex.trim_start_matches('0')) {
        None => name,
        Some("") => "0".into(),
        Some(hex) => hex.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_nodes_is_addressed() {
        let fifteen = AddressSpace::new(15).unwrap();
        assert_eq!(fifteen.address(14), Ok(14));
        assert_eq!(
            fifteen.address(15).unwrap_err().to_string(),
            "15 (0xF) is outside the machine of 15 nodes; accepted: 0x0 to 0xE (0 to 14)"
        );
        let hundred = AddressSpace::new(100).unwrap();
        assert_eq!((hundred.hex(5), hundred.hex(99)), ("0x05".into(), "0x63".into()));
        assert_eq!(AddressSpace::new(1).unwrap().range(), "0x0 to 0x0 (0 to 0)");
        for nodes in [0, 65_537, 1 << 32] {
            assert_eq!(AddressSpace::new(nodes), Err(NodesError(nodes)));
        }
        assert_eq!(
            NodesError(0).to_string(),
            "a machine of 0 nodes is not possible; accepted: 1 to 65536"
        );
    }

    #[test]
    fn bits_exist_for_powers_of_two_only() {
        let bits = |nodes| AddressSpace::new(nodes).unwrap().bits();
        assert_eq!([1, 2, 3, 15, 16, 17].map(bits), [None, Some(1), None, None, Some(4), None]);
        for dims in 1..=16 {
            let cube = Hypercube::new(dims).unwrap();
            assert_eq!(AddressSpace::from(cube).bits(), Some(cube.dims()));
        }
    }
}

#[cfg(test)]
mod address_tests {
    use super::*;
    use crate::topology::Hypercube;

    #[test]
    fn an_invalid_address_is_rejected_with_the_range() {
        let cube = Hypercube::new(4).unwrap();
        assert_eq!(node_at(&cube, 15), Ok(15));
        for value in [16, 1 << 32] {
            let (refused, typed) = (node_at(&cube, value), cube.address(value));
            // The text is the same as for a topology that is known to be a cube.
            assert_eq!(refused.unwrap_err().to_string(), typed.unwrap_err().to_string());
        }
    }

    #[test]
    fn short_names_have_no_leading_zeros() {
        let cube = Hypercube::new(9).unwrap();
        let names = [0, 0xA, 0x100].map(|node| short_name(&cube, node));
        assert_eq!(names, ["0", "A", "100"]);
    }
}
