//! Circuits as Rust structs with exactly the semantics of Rust.
//!
//! A block is a struct of `rust-hdl` signals, of [`cells`] that hold state, and of other blocks.
//! Its `update` describes its behaviour in ordinary Rust under [`#[kernel]`](lower::kernel).
//! `rust-hdl`'s simulator calls `update` unchanged. [`lower`] converts the same tokens to a
//! circuit, a [`Design`](lockstep::design::Design). `lockstep` runs one copy of the circuit or
//! thousands, and [`verilog`] prints it.
//!
//! * [`lower`]: the accepted subset of Rust, and the lowering of a block to a circuit
//! * [`cells`]: registers, memories and parameters
//! * [`prelude`]: the names that a file with blocks needs
//! * [`verilog`]: readable Verilog of a circuit

// The proc macros write paths that begin with `::hdl`, in this crate and in a user's crate.
extern crate self as hdl;

pub mod cells;
mod fold;
pub mod lower;
pub mod prelude;
#[doc(hidden)]
pub mod rust_hdl;
pub mod verilog;

/// Compiles and runs the code in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
