//! Offset between two nodes of a metacube, seen from the first node.
//!
//! An offset has the form of an address. Its class is the xor of the two classes. Its field j is
//! the xor of the two fields with number j xor the class of the first node. Field 0 therefore
//! belongs to the first node's own cluster. A metacube looks the same from all its nodes, and so do
//! offsets and routes that depend only on offsets.

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
