//! Circuits with the ports of a board.

mod echo;

pub use echo::Echo;
