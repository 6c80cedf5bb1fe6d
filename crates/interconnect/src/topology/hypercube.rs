//! Binary n-cube: 2^n nodes, with an edge between each two addresses that differ in one bit. Port
//! `d` of a node is connected to port `d` of its neighbour across dimension `d`.

use super::{AddressOutOfRange, AddressSpace, PortEnd, Topology};
use std::ops::Range;
use thiserror::Error;

/// A binary hypercube of 1 to 16 dimensions.
///
/// An address has `dims` bits; dimensions are counted from 0, the least
/// significant bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hypercube {
    dims: u32,
}

/// Error: an unsupported number of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a cube of {0} dimensions is not possible; accepted: {min} to {max}", min = Hypercube::MIN_DIMS, max = Hypercube::MAX_DIMS)]
pub struct DimsError(pub u64);

impl Hypercube {
    pub const MIN_DIMS: u32 = 1;
    /// Maximum number of dimensions. A frame carries a destination of 16 bits (docs/machine.md,
    /// "Frame").
    pub const MAX_DIMS: u32 = 16;

    /// Returns the cube of `dims` dimensions.
    pub fn new(dims: u64) -> Result<Self, DimsError> {
        match u32::try_from(dims) {
            Ok(dims @ Self::MIN_DIMS..=Self::MAX_DIMS) => Ok(Self { dims }),
            _ => Err(DimsError(dims)),
        }
    }

    /// Returns the cube of a circuit with a constant number of dimensions.
    ///
    /// # Panics
    /// Panics if there is no such cube.
    pub const fn of(dims: u32) -> Self {
        assert!(dims >= Self::MIN_DIMS && dims <= Self::MAX_DIMS);
        Self { dims }
    }

    /// Number of dimensions, which is also the number of ports of a node and of bits of an address.
    pub const fn dims(self) -> u32 {
        self.dims
    }

    /// Number of nodes, 2^dims.
    pub const fn nodes(self) -> u32 {
        1 << self.dims
    }

    /// Returns every address, ascending.
    pub fn addresses(self) -> Range<u32> {
        0..self.nodes()
    }

    /// Returns `value` as the address of a node, if there is such a node.
    pub fn address(self, value: u64) -> Result<u32, AddressOutOfRange> {
        AddressSpace::from(self).address(value)
    }

    /// Returns a word with one bit set for each dimension, like the port masks of a node.
    pub const fn all_dims(self) -> u64 {
        (1 << self.dims) - 1
    }

    /// Returns the node at the other end of `node`'s link in dimension `dim`.
    pub const fn neighbour(self, node: u32, dim: u32) -> u32 {
        debug_assert!(node < self.nodes() && dim < self.dims);
        node ^ (1 << dim)
    }

    /// Number of links, n * 2^(n-1).
    pub const fn link_count(self) -> usize {
        self.dims as usize * self.nodes() as usize / 2
    }

    /// Returns the cube with the wiring of this topology, if the topology is a cube.
    pub fn recognise(topology: &dyn Topology) -> Option<Self> {
        let cube = Hypercube::new(topology.ports().into()).ok()?;
        let ends = |node| (0..cube.dims).map(move |port| PortEnd { node, port });
        let same = |end| topology.peer(end) == cube.peer(end);
        let is_it = topology.nodes() == cube.nodes() && cube.addresses().flat_map(ends).all(same);
        is_it.then_some(cube)
    }

    /// Number of links on a shortest path, which is the Hamming distance.
    pub fn distance(self, from: u32, to: u32) -> u32 {
        (from ^ to).count_ones()
    }

    /// Printed form of an address: 0x and as many digits as the largest address has.
    pub fn hex(self, node: u32) -> String {
        AddressSpace::from(self).hex(node)
    }
}

/// Port `d` is the link in dimension `d`, and both ends use it.
impl Topology for Hypercube {
    fn name(&self) -> String {
        format!("{}-cube", self.dims)
    }

    fn nodes(&self) -> u32 {
        Hypercube::nodes(*self)
    }

    fn ports(&self) -> u32 {
        self.dims
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        PortEnd { node: self.neighbour(end.node, end.port), port: end.port }
    }

    fn node_name(&self, node: u32) -> String {
        self.hex(node)
    }

    fn port_name(&self, port: u32) -> String {
        format!("dimension {port}")
    }

    fn port_label(&self, port: u32) -> String {
        format!("dim {port}")
    }

