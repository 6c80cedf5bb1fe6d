//! The 3-cube, or MC(1,1), that goes on a board: its nodes and their host share a core
//! ([`SharedNodes`](crate::rtl::hosted::SharedNodes)).
//!
//! * `circuit`: built for a program of the nodes;
//! * `terminal`: the other end of its line.

mod circuit;
mod terminal;

pub use circuit::{HostedCircuit, PAYLOAD};
pub use terminal::Terminal;
