//! `--dims`. Each subcommand declares the flag itself because the defaults differ. The two limits
//! are defined here.

use interconnect::topology::{number, Hypercube};
use std::error::Error;

/// Maximum dimensions of a simulated machine, which has up to 2^12 nodes.
pub const MACHINE_DIMS_MAX: u32 = 12;

type DimsParseError = Box<dyn Error + Send + Sync>;

/// Parses the dimensions for plain arithmetic or for the circuit of one node.
pub fn parse_cube(dims: &str) -> Result<Hypercube, DimsParseError> {
    Ok(Hypercube::new(number::parse(dims)?)?)
}

/// Parses the dimensions of a machine to be simulated.
pub fn parse_machine(dims: &str) -> Result<Hypercube, DimsParseError> {
    let most = MACHINE_DIMS_MAX;
    match number::parse(dims)? {
        dims if (1..=most.into()).contains(&dims) => Ok(Hypercube::new(dims)?),
        dims => Err(format!(
            "a machine of {dims} dimensions cannot be simulated; accepted: 1 to {most}"
        )
        .into()),
    }
}
