//! Results of earlier runs, stored in a file.

use super::report::FaultOutcome;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Outcomes by the names of faults. They apply to the tree at the time of the run.
pub struct StoredOutcomes {
    path: PathBuf,
    outcomes: BTreeMap<String, FaultOutcome>,
}

impl StoredOutcomes {
    /// Reads the outcomes in the file. There are none if the file does not exist.
    pub fn open(path: PathBuf) -> Result<Self> {
        let outcomes = match std::fs::read(&path) {
            Ok(json) => {
                serde_json::from_slice(&json).with_context(|| path.display().to_string())?
            }
            Err(_) => BTreeMap::new(),
        };
        Ok(StoredOutcomes { path, outcomes })
    }

    /// Returns the outcome of a fault, unless it survived, because tests may have been added.
    pub fn settled_outcome(&self, fault: &str) -> Option<FaultOutcome> {
        let outcome = self.outcomes.get(fault)?;
        (!matches!(outcome, FaultOutcome::Survived(_))).then(|| outcome.clone())
    }

    pub fn store(&mut self, fault: &str, outcome: &FaultOutcome) -> Result<()> {
        self.outcomes.insert(fault.to_owned(), outcome.clone());
        let json = serde_json::to_vec_pretty(&self.outcomes)?;
        std::fs::write(&self.path, json).with_context(|| self.path.display().to_string())
    }
}
