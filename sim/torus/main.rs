//! The torus routing chip as RTL, against truth that was written apart from it: the
//! model of packets and bytes, golden routes, the laws and figures of the paper and of
//! its specification.

mod agreement;
#[path = "../support/byte_agreement.rs"]
mod byte_agreement;
#[path = "../support/byte_runs.rs"]
mod byte_runs;
mod figures;
mod framing;
mod latency;
mod lists;
mod load;
mod machine;
mod routes;
mod scale;
mod standstill;
#[path = "../support/twins.rs"]
mod twins;
