//! The torus routing chip as a machine: nodes in a torus, run on messages.
//!
//! * [`TorusShape`]: what a machine is built for; [`TorusCircuit`]: its circuit;
//! * [`packet`]: a message as bytes;
//! * [`TorusMachine`]: a machine and its processors, played in software;
//! * [`TorusRun`]: what became of each message; [`Standstill`]: who waits for whom when
//!   nothing moves any more.

mod circuit;
mod follower;
mod ledger;
mod outcome;
pub mod packet;
mod pins;
mod processors;
mod run;
mod shape;
mod standstill;
mod way;

pub use circuit::TorusCircuit;
pub use outcome::{Entered, TorusCounters, TorusEnd, TorusFate, TorusRun};
pub use run::TorusMachine;
pub use shape::{TorusShape, TorusShapeError};
pub use standstill::{Standstill, Waiting};
