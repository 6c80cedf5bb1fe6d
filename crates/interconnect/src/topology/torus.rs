//! k-ary n-cube: one-way rings in every dimension (torus-routing-chip, section 4).
//!
//! The digits of a node's address are its coordinates, dimension 0 lowest. A node has one channel
//! for each dimension. The channel leads to the node whose coordinate is one less, and from
//! coordinate 0 to the greatest one.

use super::{PortEnd, Topology};
use std::ops::Range;
use thiserror::Error;

/// A torus of 1 to 8 dimensions whose rings have 2 to 256 nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Torus {
    radices: Vec<u32>,
}

/// Error: an unsupported torus. The message states the accepted values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TorusError {
    #[error("a torus of {0} dimensions is not possible; accepted: 1 to {max}", max = Torus::MAX_DIMS)]
    Dims(usize),
    #[error("dimension {dim} is a ring of {radix} nodes; accepted: {min} to {max}", min = Torus::MIN_RADIX, max = Torus::MAX_RADIX)]
    Radix { dim: usize, radix: u32 },
    #[error("a torus of {0} nodes is too large; accepted: up to {max}", max = Torus::MAX_NODES)]
    Nodes(u64),
}

impl Torus {
    pub const MAX_DIMS: usize = 8;
    pub const MIN_RADIX: u32 = 2;
    /// Maximum size of a ring. An address in a dimension is a byte.
    pub const MAX_RADIX: u32 = 256;
    /// Maximum number of nodes, the same as in the largest cube.
    pub const MAX_NODES: u64 = 65_536;

    /// Returns the torus with rings of these sizes, dimension 0 first.
    ///
    /// # Errors
    /// Returns an error if the number of dimensions, the size of a ring or the number of nodes is
    /// out of range.
    pub fn new(radices: &[u32]) -> Result<Self, TorusError> {
        if !(1..=Self::MAX_DIMS).contains(&radices.len()) {
            return Err(TorusError::Dims(radices.len()));
        }
        for (dim, &radix) in radices.iter().enumerate() {
            if !(Self::MIN_RADIX..=Self::MAX_RADIX).contains(&radix) {
                return Err(TorusError::Radix { dim, radix });
            }
        }
        let nodes: u64 = radices.iter().map(|radix| u64::from(*radix)).product();
        if nodes > Self::MAX_NODES {
            return Err(TorusError::Nodes(nodes));
        }
        Ok(Torus { radices: radices.to_vec() })
    }

    /// Returns the torus with 2^`dims` nodes, in two rings of 2^ceil(dims / 2) and 2^floor(dims /
    /// 2) nodes. For the 1-cube it is one ring.
    ///
    /// # Errors
    /// Returns an error if there is no cube with `dims` dimensions.
    pub fn of_cube(dims: u32) -> Result<Self, TorusError> {
        if dims > 16 {
            return Err(TorusError::Nodes(1u64.checked_shl(dims).unwrap_or(u64::MAX)));
        }
        let radices = [1 << dims.div_ceil(2), 1 << (dims / 2)];
        Self::new(&radices[..if dims < 2 { 1 } else { 2 }])
    }

    /// Returns the torus with the wiring of this topology, if the topology is a torus.
    pub fn recognise(topology: &dyn Topology) -> Option<Self> {
        let around = |port| {
            let next = |node: &u32| Some(topology.peer(PortEnd::new(*node, port)).node);
            let ring = std::iter::successors(next(&0), next);
            let others = ring.take(Self::MAX_RADIX as usize);
            1 + others.take_while(|node| *node != 0).count() as u32
        };
        let one_way = topology.is_one_way();
        let radices: Vec<u32> = (0..topology.ports()).map(around).collect();
        let torus = Torus::new(&radices).ok().filter(|_| one_way)?;
        let ends = |node| (0..torus.ports()).map(move |port| PortEnd { node, port });
        let mut all = torus.addresses().flat_map(ends);
        let is_it = topology.nodes() == torus.nodes()
            && all.all(|end| topology.peer(end) == torus.peer(end));
        is_it.then_some(torus)
    }

    /// Number of dimensions, which is also the number of a node's output channels and of its input
    /// channels.
    pub fn dims(&self) -> usize {
        self.radices.len()
    }

    /// Sizes of the rings, by dimension.
    pub fn radices(&self) -> &[u32] {
        &self.radices
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.radices.iter().product()
    }

    /// Returns every address, ascending.
    pub fn addresses(&self) -> Range<u32> {
        0..self.nodes()
    }

    /// Address difference between neighbours in this dimension.
    fn stride(&self, dim: usize) -> u32 {
        self.radices[..dim].iter().product()
    }

    /// Returns the coordinate of a node in this dimension.
    pub fn coordinate(&self, node: u32, dim: usize) -> u32 {
        debug_assert!(node < self.nodes());
        node / self.stride(dim) % self.radices[dim]
    }

    /// Returns the node that `node`'s channel in this dimension leads to.
    pub fn next(&self, node: u32, dim: usize) -> u32 {
        let stride = self.stride(dim);
        match self.coordinate(node, dim) {
            0 => node + (self.radices[dim] - 1) * stride,
            _ => node - stride,
        }
    }

    /// Returns the node whose channel in this dimension leads to `node`.
    pub fn previous(&self, node: u32, dim: usize) -> u32 {
        let (stride, radix) = (self.stride(dim), self.radices[dim]);
        match self.coordinate(node, dim) + 1 == radix {
            true => node - (radix - 1) * stride,
            false => node + stride,
        }
    }

