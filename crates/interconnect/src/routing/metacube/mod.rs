//! Routing in the metacube (metacube-total-exchange, section 3.3).
//!
//! * [`next_link`]: next hop from the current node and the destination alone;
//! * [`MetacubeRouting`]: the same as a relation, with buffers numbered by the cross edges that a
//!   message has passed;
//! * [`ClassPaths`]: the paper's Algorithm 4, by a table of classes;
//! * [`offset`]: the difference between two nodes, in a form that is the same for all pairs alike;
//! * [`exchange`]: the order in which a node sends to all others (the paper's Algorithm 1), and
//!   three schedules of total exchange.

pub mod exchange;

use super::{Channel, Relation};
use crate::topology::{Metacube, PortEnd, Topology};

/// Returns the link that a message takes next, or `None` at its destination.
///
/// Cube edges come first, for the lowest differing bit of the field of this class. When this field
/// is correct, a cross edge leads towards a class whose field is wrong. The rule uses neither the
/// source nor the path so far, and its routes are shortest.
pub fn next_link(metacube: Metacube, here: u32, destination: u32) -> Option<u32> {
    let class = metacube.class(here);
    let own = metacube.field(here, class) ^ metacube.field(destination, class);
    if own != 0 {
        return Some(own.trailing_zeros());
    }
    if here == destination {
        return None;
    }
    let turns = metacube.class(destination) ^ class;
    let wrong = metacube.differing(here, destination);
    // Returns true if the field of the class that differs from this one by `by` is wrong.
    let is_wrong = |by: u32| wrong >> (class ^ by) & 1 == 1;
    let bit = match (metacube.class_bits(), turns) {
        (1, _) => 0,
        (_, 0) => u32::from(is_wrong(2) && !is_wrong(1) && !is_wrong(3)),
        (_, 1) => u32::from(is_wrong(2) || is_wrong(3)),
        (_, 2) => u32::from(!is_wrong(1) && !is_wrong(3)),
        _ => u32::from(is_wrong(2) && !is_wrong(1)),
    };
    Some(metacube.cross_edge(bit))
}

/// Routing relation of the metacube. The virtual channel is the number of cross edges passed
/// before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetacubeRouting {
    pub metacube: Metacube,
    /// Number of distinct counts. Higher counts share the last one.
    pub counts: u32,
}

impl MetacubeRouting {
    /// Returns the relation with enough counts that no two buffers wait for each other.
    pub fn new(metacube: Metacube) -> Self {
        let counts = if metacube.class_bits() == 1 { 2 } else { 5 };
        MetacubeRouting { metacube, counts }
    }

    fn channel(&self, here: u32, destination: u32, crossed: u32) -> Option<Channel> {
        let port = next_link(self.metacube, here, destination)?;
        let vc = crossed.min(self.counts - 1);
        Some(Channel::new(PortEnd::new(here, port), vc))
    }
}

impl Relation for MetacubeRouting {
    fn topology(&self) -> &dyn Topology {
        &self.metacube
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.channel(source, destination, 0).into_iter().collect()
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let Channel { from, vc } = channel;
        let crossed = vc + u32::from(self.metacube.is_cross(from.port));
        let here = self.metacube.peer(from).node;
        let next = self.channel(here, destination, crossed);
        next.into_iter().collect()
    }

    /// `0x00 to 0x10, count 0`.
    fn channel_name(&self, channel: Channel) -> String {
        let to = self.metacube.peer(channel.from).node;
        let [from, to] = [channel.from.node, to].map(|node| self.metacube.node_name(node));
        match self.counts {
            1 => format!("{from} to {to}"),
            _ => format!("{from} to {to}, count {}", channel.vc),
        }
    }
}

// Routes of the paper, from a table of classes to visit (metacube-total-exchange, section 3.3,
// Algorithms 2 to 4 and Table 1).

/// Version of the paper's Table 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassPaths {
    /// The entry for dest 3, type 2 is (2, 2, 3).
    #[default]
    Corrected,
    /// Entry (2, 1, 3) as printed. This path does not visit the class whose field is wrong.
    Printed,
}

