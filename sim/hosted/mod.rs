//! The 3-cube, MC(1,1) and the byte networks as they run on a board. Nodes and host share a core,
//! and the PC's end of the line is driven like a terminal. They behave like machines without
//! programs, for the same messages.

mod agreement;
mod board;
mod bytes;
mod comparison;
mod events;
mod forwarders;
mod large;
mod metacube;
mod programs;
mod reports;
mod text;