    /// Number of channels from one node to another in this dimension, which is the relative
    /// address.
    pub fn relative(&self, from: u32, to: u32, dim: usize) -> u32 {
        let (from, to) = (self.coordinate(from, dim), self.coordinate(to, dim));
        (from + self.radices[dim] - to) % self.radices[dim]
    }

    /// Number of channels from one node to another.
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        let dims = 0..self.dims();
        dims.map(|dim| self.relative(from, to, dim)).sum()
    }

    /// Greatest distance: in each dimension once around the ring, except for one channel.
    pub fn diameter(&self) -> u32 {
        self.radices.iter().map(|radix| radix - 1).sum()
    }
}

impl Topology for Torus {
    fn is_one_way(&self) -> bool {
        true
    }

    /// `4x4x2 torus`, `ring of 4`.
    fn name(&self) -> String {
        if let [radix] = &self.radices[..] {
            return format!("ring of {radix}");
        }
        let radices: Vec<String> = self.radices.iter().map(u32::to_string).collect();
        format!("{} torus", radices.join("x"))
    }

    fn nodes(&self) -> u32 {
        Torus::nodes(self)
    }

    fn ports(&self) -> u32 {
        self.dims() as u32
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        let node = self.next(end.node, end.port as usize);
        PortEnd { node, ..end }
    }

    fn source(&self, end: PortEnd) -> PortEnd {
        let node = self.previous(end.node, end.port as usize);
        PortEnd { node, ..end }
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
        Some(Torus::distance(self, from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::distances;
    use std::collections::BTreeSet;

    const SHAPES: &[&[u32]] =
        &[&[2], &[7], &[4, 4], &[4, 2], &[3, 5], &[2, 3, 4], &[4, 4, 4], &[2, 2, 2, 2], &[16, 16]];

    fn all() -> impl Iterator<Item = Torus> {
        SHAPES.iter().map(|radices| Torus::new(radices).unwrap())
    }

    /// The coordinates identify a node, and no two nodes have the same.
    #[test]
    fn only_a_torus_is_recognised() {
        for radices in SHAPES {
            let torus = Torus::new(radices).unwrap();
            assert_eq!(Torus::recognise(&torus), Some(torus));
        }
        let cube = crate::topology::Hypercube::new(3).unwrap();
        assert_eq!(Torus::recognise(&cube), None);
    }

    #[test]
    fn addresses_are_digits() {
        let digit = |node| move |dim| Torus::new(&[4, 3, 2]).unwrap().coordinate(node, dim);
        let digits = |node| (0..3).map(digit(node)).collect::<Vec<_>>();
        assert_eq!(digits(0), [0, 0, 0]);
        assert_eq!(digits(1 + 2 * 4 + 12), [1, 2, 1]);
        assert_eq!((0..24).map(digits).collect::<BTreeSet<_>>().len(), 24);
    }

    #[test]
    fn every_end_has_one_peer() {
        all().for_each(|torus| crate::topology::check(&torus));
    }

    /// One coordinate decreases by one, or wraps around. The others are unchanged.
    #[test]
    fn a_channel_leads_to_the_next_lower_coordinate() {
        for torus in all() {
            for node in torus.addresses() {
                for dim in 0..torus.dims() {
                    let next = torus.next(node, dim);
                    assert_eq!(torus.previous(next, dim), node);
                    for other in 0..torus.dims() {
                        let (from, to) =
                            (torus.coordinate(node, other), torus.coordinate(next, other));
                        let radix = torus.radices()[other];
                        let wanted = if other == dim { (from + radix - 1) % radix } else { from };
                        assert_eq!(to, wanted, "{}: {node}, dimension {dim}", torus.name());
                    }
                }
            }
        }
    }

    /// The distance agrees with a search over the channels.
    #[test]
    fn distances_match_breadth_first_search() {
        for torus in all() {
            let mut greatest = 0;
            for from in torus.addresses().step_by(1 + torus.nodes() as usize / 16) {
                let found = distances(&torus, from);
                for to in torus.addresses() {
                    assert_eq!(Some(torus.distance(from, to)), found[to as usize]);
                    greatest = greatest.max(torus.distance(from, to));
                }
            }
            assert_eq!(torus.diameter(), greatest);
        }
        // The paper states 32 (torus-routing-chip, section 7).
        assert_eq!(Torus::new(&[16, 16]).unwrap().diameter(), 30);
    }

    #[test]
    fn of_cube_returns_the_torus_of_the_same_size() {
        let radices = |dims| Torus::of_cube(dims).unwrap().radices().to_vec();
        assert_eq!(radices(1), [2]);
        assert_eq!(radices(3), [4, 2]);
        assert_eq!(radices(6), [8, 8]);
        assert_eq!(radices(16), [256, 256]);
        assert_eq!(Torus::of_cube(17), Err(TorusError::Nodes(1 << 17)));
        let name = |radices: &[u32]| Torus::new(radices).unwrap().name();
        assert_eq!([name(&[8, 8]), name(&[4])], ["8x8 torus", "ring of 4"]);
    }

    #[test]
    fn invalid_radices_are_rejected_with_the_accepted_ones() {
        for (radices, message) in [
            (&[][..], "a torus of 0 dimensions is not possible; accepted: 1 to 8"),
            (&[4, 1], "dimension 1 is a ring of 1 nodes; accepted: 2 to 256"),
            (&[257], "dimension 0 is a ring of 257 nodes; accepted: 2 to 256"),
            (&[256, 256, 2], "a torus of 131072 nodes is too large; accepted: up to 65536"),
        ] {
            assert_eq!(Torus::new(radices).unwrap_err().to_string(), message);
        }
    }
}
