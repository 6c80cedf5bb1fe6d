//! The 3-cube, MC(1,1) and the networks of bytes as they go on a board: nodes and host share a core, and the
//! PC's end of the line is driven like a terminal. They do what machines without programs
//! do with the same messages.

mod agreement;
mod board;
mod bytes;
mod comparison;
mod events;
mod forwarders;
mod large;
mod metacube;
mod programs;
// Its figures are for a page, and its runs for machines without a board.
mod telling;
mod text;
