//! Formal proofs: sentences about circuits that hold for all inputs, on the Verilog that is emitted.
//!
//! A [`Property`] is data: its sentence, the circuits that it speaks of, a file of `proofs/` that says
//! it in SystemVerilog, how it is proved, and its [`Mutant`]s: faults in the circuits, or assumptions
//! left out, with which it must fail. A proof that cannot fail proves nothing. `docs/proofs.md` tells how to
//! read and add one; [`PROPERTIES`] has all of them.

mod job;
mod properties;
mod property;
mod record;

pub use job::Job;
pub use properties::PROPERTIES;
pub use property::{Case, Change, Circuit, Circuits, Mutant, ProofError, Property};
pub use record::{ProofTable, Record};
