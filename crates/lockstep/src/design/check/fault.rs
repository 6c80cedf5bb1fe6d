//! Report of a fault in a design: module, signal, source location and remedy.

use crate::design::SourceLocation;
use std::fmt;

/// One fault of a design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct DesignFault {
    /// Name of the module, empty if the fault concerns the design as a whole.
    pub module: String,
    /// Name of the affected signal, cell or instance.
    pub signal: Option<String>,
    /// Source location of the fault or of a nearby statement.
    pub origin: Option<SourceLocation>,
    /// Description of the fault and of what is accepted.
    pub what: String,
}

impl DesignFault {
    pub(super) fn for_design(what: String) -> Self {
        DesignFault {
            module: String::new(),
            signal: None,
            origin: None,
            what,
        }
    }
}

impl fmt::Display for DesignFault {
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
