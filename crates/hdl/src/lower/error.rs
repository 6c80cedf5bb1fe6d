//! Errors of blocks that cannot be lowered, with their locations.

use lockstep::design::SourceLocation;
use std::fmt;

/// Reason in one sentence why a block cannot be lowered, with the location if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    pub origin: Option<SourceLocation>,
    pub message: String,
}

impl LowerError {
    pub(crate) fn new(message: String) -> Self {
        LowerError {
            origin: None,
            message,
        }
    }

    pub(crate) fn at(origin: SourceLocation, message: String) -> Self {
        LowerError {
            origin: Some(origin),
            message,
        }
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// All errors found in a block tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerErrors(pub Vec<LowerError>);

impl fmt::Display for LowerErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for LowerErrors {}
