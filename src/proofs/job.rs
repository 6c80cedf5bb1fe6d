//! One proof to be made, or one mutant to be tried. Jobs know nothing of each other, so they may run side by side.

use super::{Case, Mutant, ProofError, Property, Record};
use crate::toolchain::Toolchain;
use std::path::Path;

/// What the provers are asked.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// Whether the property holds in a size.
    Case(&'static Property, &'static Case),
    /// Whether a mutant makes it fail.
    Mutant(&'static Property, &'static Mutant),
}

impl Job {
    /// A property in all its sizes.
    pub fn cases(property: &'static Property) -> Vec<Job> {
        let cases = property.cases.iter();
        cases.map(|case| Job::Case(property, case)).collect()
    }

    /// All mutants of a property.
    pub fn mutants(property: &'static Property) -> Vec<Job> {
        let mutants = property.mutants.iter();
        mutants.map(|m| Job::Mutant(property, m)).collect()
    }

    /// What is done, in words: `proving pin-mux: 4 wires`.
    pub fn what(&self) -> String {
        match self {
            Job::Case(property, case) => format!("proving {}: {}", property.name, case.sizes),
            Job::Mutant(property, mutant) => {
                format!("mutant of {}: {}", property.name, mutant.what)
            }
        }
    }

    /// Does it. The wave of what fails is below `work_dir`.
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
