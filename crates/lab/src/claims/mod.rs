//! Claims of the five papers, with our verdicts.
//!
//! The ledger has one file per paper in this directory. Each claim has a statement in our words,
//! our verdict, and checks. A check runs a command of this program or a small computation. It
//! selects a figure from the output and compares the figure with the claim. Verdicts are computed
//! from the checks. A computed verdict that differs from the ledger is an error of the project.
//!
//! * [`ClaimLedger`], [`PaperClaims`], [`Claim`], [`Check`]: the data
//! * [`Figure`]: location of a figure in the output of a check, by a [`Pointer`]
//! * [`ClaimRelation`]: relation between the figure and the claim
//! * [`CheckRunner`]: runs the checks
//! * [`Judgement`]: results of the checks of a claim
//! * [`computations`]: figures that no command computes

pub mod computations;
mod figure;
mod judgement;
mod ledger;
mod pointer;
mod relation;
mod runner;

pub use figure::{Figure, MissingFigure};
pub use judgement::{CheckResult, ClaimCounts, Judgement};
pub use ledger::{
    Check, Claim, ClaimForm, ClaimLedger, FigureSource, LedgerError, PaperClaims, UnknownClaim,
    Verdict,
};
pub use pointer::Pointer;
pub use relation::ClaimRelation;
pub use runner::{CheckError, CheckOutput, CheckRunner};
