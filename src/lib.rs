//! Phasecube: a hypercube computer whose only router is a time schedule. The project consists of
//! its circuits, which are synthesizable, and of tools to run, emit and build them.
//!
//! The circuits are in the crate [`rtl`]. The description of networks without circuits is in
//! [`topology`], [`routing`] and [`traffic`]. This crate re-exports them all, so one dependency is
//! sufficient.

pub mod board;
mod bounded;
pub mod claims;
pub mod cli;
pub mod engine;
pub mod equivalence;
pub mod flags;
mod format_count;
pub mod host;
pub mod kit;
pub mod machine;
pub mod networks;
pub mod program;
pub mod proofs;
pub mod report;
pub mod toolchain;
pub mod values;
pub mod wave;

pub use interconnect::{routing, topology, traffic};
pub use rtl;

/// The block in the book compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/your-own-block.md")]
struct YourOwnBlock;

/// The ported block compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/porting.md")]
struct Porting;
