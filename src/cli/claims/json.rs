//! `phasecube claims --json`.

use super::{error_chain, CheckedClaim};
use lab::claims::{Check, ClaimCounts, ClaimForm, Verdict};
use serde::Serialize;
use serde_json::Value;

/// Output of `--json`.
#[derive(Serialize)]
struct ClaimsReport<'a> {
    counts: ClaimCounts,
    /// Whether every computed verdict agrees with the ledger; `None` if no verdict was computed.
    agree: Option<bool>,
    claims: Vec<ClaimLine<'a>>,
}

#[derive(Serialize)]
struct ClaimLine<'a> {
    id: &'a str,
    name: &'a str,
    source: &'a str,
    section: &'a str,
    claim: &'a str,
    paper: Option<&'a str>,
    /// Verdict of the ledger.
    verdict: Verdict,
    condition: Option<&'a str>,
    why: Option<&'a str>,
    note: Option<&'a str>,
    missing: Option<&'a str>,
    slow: Option<&'a str>,
    /// Verdict computed from the checks; `None` if the checks did not run.
    computed: Option<Verdict>,
    /// Reason why a check could not run.
    error: Option<String>,
    checks: Vec<CheckLine>,
}

#[derive(Serialize)]
struct CheckLine {
    what: String,
    figure: String,
    asserts: String,
    under_condition: bool,
    found: Option<Value>,
    holds: Option<bool>,
}

/// Formats the report as a JSON object on one line.
pub(super) fn json(judged: &[CheckedClaim], makes_checks: bool) -> String {
    let report = ClaimsReport {
        counts: ClaimCounts::of(judged.iter().map(|one| one.claim)),
        agree: makes_checks.then(|| judged.iter().all(CheckedClaim::agrees)),
        claims: judged.iter().map(claim_line).collect(),
    };
    serde_json::to_string(&report).expect("numbers and names are JSON") + "\n"
}

fn claim_line<'a>(one: &CheckedClaim<'a>) -> ClaimLine<'a> {
    let claim = one.claim;
    let check = |(place, check): (usize, &Check)| {
        let finding = one.results().and_then(|findings| findings.get(place));
        CheckLine {
            what: check.source.to_string(),
            figure: check.figure.to_string(),
            asserts: check.asserts.to_string(),
            under_condition: check.form == ClaimForm::Condition,
            found: finding.map(|finding| finding.found.clone()),
            holds: finding.map(|finding| finding.holds),
        }
    };
    let (computed, error) = match &one.judgement {
        Some(Ok(judgement)) => (judgement.verdict, None),
        Some(Err(error)) => (None, Some(error_chain(error))),
        None => (None, None),
    };
    ClaimLine {
        id: &claim.id,
        name: &claim.name,
        source: &one.paper.name,
        section: &claim.section,
        claim: &claim.claim,
        paper: claim.paper.as_deref(),
        verdict: claim.verdict,
        condition: claim.condition.as_deref(),
        why: claim.why.as_deref(),
        note: claim.note.as_deref(),
        missing: claim.missing.as_deref(),
        slow: claim.slow(),
        computed,
        error,
        checks: claim.checks.iter().enumerate().map(check).collect(),
    }
}
