//! Where a message goes next, and when: relations and schedules, no circuits.
//!
//! * [`Relation`]: what a network says of where a message may go next;
//! * [`Schedule`]: what a network whose nodes take turns says of when;
//! * [`adaptive`]: the dimensions of the cube in any order;
//! * [`cm1`]: the way of a message that meets no other in the CM-1;
//! * [`compiled`]: lists of messages whose ways and times are fixed before the machine runs;
//! * [`dependencies`]: which channels may wait for each other, and whether in a circle;
//! * [`ecube`]: the order of dimensions that every message of the cube follows;
//! * [`loads`]: how all pairs together load the channels;
//! * [`metacube`]: from class to class of the metacube, and the order of its total exchange;
//! * [`rewired`]: past a switch of the cube that has failed;
//! * [`rotation`]: minimal rotation on the cube;
//! * [`tdma`]: who may transmit on which wire in which phase;
//! * [`torus`]: from virtual channel to virtual channel of the torus.

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
