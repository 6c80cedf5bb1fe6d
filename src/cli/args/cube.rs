use crate::topology::{number, Hypercube};
use std::error::Error;

/// Reads the value of `--dims`. Each subcommand declares the flag itself,
/// because the defaults differ.
pub fn parse_cube(dims: &str) -> Result<Hypercube, Box<dyn Error + Send + Sync>> {
    Ok(Hypercube::new(number::parse(dims)?)?)
}
