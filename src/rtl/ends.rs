//! Which ends of a cube's links meet, and of a torus's channels, as functions of
//! constants: a kernel may call them where it says which part of the machine it means.
//! They ask [`Hypercube`](crate::topology::Hypercube) and
//! [`Torus`](crate::topology::Torus).

use crate::topology::{Hypercube, Torus};

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

/// The torus of a circuit, with as many nodes as the cube of so many dimensions.
fn torus(dims: usize) -> Torus {
    Torus::of_cube(dims as u32).expect("a circuit's torus is one of those that there are")
}

/// The node that a node's channel in a dimension of the torus leads to.
pub(super) fn torus_next(dims: usize, node: usize, dim: usize) -> usize {
    torus(dims).next(node as u32, dim) as usize
}

/// The node whose channel in a dimension of the torus leads to a node.
pub(super) fn torus_previous(dims: usize, node: usize, dim: usize) -> usize {
    torus(dims).previous(node as u32, dim) as usize
}

/// The coordinate of a node in a dimension of the torus.
pub(super) fn torus_coordinate(dims: usize, node: usize, dim: usize) -> usize {
    torus(dims).coordinate(node as u32, dim) as usize
}
