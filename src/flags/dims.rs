//! `--dims`. Each subcommand declares the flag itself, because the defaults differ;
//! the limits are these two.

use crate::topology::{number, Hypercube};
use std::error::Error;

/// A machine that is simulated has up to 2^12 nodes.
pub const MACHINE_DIMS_MAX: u32 = 12;

type ParseError = Box<dyn Error + Send + Sync>;

/// Reads the dimensions of what is plain arithmetic, or one node's circuit.
pub fn parse_cube(dims: &str) -> Result<Hypercube, ParseError> {
    Ok(Hypercube::new(number::parse(dims)?)?)
}

/// Reads the dimensions of a machine that is to be simulated.
pub fn parse_machine(dims: &str) -> Result<Hypercube, ParseError> {
    let most = MACHINE_DIMS_MAX;
    match number::parse(dims)? {
        dims if (1..=most.into()).contains(&dims) => Ok(Hypercube::new(dims)?),
        dims => Err(format!(
            "a machine of {dims} dimensions cannot be simulated; accepted: 1 to {most}"
        )
        .into()),
    }
}
