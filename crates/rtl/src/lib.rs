//! The circuits, as small blocks with one folder per subsystem.
//!
//! - [`tdma`]: nodes with one UART that a time schedule connects to one link at a time, and the
//!   phase clock; [`uart`]: serial lines;
//! - [`cm1`]: the bit-serial adaptive router of the CM-1;
//! - [`torus`], [`rotation`]: the torus routing chip and the switch of minimal rotation, on the
//!   channels of [`bytes`];
//! - [`mod@core`]: the RV32I core of nodes that run programs;
//! - [`hosted`], [`board`]: complete circuits for a board;
//! - [`lone_cells`]: single cells as blocks, for area measurements.
//!
//! The size of a block is a constant of its type. The `machine` module of a network makes blocks
//! for a size that is known only at run time. This crate compiles the code for each size once for
//! all its users.

pub mod board;
pub mod bytes;
pub mod cm1;
pub mod core;
pub mod hosted;
pub mod lone_cells;
pub mod rotation;
mod shapes;
pub mod tdma;
pub mod torus;
pub mod uart;

/// Clock cycles per bit of the emulated machine's UARTs.
pub const CLOCKS_PER_BIT: usize = 8;

/// Returns the number of the word at an offset in bytes.
const fn word_index(offset: u64) -> u64 {
    offset >> 2
}

/// Returns a list of `length` default ports or blocks.
fn list<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}

/// Compiles and runs the code in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
