//! The 3-cube that goes on a board: its nodes and their host share a core
//! ([`SharedCube`](crate::rtl::hosted::SharedCube)).
//!
//! * `circuit`: built for a program of the nodes;
//! * `terminal`: the other end of its line.

mod circuit;
mod terminal;

pub use circuit::{HostedCircuit, PAYLOAD};
pub use terminal::Terminal;
