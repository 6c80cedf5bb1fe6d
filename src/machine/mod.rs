//! Machines: circuits and a topology, run on traffic.

pub mod array;
mod bare_core;
mod circuit;
pub mod cm1;
pub mod cube;
mod event;
mod frame;
mod histogram;
pub mod hosted;
mod link;
pub mod networks;
mod outcome;
pub mod skew;
mod timing;

pub use bare_core::{BareCore, BareRun, Sign, Verdict, Wait, BARE_MEMORY, BARE_MEMORY_MAX};
pub use circuit::{MachineCircuit, MAX_REFERENCE_DIMS};
pub use event::{merged, Event, LogLine, Note, Noted, What};
pub use frame::{DecodeError, Frame, HEADER_ROUTED, HEADER_SEQUENCE};
pub use histogram::Histogram;
pub use link::{LinkMachine, LinkRun, LinkRunError};
pub use outcome::{Fate, Latency, Outcome};
pub use timing::PhaseTiming;
