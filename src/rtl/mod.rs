//! The circuits: one small block per file, a folder per subsystem.

pub mod board;
pub mod bytes;
pub mod cm1;
pub mod core;
mod ends;
mod for_dims;
pub mod hosted;
pub mod lone_cells;
pub mod rotation;
pub mod tdma;
pub mod torus;
pub mod uart;

pub(crate) use for_dims::{apart, for_dims, for_metacubes};

/// Clock cycles per bit of the emulated machine's UARTs.
pub const CLOCKS_PER_BIT: usize = 8;

/// A list of so many ports or blocks.
fn list<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}
