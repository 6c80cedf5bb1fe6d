//! Minimal rotation as RTL, against independent references. These are the model of packets and
//! bytes, golden routes, and the laws and figures of the note and of the network's specification.

mod agreement;
mod deadlock;
mod failed_switch;
mod figures;
mod first_hop;
mod latency;
mod lists;
mod loads;
pub mod machine;
mod routes;
mod scale;