/// Table 1, by `dest` and type: classes to visit, relative to class 0. If the entries of a row are
/// identical, the paper prints them once.
const PATHS: [[&[u32]; 4]; 4] = [
    [&[], &[1, 0], &[2, 0], &[1, 3, 2, 0]],
    [&[1], &[2, 3, 1], &[2, 3, 1], &[2, 3, 1]],
    [&[2], &[1, 3, 2], &[1, 3, 2], &[1, 3, 2]],
    [&[1, 3], &[1, 3], &[2, 3], &[1, 3, 2, 3]],
];

impl ClassPaths {
    /// Returns the classes that a message in MC(2, m) visits after its first class, by Algorithm 3
    /// and Table 1.
    fn classes(self, metacube: Metacube, source: u32, destination: u32) -> Vec<u32> {
        let class = metacube.class(source);
        let dest = metacube.class(destination) ^ class;
        let wrong = metacube.differing(source, destination);
        let differs = |by: u32| (wrong >> (by ^ class)) & 1;
        let kind = match dest {
            0 if differs(3) == 1 => 3,
            0 => 2 * differs(2) + differs(1),
            1 => 2 * differs(3) + differs(2),
            2 => 2 * differs(3) + differs(1),
            _ => 2 * differs(2) + differs(1),
        };
        let path = match (self, dest, kind) {
            (ClassPaths::Printed, 3, 2) => &[1, 3],
            _ => PATHS[dest as usize][kind as usize],
        };
        path.iter().map(|by| by ^ class).collect()
    }

    /// Returns the links from source to destination in MC(2, m), by the corrected Algorithms 2 and
    /// 4. With the printed table the route may end at another node.
    ///
    /// # Panics
    /// Panics unless the metacube has four classes.
    pub fn route(self, metacube: Metacube, source: u32, destination: u32) -> Vec<u32> {
        assert_eq!(metacube.class_bits(), 2, "the paper's table is of four classes");
        let mut links = vec![];
        let mut here = source;
        let walk_cluster = |here: &mut u32, links: &mut Vec<u32>| {
            let class = metacube.class(*here);
            let wrong = metacube.field(*here, class) ^ metacube.field(destination, class);
            for link in (0..metacube.field_bits()).filter(|bit| wrong >> bit & 1 == 1) {
                links.push(link);
                *here = metacube.neighbour(*here, link);
            }
        };
        walk_cluster(&mut here, &mut links);
        for class in self.classes(metacube, source, destination) {
            let bit = (metacube.class(here) ^ class).trailing_zeros();
            let link = metacube.cross_edge(bit);
            links.push(link);
            here = metacube.neighbour(here, link);
            if here != destination {
                walk_cluster(&mut here, &mut links);
            }
        }
        links
    }
}

/// Offset between two nodes of a metacube, seen from the first node.
///
/// An offset has the form of an address. Its class is the xor of the two classes. Its field j is
/// the xor of the two fields with number j xor the class of the first node. Field 0 therefore
/// belongs to the first node's own cluster. A metacube looks the same from all its nodes, and so do
/// offsets and routes that depend only on offsets.
pub mod offset {
    use crate::topology::Metacube;

    /// Returns the offset from one node to another, 0 if they are the same.
    pub fn between(metacube: Metacube, from: u32, to: u32) -> u32 {
        permute_fields(metacube, from ^ to, metacube.class(from))
    }

    /// Returns the node at this offset from another.
    pub fn destination(metacube: Metacube, from: u32, offset: u32) -> u32 {
        from ^ permute_fields(metacube, offset, metacube.class(from))
    }

    /// Returns the remaining offset of a message after it has crossed this link.
    pub fn after_link(metacube: Metacube, offset: u32, link: u32) -> u32 {
        // Seen from node 0, the address of a node is its offset.
        between(metacube, metacube.neighbour(0, link), offset)
    }

    /// Returns an address whose field i is field `i ^ class` of the argument.
    pub(super) fn permute_fields(metacube: Metacube, address: u32, class: u32) -> u32 {
        let bits = metacube.field_bits();
        let moved = |field| metacube.field(address, field ^ class) << (field * bits);
        let fields: u32 = (0..metacube.classes()).map(moved).sum();
        metacube.class(address) << (metacube.classes() * bits) | fields
    }
}
