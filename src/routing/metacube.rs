//! Routing in the metacube (metacube-total-exchange, section 3.3).
//!
//! * [`next_link`]: from where a message is and where it is for alone;
//! * [`MetacubeRouting`]: the same as a relation, with registers numbered by the cross
//!   edges that a message has passed;
//! * [`ClassPaths`]: the paper's Algorithm 4, by a table of classes;
//! * [`order`]: the paper's Algorithm 1, in which order a node sends to all others.

use super::{Channel, Relation};
use crate::topology::{End, Metacube, Topology};

/// The link that a message takes next; `None` if it is at home.
///
/// Cube edges first, the lowest differing bit of the field of this class; when that
/// field is right a cross edge, towards the class whose field is wrong. It needs
/// neither the source nor what the message has passed, and is as short as can be.
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
    // Whether the field of the class that differs from this one by `by` is wrong.
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

/// The relation. The virtual channel is the number of cross edges passed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetacubeRouting {
    pub metacube: Metacube,
    /// Counts that are told apart; what would be more is the last.
    pub counts: u32,
}

impl MetacubeRouting {
    /// With so many counts that no two registers wait for each other.
    pub fn new(metacube: Metacube) -> Self {
        let counts = if metacube.class_bits() == 1 { 2 } else { 5 };
        MetacubeRouting { metacube, counts }
    }

    fn channel(&self, here: u32, destination: u32, crossed: u32) -> Option<Channel> {
        let port = next_link(self.metacube, here, destination)?;
        let vc = crossed.min(self.counts - 1);
        Some(Channel::new(End::new(here, port), vc))
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

/// Which form of the paper's Table 1 is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassPaths {
    /// The entry for dest 3, type 2 is (2, 2, 3).
    #[default]
    Corrected,
    /// That entry is (2, 1, 3), which does not come by the class whose field is wrong.
    Printed,
}

/// Table 1, by `dest` and type: classes to go to, seen from class 0. Where the entries
/// of a row are the same they stand there once.
const PATHS: [[&[u32]; 4]; 4] = [
    [&[], &[1, 0], &[2, 0], &[1, 3, 2, 0]],
    [&[1], &[2, 3, 1], &[2, 3, 1], &[2, 3, 1]],
    [&[2], &[1, 3, 2], &[1, 3, 2], &[1, 3, 2]],
    [&[1, 3], &[1, 3], &[2, 3], &[1, 3, 2, 3]],
];

impl ClassPaths {
    /// The classes that a message comes by after its first, Algorithm 3 and Table 1, of
    /// MC(2, m).
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

    /// The links that a message takes from source to destination, by the corrected
    /// Algorithms 2 and 4, of MC(2, m). By the printed table it may end elsewhere.
    ///
    /// # Panics
    /// If there are not four classes.
    pub fn route(self, metacube: Metacube, source: u32, destination: u32) -> Vec<u32> {
        assert_eq!(
            metacube.class_bits(),
            2,
            "the paper's table is of four classes"
        );
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

/// The destinations of a node's messages in total exchange, itself first: Algorithm 1,
/// of MC(2, m). In each step all nodes send as far, and in lockstep over equal links.
///
/// # Panics
/// If there are not four classes.
pub fn order(metacube: Metacube, source: u32) -> Vec<u32> {
    assert_eq!(
        metacube.class_bits(),
        2,
        "the paper's order is of four classes"
    );
    let bits = metacube.field_bits();
    let class = metacube.class(source);
    (0..metacube.nodes())
        .map(|step| {
            let turn = metacube.class(step);
            let x = turn ^ class;
            let fields = (0..4).map(|field| metacube.field(step, field ^ x) << (field * bits));
            (turn << (4 * bits) | fields.sum::<u32>()) ^ source
        })
        .collect()
}
