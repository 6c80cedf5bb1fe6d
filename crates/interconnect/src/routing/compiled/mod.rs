//! Compiled schedules: the path and the time of each message are fixed before the machine runs.
//!
//! No frame is answered with a NAK and no frame waits for another. A message crosses a link in one
//! pair of phases of an order of links. The order goes up the dimensions and down again
//! ([`Sweep`]). In a pair of phases a node sends at most one message and receives at most one.
//!
//! * [`CompiledSchedule`]: the order, and the pairs in which each message moves;
//! * [`permutation`]: one sweep if possible, else two, as in a Benes network;
//! * [`listed`]: any list, by list scheduling and then by negotiation;
//! * [`LowerBound`]: lower bounds on the length of a schedule;
//! * [`NodeProgram`]: the actions and slots of one node, phase by phase;
//! * [`steps()`]: the same for a permutation that a program on the nodes follows;
//! * [`mod@file`]: schedules as text.

mod bound;
pub mod file;
mod greedy;
mod listed;
mod negotiated;
mod node_program;
mod permutation;
mod schedule;
mod steps;
mod sweep;

pub use bound::LowerBound;
pub use listed::{listed, Effort};
pub use node_program::{node_programs, NodeProgram, PhaseWord, TooManyPlaces, PLACES};
pub use permutation::{benes, in_one_sweep, permutation};
pub use schedule::{CompiledSchedule, Fault};
pub use steps::{step_words, steps, NotForPrograms};
pub use sweep::Sweep;

#[cfg(test)]
mod tests;
