//! What lies between two nodes of a metacube, seen from the first.
//!
//! An offset is written as an address: its class is what the two classes differ by, its
//! field j what the fields differ by whose number is j xor the class of the first node.
//! So field 0 is that of the first node's own cluster. A metacube looks the same from all
//! its nodes; so do offsets, and routes that look at nothing else.

use crate::topology::Metacube;

/// The offset from one node to another; 0 if they are the same.
pub fn between(metacube: Metacube, from: u32, to: u32) -> u32 {
    renamed(metacube, from ^ to, metacube.class(from))
}

/// The node at this offset from another.
pub fn destination(metacube: Metacube, from: u32, offset: u32) -> u32 {
    from ^ renamed(metacube, offset, metacube.class(from))
}

/// What is left of an offset for a message that has crossed this link.
pub fn after(metacube: Metacube, offset: u32, link: u32) -> u32 {
    // Seen from node 0 a node's address is its offset.
    between(metacube, metacube.neighbour(0, link), offset)
}

/// An address with field `i ^ class` in the place of field i.
pub(super) fn renamed(metacube: Metacube, address: u32, class: u32) -> u32 {
    let bits = metacube.field_bits();
    let moved = |field| metacube.field(address, field ^ class) << (field * bits);
    let fields: u32 = (0..metacube.classes()).map(moved).sum();
    metacube.class(address) << (metacube.classes() * bits) | fields
}
