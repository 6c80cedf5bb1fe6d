//! TDMA machine with traffic, a hypercube or a metacube: wiring of the nodes ([`cube_array`]),
//! hosts, bookkeeping and faults.
//!
//! * `array`: wiring of nodes and phase clock, for superframes or a programmed order;
//! * `circuit`: parameters of a machine;
//! * `host_port`: the ports of nodes for their hosts;
//! * `traffic_sources`: supply messages to the nodes and take the messages that arrive;
//! * `queues`: the messages that the hosts still have;
//! * `ledger`: locations and fates of all messages;
//! * `buffer_numbers`: numbering of the message buffers of a node;
//! * `order_writer`: writes the order of links, where it is programmed;
//! * `phase_report`: report of a node on a phase;
//! * `clocks`: delay of the phase clock to each node, and frequency of its clock; `clock_domain`: the
//!   circuits around a node that has its own clock;
//! * `run`, `start`, `driver`: inputs and results of a run, complete runs, and single steps;
//! * `faults`: noise, dead nodes, slips;
//! * `programs`: runs of programs that do other work than routing; `program_hosts`: their hosts;
//!   `core_watch`: their program counters;
//! * `station`: a node with its ends of the wires, of which the machine is an array;
//! * `reference_station`, `reference_domain`: the same for the reference.

mod array;
mod buffer_numbers;
mod circuit;
mod clock_domain;
mod clocks;
mod core_watch;
mod driver;
mod faults;
mod host_port;
mod ledger;
mod order_writer;
mod phase_report;
mod phase_tracker;
mod program_hosts;
mod programs;
mod queues;
mod reference_domain;
mod reference_station;
mod run;
mod start;
mod station;
mod stats;
mod traffic_sources;

pub use array::{cube_array, cube_blocks, programmed_array, programmed_blocks};
pub use circuit::CubeCircuit;
pub use clocks::{ClockSpread, NodeClock, NodeClocks, PhaseClockTooLate, Skew};
pub use driver::CubeDriver;
pub use faults::{CubeFaults, DeadMode, DeadNode, Slip};
pub use host_port::OutputReason;
pub use ledger::CubeCounters;
pub use program_hosts::ProgramOutput;
pub use programs::{ProgramDriver, ProgramMachine, TimedProgramOutput};
pub use run::{CubeMachine, CubeRun, DEADLOCK_AFTER};
pub use station::SyncSource;
