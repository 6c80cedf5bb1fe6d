//! Common parts of the byte-channel network models: packets as bytes, output queues, and deadlock
//! detection.

pub mod packet;
pub mod queue;
pub mod stall;
