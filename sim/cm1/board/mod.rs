//! The CM-1 for the board, through its bus port: what it does with messages is
//! what the machine that does not wait for its processors does, and what the
//! model says; and every engine says the same of it.

mod agreement;
mod processors;
mod same;
