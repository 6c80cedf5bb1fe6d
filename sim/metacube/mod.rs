//! The metacube, against the golden vectors and its paper's claims on routes and total exchange.
//! Its machine as RTL is compared with a second model.

mod agreement;
mod exchange;
mod faults;
mod lists;
mod machine;
mod model_checks;
mod planned_exchange;
mod routes;
mod soft;
