//! Neighbour functions for the links of a cube or metacube, evaluated on constants. Kernels may
//! call them as indices. They use [`Metacube`](interconnect::topology::Metacube).
//!
//! The arguments give a shape by the links of a node and the bits of its address, like the
//! parameters of the circuits.

use super::tdma::address_links::{class_bits, field_bits};
use interconnect::topology::Metacube;

/// Shape with this number of links per node and bits per address.
const fn shape(links: usize, bits: usize) -> Metacube {
    Metacube::of(
        class_bits(links, bits) as u32,
        field_bits(links, bits) as u32,
    )
}

/// Number of nodes.
pub(super) const fn nodes(links: usize, bits: usize) -> usize {
    shape(links, bits).nodes() as usize
}

/// Node at the other end of a node's link.
pub(super) fn neighbour(links: usize, bits: usize, node: usize, link: usize) -> usize {
    shape(links, bits).neighbour(node as u32, link as u32) as usize
}
