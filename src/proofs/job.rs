//! One proof or one mutant. Jobs are independent of each other, so they may run in parallel.

use super::{Case, Mutant, ProofError, Property, Record};
use crate::toolchain::Toolchain;
use std::path::Path;

/// Task for the provers.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// Proves the property in one size.
    Case(&'static Property, &'static Case),
    /// Checks that a mutant makes the property fail.
    Mutant(&'static Property, &'static Mutant),
}

impl Job {
    /// Proof jobs for all sizes of a property.
    pub fn cases(property: &'static Property) -> Vec<Job> {
        let cases = property.cases.iter();
        cases.map(|case| Job::Case(property, case)).collect()
    }

    /// Jobs for all mutants of a property.
    pub fn mutants(property: &'static Property) -> Vec<Job> {
        let mutants = property.mutants.iter();
        mutants.map(|m| Job::Mutant(property, m)).collect()
    }

    /// Describes the job: `proving pin-mux: 4 wires`.
    pub fn what(&self) -> String {
        match self {
            Job::Case(property, case) => format!("proving {}: {}", property.name, case.sizes),
            Job::Mutant(property, mutant) => {
                format!("mutant of {}: {}", property.name, mutant.what)
            }
        }
    }

    /// Runs the job. The wave of a failure is below `work_dir`.
    ///
    /// # Errors
    /// As [`Property::prove`] and [`Property::try_mutant`].
    pub fn record(&self, tools: &Toolchain, work_dir: &Path) -> Result<Record, ProofError> {
        match self {
            Job::Case(property, case) => Record::of_case(tools, property, case, work_dir),
            Job::Mutant(property, mutant) => Record::of_mutant(tools, property, mutant, work_dir),
        }
    }
}
