//! Boards: what can run on one, and getting it there.

mod design;
mod designs;

pub use design::{BoardDesign, WrongPorts};
pub use designs::{BoardDesignError, BoardDesignName};
