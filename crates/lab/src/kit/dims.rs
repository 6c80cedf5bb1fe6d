//! Dimensions that a design can have.

use super::CatalogEntry;
use thiserror::Error;

/// The design does not exist for the requested dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DesignDimsError {
    #[error("the design {0} has no dimensions; accepted: no --dims")]
    None(String),
    #[error(
        "the design {name} does not exist for --dims {dims}; accepted: {}",
        ranges(accepted)
    )]
    Unsupported {
        name: &'static str,
        dims: u32,
        accepted: &'static [u32],
    },
}

impl CatalogEntry {
    /// Returns the design with the requested number of dimensions.
    ///
    /// # Errors
    /// If the design cannot have this number.
    pub fn check_dims(self, dims: u32) -> Result<u32, DesignDimsError> {
        match self.dims {
            [] => Err(DesignDimsError::None(self.name.into())),
            accepted if accepted.contains(&dims) => Ok(dims),
            accepted => Err(DesignDimsError::Unsupported {
                name: self.name,
                dims,
                accepted,
            }),
        }
    }
}

/// Formats ascending numbers as ranges: `3, 5 to 7`.
pub fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let words = runs.map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        run => run[0].to_string(),
    });
    words.collect::<Vec<_>>().join(", ")
}
