//! The torus routing chip (torus-routing-chip, sections 4 and 5).
//!
//! A packet consists of one address byte per dimension, data and a tail. It is routed in one
//! dimension after the other. Its address in a dimension is the number of channels left to travel.
//! A controller decrements the address when the packet leaves in that dimension, and strips the
//! byte when the address is 0 on arrival.
//!
//! A chip has one or more dimensions. A node has one or more chips in a row. Each chip's output to
//! the processor feeds the next chip's input from the processor.

mod chip;
mod crosspoints;
mod input_controller;
pub mod machine;
mod node;
mod plan;

pub use chip::TorusChip;
pub use crosspoints::{Crosspoint, Crosspoints};
pub use input_controller::InputController;
pub use node::TorusNode;
pub use plan::{Tail, TorusPlan};

/// Returns a list of `length` default ports or blocks.
fn list<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}
