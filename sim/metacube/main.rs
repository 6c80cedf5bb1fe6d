//! The metacube against the golden vectors, what its paper says of its routes and of its
//! total exchange, and the second model of its machine.

mod exchange;
#[path = "../model_metacube/mod.rs"]
mod model;
mod model_checks;
mod routes;
