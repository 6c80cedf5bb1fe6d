//! One proof or one mutant. Jobs are independent of each other, so they may run in parallel.

use super::{ProofCase, ProofError, ProofMutant, ProofRecord, Property};
use std::path::Path;
use toolchain::Toolchain;

/// Task for the provers.
#[derive(Clone, Copy, Debug)]
pub enum ProofJob {
    /// Proves the property in one size.
    Case(&'static Property, &'static ProofCase),
    /// Checks that a mutant makes the property fail.
    Mutant(&'static Property, &'static ProofMutant),
}

impl ProofJob {
    /// Proof jobs for all sizes of a property.
    pub fn cases(property: &'static Property) -> Vec<ProofJob> {
        let cases = property.cases.iter();
        cases.map(|case| ProofJob::Case(property, case)).collect()
    }

    /// Jobs for all mutants of a property.
    pub fn mutants(property: &'static Property) -> Vec<ProofJob> {
        let mutants = property.mutants.iter();
        mutants.map(|m| ProofJob::Mutant(property, m)).collect()
    }

    /// Describes the job: `proving pin-mux: 4 wires`.
    pub fn description(&self) -> String {
        match self {
            ProofJob::Case(property, case) => format!("proving {}: {}", property.name, case.sizes),
            ProofJob::Mutant(property, mutant) => {
                format!("mutant of {}: {}", property.name, mutant.description)
            }
        }
    }

    /// Runs the job. The wave of a failure is below `work_dir`.
    ///
    /// # Errors
    /// As [`Property::prove`] and [`Property::try_mutant`].
    pub fn run(&self, tools: &Toolchain, work_dir: &Path) -> Result<ProofRecord, ProofError> {
        match self {
            ProofJob::Case(property, case) => {
                ProofRecord::prove_case(tools, property, case, work_dir)
            }
            ProofJob::Mutant(property, mutant) => {
                ProofRecord::try_mutant(tools, property, mutant, work_dir)
            }
        }
    }
}
