//! Metacube MC(k, m): clusters that are m-cubes, joined by k-cubes (metacube-total-exchange,
//! section 2).
//!
//! An address has a class of k bits at the top, and 2^k fields of m bits, field 0 lowest. Link e <
//! m is a cube edge and inverts bit e of the field that the node's class selects. Link m + e is a
//! cross edge and inverts bit e of the class. A link has the same number at both ends.
//!
//! A cube of n dimensions is the metacube of one class, MC(0, n). All statements about metacubes
//! apply to it, but it is printed as a cube.

use super::{Hypercube, PortEnd, Topology};
use thiserror::Error;

/// A metacube with two or four classes, or a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Metacube {
    class_bits: u32,
    field_bits: u32,
}

/// Error: an unsupported metacube. The message states the accepted values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MetacubeError {
    #[error("there is no metacube MC({class_bits},{field_bits}); accepted: MC(1,1) to MC(1,7), MC(2,1) to MC(2,3)")]
    Shape { class_bits: u32, field_bits: u32 },
    #[error("no metacube has 2^{dims} nodes; accepted: {}", Metacube::sizes())]
    Nodes { dims: u64 },
}

impl From<Hypercube> for Metacube {
    fn from(cube: Hypercube) -> Self {
        Metacube { class_bits: 0, field_bits: cube.dims() }
    }
}

impl Metacube {
    /// Maximum number of class bits.
    pub const MAX_CLASS_BITS: u32 = 2;
    /// Maximum number of address bits.
    pub const MAX_BITS: u32 = 15;

    /// Returns MC(`class_bits`, `field_bits`).
    ///
    /// # Errors
    /// Returns an error if a class or a field has no bits, a class has more than two bits, or there
    /// are more than 2^15 nodes.
    pub fn new(class_bits: u32, field_bits: u32) -> Result<Self, MetacubeError> {
        let refused = MetacubeError::Shape { class_bits, field_bits };
        let known = (1..=Self::MAX_CLASS_BITS).contains(&class_bits)
            && (1..=Self::MAX_BITS).contains(&field_bits);
        let metacube = Metacube { class_bits, field_bits };
        match known && metacube.bits() <= Self::MAX_BITS {
            true => Ok(metacube),
            false => Err(refused),
        }
    }

    /// Returns the metacube or cube of a circuit with a constant shape.
    ///
    /// # Panics
    /// Panics if there is no such metacube.
    pub const fn of(class_bits: u32, field_bits: u32) -> Self {
        let metacube = Metacube { class_bits, field_bits };
        assert!(class_bits <= Self::MAX_CLASS_BITS && field_bits > 0);
        assert!(metacube.bits() <= Hypercube::MAX_DIMS);
        metacube
    }

    /// Returns the equivalent cube, if there is one class.
    fn as_cube(self) -> Option<Hypercube> {
        (self.class_bits == 0).then(|| Hypercube::of(self.field_bits))
    }

    /// Returns all supported metacubes, the smallest first, without cubes.
    pub fn all() -> Vec<Self> {
        let of = |class_bits| {
            (1..=Self::MAX_BITS).filter_map(move |bits| Self::new(class_bits, bits).ok())
        };
        let mut all: Vec<Self> = (1..=Self::MAX_CLASS_BITS).flat_map(of).collect();
        all.sort_by_key(|metacube| metacube.bits());
        all
    }

    /// Returns the metacube with 2^`dims` nodes, like the cube of `dims` dimensions.
    ///
    /// # Errors
    /// Returns an error if there is none. The message lists the existing ones.
    pub fn of_cube(dims: u64) -> Result<Self, MetacubeError> {
        let mut all = Self::all().into_iter();
        let found = all.find(|metacube| u64::from(metacube.bits()) == dims);
        found.ok_or(MetacubeError::Nodes { dims })
    }

    /// `2^3 of MC(1,1), 2^5 of MC(1,2) ..`
    fn sizes() -> String {
        let all = Self::all().into_iter();
        let sizes = all.map(|metacube| format!("2^{} of {}", metacube.bits(), metacube.name()));
        sizes.collect::<Vec<_>>().join(", ")
    }

