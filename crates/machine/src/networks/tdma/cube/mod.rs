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

mod circuit;
mod clocks;
mod driver;
mod hosts;
mod ledger;
mod phases;
mod programs;
mod reference;
mod run;
mod station;

pub use circuit::CubeCircuit;
pub use clocks::{ClockSpread, NodeClock, NodeClocks, PhaseClockTooLate, Skew};
pub use driver::{CubeDriver, CubeFaults, DeadMode, DeadNode, Slip};
pub use hosts::OutputReason;
pub use ledger::CubeCounters;
pub use programs::{ProgramDriver, ProgramMachine, ProgramOutput, TimedProgramOutput};
pub use run::{CubeMachine, CubeRun, DEADLOCK_AFTER};
pub use station::{cube_array, cube_blocks, programmed_array, programmed_blocks, SyncSource};
