//! The switch of minimal rotation (minimal-rotation-routing) on byte channels.
//!
//! A packet is a header, data and a tail. The header is source xor destination: one byte, or with
//! more than eight dimensions two bytes, the low one first. Crossing a dimension clears its bit. A
//! header of zeros is stripped, and the rest of the packet goes to the processor. A switch
//! therefore does not need its own address.

mod crossbar;
mod first_hop_choice;
mod first_hop_table;
mod first_one;
mod group_end;
mod hop_tree;
mod input;
pub mod machine;
mod minimal_rotation;
mod plan;
mod switch;

use super::list;
pub use crossbar::{Crossbar, CrossbarLane, Scheme};
pub use first_hop_choice::FirstHopChoice;
pub use first_hop_table::FirstHopTable;
pub use first_one::FirstOne;
pub use group_end::GroupEnd;
pub use hop_tree::HopTree;
pub use input::RotationInput;
pub use minimal_rotation::MinimalRotation;
pub use plan::{FirstHop, RotationPlan};
pub use switch::RotationSwitch;
