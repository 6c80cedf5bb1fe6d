//! Claims of the five papers, with our verdicts.
//!
//! The ledger has one file per paper in this directory. Each claim has a statement in our words,
//! our verdict, and checks. A check runs a command of this program or a small computation. It
//! selects a figure from the output and compares the figure with the claim. Verdicts are computed
//! from the checks. A computed verdict that differs from the ledger is an error of the project.
//!
//! * [`Ledger`], [`Paper`], [`Claim`], [`Check`]: the data
//! * [`Figure`]: location of a figure in the output of a check, by a [`Pointer`]
//! * [`Relation`]: relation between the figure and the claim
//! * [`Runner`]: runs the checks
//! * [`Judgement`]: results of the checks of a claim
//! * [`computations`]: figures that no command computes

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
