//! What the networks of byte channels have in common: packets as bytes, and how a standstill
//! is told.

pub mod packet;
pub mod standstill;
