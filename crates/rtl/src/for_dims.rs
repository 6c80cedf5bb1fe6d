//! A way from sizes in an argument to circuits, where they are a constant.

use hdl::lower::Circuit;

/// Evaluates it in a frame of the stack of its own: a circuit takes much of one, and in one
/// function for all sizes their places would add up.
#[inline(never)]
pub(crate) fn apart(make: impl FnOnce() -> Box<dyn Circuit>) -> Box<dyn Circuit> {
    make()
}

/// The circuit for a number of dimensions known only at run time, up to 12 or 16, or one of a
/// list: in `for_dims!(dims, ..=12, D => circuit)` `D` is a constant.
///
/// The code is compiled once for every number, so no more of them than needed.
///
/// # Panics
/// If it is none of them; who calls has checked it.
macro_rules! for_dims {
    ($dims:expr, ..=12, $D:ident => $circuit:expr) => {
        for_dims!($dims, [1 2 3 4 5 6 7 8 9 10 11 12], $D => $circuit)
    };
    ($dims:expr, ..=16, $D:ident => $circuit:expr) => {
        for_dims!($dims, [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16], $D => $circuit)
    };
    ($dims:expr, [$($n:literal)*], $D:ident => $circuit:expr) => {
        match $dims {
            $($n => {
                const $D: usize = $n;
                $crate::for_dims::apart(|| Box::new($circuit))
            })*
            dims => panic!("there is no such circuit of {dims} dimensions"),
        }
    };
}

/// The circuit for one of some metacubes: in
/// `for_metacubes!(shape, [(1, 1) (2, 1)], L B => circuit)` `L` are the links of a
/// node and `B` the bits of its address, both constants. `all` are those that there are
/// nodes for, `programmed` those with a programmed order.
///
/// # Panics
/// If it is none of them; who calls has checked it.
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
                $crate::for_dims::apart(|| Box::new($circuit))
            })*
            (k, m) => panic!("there is no such circuit of MC({k},{m})"),
        }
    };
}

pub(crate) use for_dims;
pub(crate) use for_metacubes;
