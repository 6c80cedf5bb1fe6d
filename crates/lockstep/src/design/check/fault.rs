//! How a fault of a design is told: module, signal, place and remedy.

use crate::design::Origin;
use std::fmt;

/// One thing that is wrong with a design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// The name of the module; empty if the design as a whole is at fault.
    pub module: String,
    /// The name of the signal, cell or instance that it is about.
    pub signal: Option<String>,
    /// Where in the source it is, or near what.
    pub origin: Option<Origin>,
    /// What is wrong, and what would be accepted.
    pub what: String,
}

impl Fault {
    pub(super) fn of_design(what: String) -> Self {
        Fault {
            module: String::new(),
            signal: None,
            origin: None,
            what,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = self.origin {
            write!(f, "{origin}: ")?;
        }
        if !self.module.is_empty() {
            write!(f, "module {}: ", self.module)?;
        }
        if let Some(signal) = &self.signal {
            write!(f, "{signal}: ")?;
        }
        write!(f, "{}", self.what)
    }
}
