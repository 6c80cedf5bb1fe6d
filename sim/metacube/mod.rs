//! The metacube against the golden vectors, what its paper says of its routes and of its
//! total exchange, and its machine as RTL against a second model of it.

mod agreement;
mod exchange;
mod faults;
mod lists;
mod machine;
mod model_checks;
mod played;
mod routes;
mod soft;
