//! Phasecube: a hypercube computer whose only router is a time schedule, as
//! synthesizable circuits, and the tools to run, emit and build them.

pub mod board;
mod bounded;
pub mod claims;
pub mod cli;
mod counted;
pub mod engine;
pub mod equivalence;
pub mod flags;
pub mod host;
pub mod kit;
pub mod machine;
pub mod networks;
pub mod program;
pub mod proofs;
pub mod report;
pub mod routing;
pub mod rtl;
pub mod toolchain;
pub mod topology;
pub mod traffic;
pub mod wave;

/// The block in the book compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/your-own-block.md")]
struct YourOwnBlock;
