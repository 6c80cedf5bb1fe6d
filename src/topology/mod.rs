//! Which nodes there are and which of them are neighbours: plain arithmetic.
//!
//! * [`Hypercube`]: the binary n-cube;
//! * [`number`]: how a person writes a number, an address among them.
//!
//! Nothing here knows a circuit or a schedule.

mod hypercube;
pub mod number;

pub use hypercube::{DimsError, Hypercube, Link, OutsideCube};
