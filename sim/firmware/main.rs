//! Nodes that run code: the programs of `firmware/`, compiled by the pinned
//! compiler and run on the core's RTL, on a PC, and against what the hardware
//! forwarder does.

mod agreement;
mod images;
mod machine;
mod native;
mod port;
mod programs;
mod route;
mod service;
#[path = "../support/whole_runs.rs"]
mod whole_runs;
