//! What the five papers claim, and what is so.
//!
//! A ledger is a file for each paper, next to this code. It has every claim in our words,
//! the verdict that we hold, and checks: commands of this program, or small computations,
//! with the figure in what they print and what the claim says of that figure. Verdicts are
//! computed from these; one that differs from the ledger's is an error of ours.
//!
//! * [`Ledger`], [`Paper`], [`Claim`], [`Check`]: the data;
//! * [`Figure`]: where a figure stands in what a check prints, by a [`Pointer`];
//! * [`Relation`]: what a claim says of it;
//! * [`Runner`]: makes the checks;
//! * [`Judgement`]: what came of those of a claim;
//! * [`computations`]: what no command computes.

pub mod computations;
mod figure;
mod judgement;
mod ledger;
mod pointer;
mod relation;
mod runner;

pub use figure::{Figure, NoFigure};
pub use judgement::{Counts, Finding, Judgement};
pub use ledger::{Check, Claim, Ledger, LedgerError, Paper, Place, Unknown, Verdict, What};
pub use pointer::Pointer;
pub use relation::Relation;
pub use runner::{CheckError, Output, Runner};
