//! The metacube against the golden vectors, what its paper says of its routes and of its
//! total exchange, and its machine as RTL against a second model of it.

mod agreement;
#[path = "../support/array_runs.rs"]
mod array_runs;
mod exchange;
mod faults;
mod lists;
mod machine;
#[path = "../model_metacube/mod.rs"]
mod model;
mod model_checks;
mod played;
mod routes;
#[path = "../support/same_run.rs"]
mod same_run;
mod soft;
#[path = "../support/twins.rs"]
mod twins;
#[path = "../support/whole_runs.rs"]
mod whole_runs;
