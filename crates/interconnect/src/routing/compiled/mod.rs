//! Compiled schedules: the path and the time of each message are fixed before the machine runs.
//!
//! No frame is answered with a NAK and no frame waits for another. A message crosses a link in one
//! pair of phases of an order of links. The order goes up the dimensions and down again
//! ([`SweepDirection`]). In a pair of phases a node sends at most one message and receives at most one.
//!
//! * [`CompiledSchedule`]: the order, and the pairs in which each message moves;
//! * [`schedule_permutation`]: one sweep if possible, else two, as in a Benes network;
//! * [`schedule_messages`]: any list, by list scheduling and then by negotiation;
//! * [`LowerBound`]: lower bounds on the length of a schedule;
//! * [`NodeProgram`]: the actions and slots of one node, phase by phase;
//! * [`permute_steps`]: the same for a permutation that a program on the nodes follows;
//! * [`mod@file`]: schedules as text.

pub mod file;
mod listed;
mod permutation;
mod schedule;

pub use listed::{schedule_messages, SearchEffort};
pub use permutation::{
    permute_steps, schedule_benes, schedule_one_sweep, schedule_permutation, step_words, StepsError,
};
pub use schedule::{
    node_programs, CompiledSchedule, LowerBound, NodeProgram, PhaseWord, ScheduleFault,
    SweepDirection, TooManySlots, NODE_SLOTS,
};

#[cfg(test)]
mod tests;
