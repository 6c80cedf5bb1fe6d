//! The 3-cube as it goes on a board: nodes and host share a core, and the PC's end
//! of the line is driven like a terminal. It does what a machine of hardware
//! forwarders does with the same messages.

mod agreement;
mod board;
mod comparison;
mod events;
mod forwarders;
mod text;
#[path = "../support/whole_runs.rs"]
mod whole_runs;
