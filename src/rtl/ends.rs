//! Which ends of a cube's links meet, as functions of constants: a kernel may call
//! them where it says which part of the machine it means. They ask
//! [`Hypercube`](crate::topology::Hypercube).

use crate::topology::Hypercube;

/// The cube of a circuit, whose dimensions are a constant.
const fn cube(dims: usize) -> Hypercube {
    Hypercube::of(dims as u32)
}

/// Nodes.
pub(super) const fn nodes(dims: usize) -> usize {
    cube(dims).nodes() as usize
}

/// Links.
pub(super) const fn links(dims: usize) -> usize {
    cube(dims).link_count()
}

/// The node at the other end of a node's link in a dimension.
pub(super) fn neighbour(dims: usize, node: usize, dim: usize) -> usize {
    cube(dims).neighbour(node as u32, dim as u32) as usize
}

/// The number of a node's link in a dimension.
pub(super) fn link_at(dims: usize, node: usize, dim: usize) -> usize {
    cube(dims).link_number(node as u32, dim as u32)
}

/// The end of a link whose address bit is 0.
pub(super) fn low_end(dims: usize, link: usize) -> usize {
    cube(dims).link(link).from.node as usize
}

/// The other end of it.
pub(super) fn high_end(dims: usize, link: usize) -> usize {
    cube(dims).link(link).to.node as usize
}

/// The dimension of a link.
pub(super) fn dimension(dims: usize, link: usize) -> usize {
    cube(dims).link(link).from.port as usize
}
