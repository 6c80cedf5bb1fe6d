//! The TDMA hypercube on traffic: the circuit is [`Cube`](crate::rtl::tdma::Cube),
//! its hosts, its bookkeeping and what disturbs it are here.
//!
//! * `hosts`: hand messages to the nodes and take what they hand over;
//! * `queues`: which messages the hosts still have;
//! * `ledger`: knows where every message is, and what became of it;
//! * `phase_report`: what a node says of a phase;
//! * `disturbance`: noise, dead nodes, slips;
//! * `console`: hosts of programs that do something else than route;
//! * `station`: a node with its ends of the wires, what the machine has many of.

mod account;
mod circuit;
mod console;
mod disturbance;
mod driver;
mod hosts;
mod ledger;

mod pace;
mod phase_report;
mod queues;
mod run;
mod station;
mod workload;

pub use circuit::{cube_array, CubeCircuit};
pub use console::{run_console, Told};
pub use disturbance::{Dead, DeadMode, Disturbance, Slip};
pub use driver::CubeDriver;
pub use ledger::Counters;
pub use run::{CubeMachine, CubeRun, STUCK_AFTER};
pub use workload::Workload;
