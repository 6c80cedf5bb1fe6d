//! The torus routing chip (torus-routing-chip, sections 4 and 5).
//!
//! A packet is address bytes, one for each dimension, data and a tail. It goes down
//! the dimensions one after the other. Its address in a dimension says how many
//! channels are left; a controller takes one off when the packet leaves in that
//! dimension, and the whole byte when it has come to 0 on arrival.
//!
//! A chip has one or more dimensions, and a node as many chips as it needs, in a row:
//! what one gives its processor is what the next gets from it.

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

/// A list of so many ports or blocks.
fn list<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}
