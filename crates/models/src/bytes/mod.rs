//! What the networks of byte channels have in common: packets as bytes, the queues they lie in,
//! and how a standstill is told.

pub mod packet;
pub mod queue;
pub mod standstill;
