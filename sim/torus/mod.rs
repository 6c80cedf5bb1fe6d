//! The torus routing chip as RTL, against independent references. These are the model of packets
//! and bytes, golden routes, and the laws and figures of the paper and of its specification.

mod agreement;
mod deadlock;
mod figures;
mod framing;
mod latency;
mod lists;
mod load;
pub mod machine;
mod routes;
mod scale;
