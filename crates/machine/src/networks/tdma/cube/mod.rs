//! TDMA machine with traffic, a hypercube or a metacube: wiring of the nodes ([`cube_array`]),
//! hosts, bookkeeping and faults.
//!
//! * `circuit`: parameters of a machine, its circuit, and the writer of a programmed order;
//! * `station`: a node with its ends of the wires and its clock domain, and the array of all nodes;
//! * `clocks`: delay of the phase clock to each node, and frequency of its clock;
//! * `run`: results of a run;
//! * `driver`: single steps of a run;
//! * `faults`: faults of a run: noise, dead nodes, slips;
//! * `phases`: the clock cycles in which hosts have work, and the report of a node on a phase;
//! * `hosts`: ports of the nodes for their hosts, and the messages that the hosts supply and take;
//! * `ledger`: locations and fates of all messages, and numbering of the message buffers;
//! * `programs`: runs of programs that do other work than routing;
//! * `program_hosts`: their hosts; `core_watch`: their locations; `program_log`: their log.

mod circuit;
mod clocks;
mod core_watch;
mod driver;
mod faults;
mod hosts;
mod ledger;
mod phases;
mod program_hosts;
mod program_log;
mod programs;
mod run;
mod station;

pub use circuit::CubeCircuit;
pub use clocks::{ClockSpread, NodeClock, PhaseClockDelayTooLong, Skew};
pub use driver::CubeDriver;
pub use faults::{CubeFaults, DeadMode, DeadNode, Slip};
pub use program_hosts::ProgramOutput;
pub use programs::{ProgramDriver, TimedProgramOutput};
pub use run::DEADLOCK_AFTER;
pub use station::{cube_array, programmed_array, SyncSource};
