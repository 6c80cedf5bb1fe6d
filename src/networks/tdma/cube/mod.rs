//! TDMA machine with traffic, a hypercube or a metacube: wiring of the nodes ([`cube_array`]),
//! hosts, bookkeeping and faults.
//!
//! * `array`: wiring of nodes and phase clock, for superframes or a programmed order;
//! * `circuit`: parameters of a machine;
//! * `host_port`: the ports of nodes for their hosts;
//! * `hosts`: supply messages to the nodes and take the messages that arrive;
//! * `queues`: the messages that the hosts still have;
//! * `ledger`: locations and fates of all messages;
//! * `registers`: numbering of the message buffers of a node;
//! * `order_writer`: writes the order of links, where it is programmed;
//! * `phase_report`: report of a node on a phase;
//! * `clocks`: delay of the phase clock to each node, and frequency of its clock; `own_clock`: the
//!   circuits around a node that has its own clock;
//! * `run`, `start`, `driver`: inputs and results of a run, complete runs, and single steps;
//! * `disturbance`: noise, dead nodes, slips;
//! * `programs`: runs of programs that do other work than routing; `consoles`: their hosts;
//!   `watch`: their program counters;
//! * `station`: a node with its ends of the wires, of which the machine is an array;
//! * `reference_station`, `reference_domain`: the same for the reference.

mod account;
mod array;
mod circuit;
mod clocks;
mod consoles;
mod disturbance;
mod driver;
mod host_port;
mod hosts;
mod ledger;
mod order_writer;
mod own_clock;
mod pace;
mod phase_report;
mod programs;
mod queues;
mod reference_domain;
mod reference_station;
mod registers;
mod run;
mod start;
mod station;
mod watch;

pub use array::{cube_array, cube_blocks, programmed_array, programmed_blocks};
pub use circuit::CubeCircuit;
pub use clocks::{ClockSpread, NodeClock, NodeClocks, Skew, TooLate};
pub use consoles::Told;
pub use disturbance::{Dead, DeadMode, Disturbance, Slip};
pub use driver::CubeDriver;
pub use host_port::HandedOver;
pub use ledger::Counters;
pub use programs::{Heard, ProgramDriver, ProgramMachine};
pub use run::{CubeMachine, CubeRun, STUCK_AFTER};
pub use station::SyncSource;
