//! The CM-1: its chips under their processors, which are the traffic
//! (docs/machine.md, "CM-1").
//!
//! [`Cm1Circuit`] is the machine as a circuit; [`Cm1Machine`] drives the
//! processors' lines on any engine, follows every message and checks what comes
//! out.

mod account;
mod circuit;
mod driver;
mod ledger;
mod pins;
mod processors;
mod run;
mod stream;
mod traffic;

pub use circuit::Cm1Circuit;
pub use driver::Cm1Driver;
pub use ledger::Cm1Counters;
pub use run::{Cm1Machine, Cm1Run, Flip};
pub use stream::{decode, encode, Fields, Stream};
pub use traffic::{Cm1Message, Cm1Shape, TrafficError};