    /// Bits of a class, k, which is also the number of cross edges of a node.
    pub const fn class_bits(self) -> u32 {
        self.class_bits
    }

    /// Bits of a field, m, which is also the number of cube edges of a node.
    pub const fn field_bits(self) -> u32 {
        self.field_bits
    }

    /// Number of classes, which is also the number of fields.
    pub const fn classes(self) -> u32 {
        1 << self.class_bits
    }

    /// Bits of an address.
    pub const fn bits(self) -> u32 {
        self.field_bits * self.classes() + self.class_bits
    }

    /// Number of nodes.
    pub const fn nodes(self) -> u32 {
        1 << self.bits()
    }

    /// Links of a node.
    pub const fn links(self) -> u32 {
        self.field_bits + self.class_bits
    }

    /// Returns the class of a node, the top k bits of its address.
    pub const fn class(self, node: u32) -> u32 {
        node >> (self.field_bits * self.classes())
    }

    /// Returns a field of an address.
    pub const fn field(self, node: u32, field: u32) -> u32 {
        (node >> (self.field_bits * field)) & ((1 << self.field_bits) - 1)
    }

    /// Returns true if the link is a cross edge, which leads to another class.
    pub const fn is_cross(self, link: u32) -> bool {
        link >= self.field_bits
    }

    /// Returns the cross edge that inverts this bit of the class.
    pub const fn cross_edge(self, bit: u32) -> u32 {
        self.field_bits + bit
    }

    /// Returns the address bit in which the two ends of this link differ.
    pub const fn link_bit(self, node: u32, link: u32) -> u32 {
        match self.is_cross(link) {
            true => self.field_bits * self.classes() + (link - self.field_bits),
            false => self.class(node) * self.field_bits + link,
        }
    }

    /// Returns the node at the other end of this link.
    pub const fn neighbour(self, node: u32, link: u32) -> u32 {
        node ^ (1 << self.link_bit(node, link))
    }

    /// Returns the classes whose field differs, one bit for each class.
    pub fn differing(self, from: u32, to: u32) -> u32 {
        let differs = |field: &u32| self.field(from, *field) != self.field(to, *field);
        let classes = (0..self.classes()).filter(differs);
        classes.fold(0, |set, class| set | 1 << class)
    }

    /// Number of cross edges on a shortest walk between two classes that visits all wanted classes.
    fn cross_edges(self, from: u32, to: u32, wanted: u32) -> u32 {
        let mut steps = 0;
        // Positions that the walk can reach, and the classes that it still has to visit.
        let mut reached = vec![(from, wanted & !(1 << from))];
        while !reached.contains(&(to, 0)) {
            let step = |&(class, left): &(u32, u32)| {
                (0..self.class_bits).map(move |bit| {
                    let next = class ^ (1 << bit);
                    (next, left & !(1 << next))
                })
            };
            let mut next: Vec<(u32, u32)> = reached.iter().flat_map(step).collect();
            next.sort_unstable();
            next.dedup();
            reached = next;
            steps += 1;
        }
        steps
    }

    /// Number of links on a shortest path. The sum of the differing field bits and the cross edges
    /// of a walk through the classes whose fields differ.
    pub fn distance(self, from: u32, to: u32) -> u32 {
        let fields = (1 << (self.field_bits * self.classes())) - 1;
        let cube_edges = ((from ^ to) & fields).count_ones();
        let wanted = self.differing(from, to);
        cube_edges + self.cross_edges(self.class(from), self.class(to), wanted)
    }
}

impl Topology for Metacube {
    /// `MC(2,1)`.
    fn name(&self) -> String {
        if let Some(cube) = self.as_cube() {
            return cube.name();
        }
        format!("MC({},{})", self.class_bits, self.field_bits)
    }

    fn nodes(&self) -> u32 {
        Metacube::nodes(*self)
    }

    fn ports(&self) -> u32 {
        self.links()
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        PortEnd { node: self.neighbour(end.node, end.port), ..end }
    }

