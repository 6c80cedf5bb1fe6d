//! Machines: circuits and a topology, run on traffic.

mod frame;
mod link;
mod outcome;
mod timing;

pub use frame::{DecodeError, Frame, HEADER_ROUTED};
pub use link::{LinkMachine, LinkRun, LinkRunError};
pub use outcome::{Fate, Latency, Outcome};
pub use timing::PhaseTiming;
