//! Claim: the ledger of the papers' claims is whole, and its verdicts are computed: what
//! decides a claim says what the ledger does, and a ledger that says otherwise is told.

mod command;
mod ledger;
mod verdicts;
