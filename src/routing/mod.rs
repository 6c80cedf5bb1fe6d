//! Where a message goes next, and when: relations and schedules, no circuits.
//!
//! * [`ecube`]: the order of dimensions that every message of the cube follows;
//! * [`tdma`]: who may transmit on which wire in which phase.

pub mod ecube;
pub mod tdma;
