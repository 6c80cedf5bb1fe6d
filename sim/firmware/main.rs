//! Nodes that run code: the programs of `firmware/`, compiled by the pinned
//! compiler and run on the core's RTL, on a PC, and against what the hardware
//! forwarder does.

mod adaptive;
mod agreement;
#[path = "../support/array_runs.rs"]
mod array_runs;
#[path = "../support/as_modelled.rs"]
mod as_modelled;
#[path = "../support/cm1_bus.rs"]
mod bus;
mod cm1;
mod collectives;
mod images;
mod livelock;
mod machine;
#[path = "../model/mod.rs"]
mod model;
mod native;
#[path = "../support/programs.rs"]
mod plain;
mod port;
mod programs;
mod raw;
mod route;
#[path = "../support/same_run.rs"]
mod same_run;
mod service;
mod shipped;
mod slot;
#[path = "../support/native.rs"]
mod support_native;
#[path = "../support/whole_runs.rs"]
mod whole_runs;
