//! The CM-1 for the board, through its bus port. It handles messages like the model, and like the
//! machine that does not wait for its processors. All engines agree on it.

mod agreement;
mod processors;
mod same;
