//! Macros that select a circuit, whose sizes are constants, by sizes known at run time.

use super::tdma::address_links::{class_bits, field_bits};
use hdl::lower::Circuit;
use interconnect::topology::Metacube;

/// Evaluates `make` in its own stack frame. Circuits take much stack space, and a function for all
/// sizes would add up the space of every size.
#[inline(never)]
pub(crate) fn apart(make: impl FnOnce() -> Box<dyn Circuit>) -> Box<dyn Circuit> {
    make()
}

/// Makes the circuit for a number of dimensions known only at run time: up to 16, or one of a list.
/// In `for_dims!(dims, ..=16, D => circuit)` `D` is a constant.
///
/// The code is compiled once per number, so list only the numbers that are used.
///
/// # Panics
/// If the number is not in the list. The caller checks it first.
macro_rules! for_dims {
    ($dims:expr, ..=16, $D:ident => $circuit:expr) => {
        for_dims!($dims, [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16], $D => $circuit)
    };
    ($dims:expr, [$($n:literal)*], $D:ident => $circuit:expr) => {
        match $dims {
            $($n => {
                const $D: usize = $n;
                $crate::shapes::apart(|| Box::new($circuit))
            })*
            dims => panic!("there is no such circuit of {dims} dimensions"),
        }
    };
}

/// Makes the circuit for one of several metacubes. In `for_metacubes!(shape, [(1, 1) (2, 1)], L B
/// => circuit)` `L` is the number of links of a node and `B` the number of bits of its address,
/// both constants. `all` selects every shape that nodes exist for, `programmed` those with a
/// programmed order.
///
/// # Panics
/// If the shape is not in the list. The caller checks it first.
macro_rules! for_metacubes {
    ($shape:expr, all, $($rest:tt)*) => {
        for_metacubes!(
            $shape, [(1, 1) (1, 2) (1, 3) (1, 4) (1, 5) (2, 1) (2, 2) (2, 3)], $($rest)*
        )
    };
    ($shape:expr, programmed, $($rest:tt)*) => {
        for_metacubes!($shape, [(1, 1) (1, 2) (1, 3) (1, 4) (1, 5) (2, 1) (2, 2)], $($rest)*)
    };
    ($shape:expr, [$(($k:literal, $m:literal))*], $L:ident $B:ident => $circuit:expr) => {
        match ($shape.class_bits(), $shape.field_bits()) {
            $(($k, $m) => {
                const $L: usize = $k + $m;
                const $B: usize = ($m << $k) + $k;
                $crate::shapes::apart(|| Box::new($circuit))
            })*
            (k, m) => panic!("there is no such circuit of MC({k},{m})"),
        }
    };
}

// Neighbour functions for the links of a cube or metacube, evaluated on constants. Kernels may
// call them as indices. They use [`Metacube`](interconnect::topology::Metacube).
//
// The arguments give a shape by the links of a node and the bits of its address, like the
// parameters of the circuits.

/// Shape with this number of links per node and bits per address.
pub(super) const fn shape(links: usize, bits: usize) -> Metacube {
    Metacube::of(class_bits(links, bits) as u32, field_bits(links, bits) as u32)
}

/// Number of nodes.
pub(super) const fn nodes(links: usize, bits: usize) -> usize {
    shape(links, bits).nodes() as usize
}

/// Node at the other end of a node's link.
pub(super) fn neighbour(links: usize, bits: usize, node: usize, link: usize) -> usize {
    shape(links, bits).neighbour(node as u32, link as u32) as usize
}

pub(crate) use for_dims;
pub(crate) use for_metacubes;
