//! The circuits: one small block per file, a folder per subsystem.
//!
//! * [`tdma`]: nodes whose links are given to their one UART by a time schedule, and the
//!   phase clock; [`uart`]: lines;
//! * [`cm1`]: the bit-serial adaptive router of the CM-1;
//! * [`torus`], [`rotation`]: the torus routing chip and the switch of minimal rotation, on
//!   the channels of [`bytes`];
//! * [`mod@core`]: the RV32I core of nodes that run programs;
//! * [`hosted`], [`board`]: what goes on a board as a whole;
//! * [`lone_cells`]: cells as blocks, to be measured.
//!
//! The size of a block is a constant of its type. `machine` of a network makes the blocks for
//! a size that is known only when the program runs. Code for each size is compiled here, once
//! for all who use it.

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

/// Clock cycles per bit of the emulated machine's UARTs.
pub const CLOCKS_PER_BIT: usize = 8;

/// A list of so many ports or blocks.
fn list<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}

/// The code in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
