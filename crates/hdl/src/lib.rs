//! Circuits as Rust structs, with exactly the meaning that Rust gives them.
//!
//! A block is a struct of `rust-hdl`'s signals, of [`cells`] that hold state, and of
//! other blocks; what it does stands in its `update`, ordinary Rust under
//! [`#[kernel]`](lower::kernel). `rust-hdl`'s simulator calls `update` as it is.
//! [`lower`] makes a circuit of the same tokens, a
//! [`Design`](lockstep::design::Design), which `lockstep` runs, one copy or thousands,
//! and [`verilog`] prints.
//!
//! * [`lower`]: the subset of Rust, and the way from a block to a circuit;
//! * [`cells`]: registers, memories and parameters;
//! * [`verilog`]: a circuit as Verilog that a person can read.

// The proc macros write paths that begin with `::hdl`, here as in a user's crate.
extern crate self as hdl;

pub mod cells;
mod fold;
pub mod lower;
pub mod verilog;

/// The code in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
