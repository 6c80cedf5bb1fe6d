//! Shortest possible phase of two nodes with individual clocks.
//!
//! Each node is a circuit in its own engine, with its own clock. The phase clock reaches one node
//! later than the other. The wire between them is open-drain. Times are in bit-times of a perfect
//! clock.

mod conditions;
mod expectation;
mod node;
mod search;
mod trial;

pub use conditions::{SkewConditions, CLOCKS_PER_BIT};
pub use expectation::{Expectation, Limit};
pub use search::{measure, ShortestTiming};
pub use trial::Trial;
