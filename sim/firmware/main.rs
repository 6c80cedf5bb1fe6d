//! Nodes that run code: the programs of `firmware/`, compiled by the pinned
//! compiler and run on the core's RTL, on a PC, and against what the hardware
//! forwarder does.

mod agreement;
#[path = "../support/array_runs.rs"]
mod array_runs;
#[path = "../support/cm1_bus.rs"]
mod bus;
mod cm1;
mod images;
mod machine;
#[path = "../model_cm1/mod.rs"]
mod model_cm1;
mod native;
mod port;
mod programs;
mod route;
mod service;
mod shipped;
#[path = "../support/whole_runs.rs"]
mod whole_runs;
