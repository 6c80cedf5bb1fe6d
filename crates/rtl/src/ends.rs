//! Which ends of the links of a cube or metacube meet, as functions of constants: a kernel
//! may call them where it says which part of the machine it means. They ask
//! [`Metacube`](interconnect::topology::Metacube).
//!
//! A shape is given by the links of a node and the bits of its address, as circuits are.

use super::tdma::place::{class_bits, field_bits};
use interconnect::topology::Metacube;

/// The shape of a circuit, whose links and bits are constants.
const fn shape(links: usize, bits: usize) -> Metacube {
    Metacube::of(
        class_bits(links, bits) as u32,
        field_bits(links, bits) as u32,
    )
}

/// Nodes.
pub(super) const fn nodes(links: usize, bits: usize) -> usize {
    shape(links, bits).nodes() as usize
}

/// The node at the other end of a node's link.
pub(super) fn neighbour(links: usize, bits: usize, node: usize, link: usize) -> usize {
    shape(links, bits).neighbour(node as u32, link as u32) as usize
}
