//! The ledger of the papers' claims is complete, and its verdicts are computed. A check that
//! contradicts the ledger is reported.

mod command;
mod ledger;
mod verdicts;