    fn port_name(&self, port: u32) -> String {
        if let Some(cube) = self.as_cube() {
            return cube.port_name(port);
        }
        match self.is_cross(port) {
            true => format!("cross edge {}", port - self.field_bits),
            false => format!("cube edge {port}"),
        }
    }

    fn port_label(&self, port: u32) -> String {
        match self.as_cube() {
            Some(cube) => cube.port_label(port),
            None => format!("link {port}"),
        }
    }

    fn port_word(&self) -> &'static str {
        match self.as_cube() {
            Some(cube) => cube.port_word(),
            None => "link",
        }
    }

    fn distance(&self, from: u32, to: u32) -> Option<u32> {
        Some(Metacube::distance(*self, from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{check, distances, links};

    /// Metacubes that are small enough to examine all pairs.
    fn small() -> impl Iterator<Item = Metacube> {
        Metacube::all().into_iter().filter(|m| m.bits() <= 11)
    }

    #[test]
    fn every_link_has_two_ends() {
        small().for_each(|metacube| check(&metacube));
    }

    /// Section 2: a node differs from its neighbours in its own field or in its class.
    #[test]
    fn the_example_of_the_paper() {
        let metacube = Metacube::new(2, 3).unwrap();
        let node = 0b01_111_101_110_000;
        let neighbours: Vec<u32> =
            (0..metacube.links()).map(|link| metacube.neighbour(node, link)).collect();
        // The node is in class 1, so its node number is field 1.
        assert_eq!(metacube.class(node), 1);
        assert_eq!(metacube.field(node, 1), 0b110);
        assert_eq!(
            neighbours,
            [
                0b01_111_101_111_000,
                0b01_111_101_100_000,
                0b01_111_101_010_000,
                0b00_111_101_110_000,
                0b11_111_101_110_000,
            ]
        );
    }

    #[test]
    fn distance_matches_breadth_first_search() {
        for metacube in small() {
            for from in [0, metacube.nodes() / 3, metacube.nodes() - 1] {
                for (to, steps) in (0..).zip(distances(&metacube, from)) {
                    assert_eq!(Some(metacube.distance(from, to)), steps, "{from} to {to}");
                }
            }
        }
    }

    /// The diameter is 2^k (m + 1). The number of links is (m + k) / n of that of an n-dimensional
    /// cube (section 2 of the paper).
    #[test]
    fn diameter_and_links() {
        for metacube in small() {
            let farthest = distances(&metacube, 0).into_iter().flatten().max();
            let (classes, bits) = (metacube.classes(), metacube.field_bits());
            assert_eq!(farthest, Some(classes * (bits + 1)));
        }
        let links = |k, m| {
            let metacube = Metacube::new(k, m).unwrap();
            metacube.nodes() * metacube.links() / 2
        };
        assert_eq!([links(2, 1), links(2, 2), links(2, 3)], [96, 2_048, 40_960]);
    }

    #[test]
    fn a_cube_is_the_metacube_of_one_class() {
        for dims in 1..=6 {
            let cube = Hypercube::of(dims);
            let metacube = Metacube::from(cube);
            assert_eq!(metacube.nodes(), cube.nodes());
            assert_eq!(metacube.name(), cube.name());
            assert!(links(&metacube).eq(links(&cube)));
            for (from, to) in [(0, cube.nodes() - 1), (1, 0), (1, 1)] {
                assert_eq!(metacube.distance(from, to), cube.distance(from, to));
            }
        }
    }

    #[test]
    fn invalid_sizes_are_rejected_with_the_accepted_ones() {
        assert_eq!(Metacube::of_cube(6), Metacube::new(2, 1));
        let error = Metacube::of_cube(4).unwrap_err().to_string();
        assert!(error.contains("2^3 of MC(1,1), 2^5 of MC(1,2), 2^6 of MC(2,1)"));
        assert!(Metacube::new(2, 4).is_err() && Metacube::new(3, 1).is_err());
        assert!(Metacube::new(1, 0).is_err());
    }
}
