//! Two nodes with clocks of their own: how short a phase may be.
//!
//! Each node is a circuit in an engine of its own, clocked at its own times; the
//! phase clock reaches one of them later than the other; the wire between them is
//! open-drain. Times are in bit-times of a perfect clock.

mod conditions;
mod expectation;
mod node;
mod search;
mod trial;

pub use conditions::{Conditions, CLOCKS_PER_BIT};
pub use expectation::{Expectation, Limit};
pub use search::{measure, Measured};
pub use trial::Trial;
