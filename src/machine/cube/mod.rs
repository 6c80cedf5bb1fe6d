//! The TDMA hypercube on traffic: the circuit is [`Cube`](crate::rtl::tdma::Cube),
//! its hosts, its bookkeeping and what disturbs it are here.
//!
//! * `hosts`: hand messages to the nodes and take what they hand over;
//! * `ledger`: knows where every message is, and what became of it;
//! * `disturbance`: noise, dead nodes, slips.

mod circuit;
mod disturbance;
mod hosts;
mod ledger;
mod run;

pub use circuit::CubeCircuit;
pub use disturbance::{Dead, DeadMode, Disturbance, Slip};
pub use ledger::{Counters, MessageFate};
pub use run::{CubeMachine, CubeRun, CubeRunError, RunEnd};
