//! The TDMA machine on traffic, a hypercube or a metacube: how its nodes are wired ([`cube_array`]), its hosts,
//! its bookkeeping and what disturbs it.
//!
//! * `array`: nodes and phase clock, wired, of superframes or of a programmed order;
//! * `circuit`: what a machine is built for;
//! * `host_port`: the ports that nodes have for their hosts;
//! * `hosts`: hand messages to the nodes and take what they hand over;
//! * `queues`: which messages the hosts still have;
//! * `ledger`: knows where every message is, and what became of it;
//! * `registers`: which register of a node a message is in;
//! * `order_writer`: writes the order of links, where it is programmed;
//! * `phase_report`: what a node says of a phase;
//! * `clocks`: when the phase clock comes to each node, and how fast its clock is; `own_clock`:
//!   what is around a node that has one;
//! * `run`, `start`, `driver`: what goes into a run and what it leaves, from start to end, and step
//!   by step;
//! * `disturbance`: noise, dead nodes, slips;
//! * `programs`: runs of programs that do something else than route; `consoles`: their hosts;
//!   `watch`: where they are;
//! * `station`: a node with its ends of the wires, what the machine has many of;
//! * `reference_station`, `reference_domain`: the same in the reference.

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
