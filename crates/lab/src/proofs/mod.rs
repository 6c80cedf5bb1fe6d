//! Formal proofs of statements about circuits for all inputs, on the emitted Verilog.
//!
//! A [`Property`] is data: a sentence, the circuits, a SystemVerilog file in `proofs/`, the proof
//! method, and its [`ProofMutant`]s. A mutant is a fault in the circuits or a missing assumption, and
//! must make the property fail. A proof that cannot fail proves nothing. `docs/proofs.md` explains
//! how to read and add a property. [`PROPERTIES`] has all of them.

mod job;
mod properties;
mod property;
mod record;

pub use job::ProofJob;
pub use properties::PROPERTIES;
pub use property::{
    CircuitFn, EmittedCircuits, MutantChange, ProofCase, ProofError, ProofMutant, Property,
};
pub use record::{ProofRecord, ProofTable};
