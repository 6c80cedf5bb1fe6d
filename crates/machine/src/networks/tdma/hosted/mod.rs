//! The 3-cube, or MC(1,1), that goes on a board. Its nodes and their host share a core
//! ([`SharedNodes`](rtl::hosted::SharedNodes)).
//!
//! * `circuit`: the circuit for a program of the nodes;
//! * `terminal`: the other end of its serial line.

mod circuit;
mod terminal;

pub use circuit::{HostedCircuit, PAYLOAD};
pub use terminal::Terminal;
