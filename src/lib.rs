//! Phasecube: a hypercube computer whose only router is a time schedule. The project consists of
//! its circuits, which are synthesizable, and of tools to run, emit and build them.
//!
//! The circuits are in the crate [`rtl`]. The description of networks without circuits is in
//! [`topology`], [`routing`] and [`traffic`]. This crate re-exports them all, so one dependency is
//! sufficient.

pub mod cli;

pub use board::{self, host};
pub use engine;
pub use interconnect::{routing, topology, traffic};
pub use lab::{claims, equivalence, kit, proofs, report};
pub use machine::{self, flags, networks, program, values, wave};
pub use rtl;
pub use testbench;
pub use toolchain;

/// The block in the book compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/your-own-block.md")]
struct YourOwnBlock;

/// The ported block compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/porting.md")]
struct Porting;
