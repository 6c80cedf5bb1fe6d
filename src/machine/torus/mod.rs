//! The torus routing chip as a machine: nodes in a torus, run on messages.
//!
//! * [`TorusShape`]: what a machine is built for; [`TorusCircuit`]: its circuit;
//! * [`packet`]: a message as bytes;
//! * [`TorusDriver`]: its processors, played in software;
//! * [`Standstill`]: who waits for whom when nothing moves any more.

mod circuit;
mod driver;
mod follower;
mod ledger;
pub mod packet;
mod pins;
mod processors;
mod shape;
mod standstill;
mod way;

pub use circuit::TorusCircuit;
pub use driver::TorusDriver;
pub use shape::{TorusShape, TorusShapeError};
pub use standstill::{Standstill, Waiting};
