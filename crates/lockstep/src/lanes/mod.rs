//! lockstep
mod access;
mod backend;
mod chunk;
mod crew;
mod engine;
mod error;
mod frame;
mod gates;
mod helper;
mod machine;
mod memory;
mod options;
mod plan;
mod program;
mod routes;
mod run;
mod schedule;
mod shared;
mod sources;
mod tape;
mod transpose;
mod wiring;

pub use access::{Input, Probe};
pub use error::LanesError;
pub use machine::{Machine, Run, Watch};
pub use options::{Backend, Keep, Options};
pub use wiring::{LaneMap, Source, Wiring};
