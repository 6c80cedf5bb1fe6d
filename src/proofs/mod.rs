//! Formal proofs of statements about circuits for all inputs, on the emitted Verilog.
//!
//! A [`Property`] is data: a sentence, the circuits, a SystemVerilog file in `proofs/`, the proof
//! method, and its [`Mutant`]s. A mutant is a fault in the circuits or a missing assumption, and
//! must make the property fail. A proof that cannot fail proves nothing. `docs/proofs.md` explains
//! how to read and add a property. [`PROPERTIES`] has all of them.

mod job;
mod properties;
mod property;
mod record;

pub use job::Job;
pub use properties::PROPERTIES;
pub use property::{Case, Change, Circuit, Circuits, Mutant, ProofError, Property};
pub use record::{ProofTable, Record};
