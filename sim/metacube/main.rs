//! The metacube against the golden vectors, and what its paper says of its routes and
//! of its total exchange.

mod exchange;
mod routes;
