//! Next hops of messages and their times: relations and schedules, without circuits.
//!
//! * [`Relation`]: the channels that a message may enter next;
//! * [`Schedule`]: the step in which each node sends, for networks with a fixed schedule;
//! * [`adaptive`]: the dimensions of the cube in any order;
//! * [`cm1`]: the path of a lone message in the CM-1;
//! * [`compiled`]: lists of messages with paths and times fixed before the machine runs;
//! * [`dependencies`]: channels that may wait for each other, and the cycles among them;
//! * [`ecube`]: the fixed order of dimensions of the cube;
//! * [`loads`]: the load of each channel when all pairs communicate;
//! * [`metacube`]: routes between the classes of the metacube, and the order of its total exchange;
//! * [`rewired`]: routes that avoid a failed switch of the cube;
//! * [`rotation`]: minimal rotation on the cube;
//! * [`tdma`]: the transmitter of each wire in each phase;
//! * [`torus`]: routes and virtual channels of the torus.

pub mod adaptive;
pub mod cm1;
pub mod compiled;
pub mod dependencies;
pub mod ecube;
pub mod loads;
pub mod metacube;
mod relation;
pub mod rewired;
pub mod rotation;
mod schedule;
pub mod tdma;
pub mod torus;

pub use relation::{Channel, Relation};
pub use schedule::{Schedule, StepNumber};
