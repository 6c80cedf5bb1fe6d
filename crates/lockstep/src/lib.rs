//! Synchronous circuits and engines that run them, clock cycle by clock cycle.
//!
//! * [`design`]: a hierarchical, word-level description with `if` and `case`, the
//!   form in which a person reads a circuit and from which Verilog is printed;
//! * [`netlist`]: the same circuit flattened into single-assignment word
//!   operations, the form in which it is run;
//! * [`eval`]: the plain evaluator of a netlist, small and obvious, the
//!   yardstick for every faster engine;
//! * [`lanes`]: many copies of one netlist, linked to each other, a bit of all
//!   of them in one vector: the fast engine.
//!
//! The crate knows nothing of `rust-hdl` and nothing of hypercubes.

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod design;
pub mod eval;
pub mod lanes;
pub mod netlist;
