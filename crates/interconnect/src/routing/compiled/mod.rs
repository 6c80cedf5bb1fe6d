//! Compiled schedules: a list of messages whose ways and times are fixed before the machine
//! runs, so that no frame is refused and none waits for another.
//!
//! A message crosses a link in some pair of phases of an order of links: up the dimensions,
//! and down again ([`Sweep`]). In a pair a node sends one message at most, and receives one.
//!
//! * [`CompiledSchedule`]: the order, and of each message the pairs in which it moves;
//! * [`permutation`]: one sweep if that is enough, else two, as in a Benes network;
//! * [`listed`]: any list, by list scheduling and then by negotiation;
//! * [`LowerBound`]: what no schedule can beat;
//! * [`NodeProgram`]: what one node does, phase by phase, and in which places;
//! * [`steps()`]: the same for a permutation that a program follows;
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