    fn port_word(&self) -> &'static str {
        "dimension"
    }

    fn distance(&self, from: u32, to: u32) -> Option<u32> {
        Some(Hypercube::distance(*self, from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{distances, links};
    use std::collections::HashSet;

    fn cubes(max_dims: u64) -> impl Iterator<Item = Hypercube> {
        (1..=max_dims).map(|dims| Hypercube::new(dims).unwrap())
    }

    #[test]
    fn has_1_to_16_dimensions() {
        for dims in [0, 17, u64::from(u32::MAX) + 2] {
            assert_eq!(Hypercube::new(dims), Err(DimsError(dims)));
        }
        assert_eq!(Hypercube::new(1).unwrap().nodes(), 2);
        assert_eq!(Hypercube::new(16).unwrap().nodes(), 65_536);
        assert_eq!(
            DimsError(17).to_string(),
            "a cube of 17 dimensions is not possible; accepted: 1 to 16"
        );
    }

    #[test]
    fn link_count_matches_the_links() {
        for cube in cubes(8) {
            assert_eq!(links(&cube).count(), cube.link_count());
        }
    }

    /// Neighbours differ in exactly one bit, are mutual, and are all different.
    #[test]
    fn neighbours_differ_in_the_bit_of_their_dimension() {
        for cube in cubes(8) {
            for node in cube.addresses() {
                let mut seen = HashSet::new();
                for dim in 0..cube.dims() {
                    let next = cube.neighbour(node, dim);
                    assert!(next < cube.nodes());
                    assert_eq!(node.abs_diff(next), 2u32.pow(dim));
                    assert_eq!(cube.neighbour(next, dim), node);
                    assert!(seen.insert(next));
                }
            }
        }
    }

    #[test]
    fn every_end_has_one_peer() {
        for cube in cubes(6) {
            crate::topology::check(&cube);
        }
    }

    /// There are n * 2^(n-1) links, each listed once. Each node has one in every dimension.
    #[test]
    fn links_are_the_edges_of_the_cube() {
        for cube in cubes(8) {
            let links: Vec<_> = links(&cube).collect();
            assert_eq!(links.len() as u32, cube.dims() * cube.nodes() / 2);
            assert_eq!(links.iter().collect::<HashSet<_>>().len(), links.len());
            let mut ports = HashSet::new();
            for link in links {
                assert_eq!(link.from.port, link.to.port);
                let apart = link.to.node - link.from.node;
                assert_eq!(apart, 2u32.pow(link.from.port));
                assert!(ports.insert(link.from));
                assert!(ports.insert(link.to));
            }
            assert_eq!(ports.len() as u32, cube.nodes() * cube.dims());
        }
    }

    /// The distance agrees with a breadth-first search over the links.
    #[test]
    fn distance_matches_breadth_first_search() {
        for cube in cubes(6) {
            for from in cube.addresses() {
                for (to, found) in cube.addresses().zip(distances(&cube, from)) {
                    assert_eq!(found, Some(cube.distance(from, to)));
                }
            }
        }
    }

    /// A cube is recognised by its wiring, not by its name.
    #[test]
    fn a_cube_is_recognised_by_its_wiring() {
        #[derive(Debug)]
        struct Reversed(Hypercube);
        impl Topology for Reversed {
            fn name(&self) -> String {
                Topology::name(&self.0)
            }
            fn nodes(&self) -> u32 {
                self.0.nodes()
            }
            fn ports(&self) -> u32 {
                self.0.dims()
            }
            fn peer(&self, end: PortEnd) -> PortEnd {
                let node = self.0.neighbour(end.node, self.0.dims() - 1 - end.port);
                PortEnd { node, ..end }
            }
        }
        for cube in cubes(6) {
            assert_eq!(Hypercube::recognise(&cube), Some(cube));
        }
        assert_eq!(Hypercube::recognise(&Reversed(Hypercube::new(3).unwrap())), None);
    }

    #[test]
    fn addresses_print_with_the_digits_of_the_largest() {
        assert_eq!(Hypercube::new(12).unwrap().hex(0x2A3), "0x2A3");
        assert_eq!(Hypercube::new(12).unwrap().hex(5), "0x005");
        assert_eq!(Hypercube::new(4).unwrap().hex(10), "0xA");
        assert_eq!(Hypercube::new(5).unwrap().hex(10), "0x0A");
    }

    #[test]
    fn an_address_outside_the_cube_is_rejected_with_the_range() {
        let cube = Hypercube::new(4).unwrap();
        assert_eq!(cube.address(15), Ok(15));
        assert_eq!(
            cube.address(1 << 32),
            Err(AddressOutOfRange { value: 1 << 32, addresses: cube.into() })
        );
        assert_eq!(
            cube.address(16).unwrap_err().to_string(),
            "16 (0x10) is outside the 4-cube; accepted: 0x0 to 0xF (0 to 15)"
        );
    }
}
