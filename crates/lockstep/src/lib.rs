//! Synchronous circuits, and engines that simulate them clock cycle by clock cycle.
//!
//! * [`design`]: hierarchical, word-level description with `if` and `case`. People read circuits in
//!   this form, and Verilog is printed from it.
//! * [`netlist`]: the same circuit flattened into single-assignment word operations, for
//!   simulation.
//! * [`eval`]: small, simple evaluator of a netlist, the reference for every faster engine.
//! * [`lanes`]: fast engine for many linked copies of one netlist. A bit of all copies is one
//!   vector.
//!
//! The crate is independent of `rust-hdl` and of hypercubes.

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod design;
pub mod eval;
pub mod lanes;
pub mod netlist;
