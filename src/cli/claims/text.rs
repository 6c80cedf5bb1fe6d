//! Formats claims as text.

use super::{error_chain, CheckedClaim};
use lab::claims::{Check, CheckResult, Claim, ClaimCounts, ClaimForm, ClaimLedger};
use lab::report::{wrapped, WIDTH};
use serde_json::Value;
use std::fmt::Write;

/// Widths of the columns before the claim: number, section and verdict.
const ID: usize = 6;
const SECTION: usize = 19;
const VERDICT: usize = 15;

/// Formats a paragraph whose lines all begin in this column.
fn indented(text: &str, column: usize) -> String {
    let margin = " ".repeat(column);
    let lines = wrapped(text, WIDTH - column);
    let lines: Vec<String> = lines
        .lines()
        .map(|line| format!("{margin}{line}\n"))
        .collect();
    lines.concat()
}

/// Formats all claims by paper, with the number of claims of each kind.
pub(super) fn ledger_text(ledger: &ClaimLedger, judged: &[CheckedClaim]) -> String {
    let mut text = String::new();
    for paper in &ledger.papers {
        let of_paper: Vec<&CheckedClaim> = judged
            .iter()
            .filter(|j| j.paper.name == paper.name)
            .collect();
        if of_paper.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{}: {}\n", paper.name, counts_line(&of_paper));
        text.extend(of_paper.into_iter().map(row));
        text.push('\n');
    }
    let all: Vec<&CheckedClaim> = judged.iter().collect();
    let _ = writeln!(text, "{}", counts_line(&all));
    text
}

/// Formats a row of the table. The command that decides the claim follows below it.
fn row(one: &CheckedClaim) -> String {
    let Claim {
        id, section, claim, ..
    } = one.claim;
    let column = ID + SECTION + VERDICT;
    let body = indented(claim, column);
    let verdict = one.verdict_label();
    let head = format!("{id:<ID$}{section:<SECTION$}{verdict:<VERDICT$}");
    let mut text = head + body.trim_start();
    for what in deciding_sources(one.claim) {
        let _ = writeln!(text, "{}{what}", " ".repeat(column));
    }
    text
}

/// Returns the commands and computations that decide a claim, each once.
fn deciding_sources(claim: &Claim) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for check in &claim.checks {
        let what = check.source.to_string();
        if !all.contains(&what) {
            all.push(what);
        }
    }
    all
}

/// Formats the counts of some claims on one line.
fn counts_line(judged: &[&CheckedClaim]) -> String {
    let counts = ClaimCounts::of(judged.iter().map(|one| one.claim));
    format!(
        "{} claims: {} true, {} false, {} conditional, {} not checkable, {} missing",
        counts.claims,
        counts.r#true,
        counts.r#false,
        counts.conditional,
        counts.not_checkable,
        counts.missing
    )
}

/// Column in which the text about a claim begins.
const DETAIL_COLUMN: usize = 11;

/// Formats a claim, its checks and their results.
pub(super) fn claim_text(one: &CheckedClaim) -> String {
    let Claim {
        id,
        name,
        section,
        verdict,
        ..
    } = one.claim;
    let mut text = format!("{id} {name} ({}, {section})\n", one.paper.name);
    let mut say = |label: &str, said: &str| {
        let body = indented(said, DETAIL_COLUMN);
        let _ = write!(
            text,
            "  {label:<width$}{}",
            body.trim_start(),
            width = DETAIL_COLUMN - 2
        );
    };
    let claim = one.claim;
    say("claim", &claim.claim);
    if let Some(paper) = &claim.paper {
        say("paper", paper);
    }
    for (place, check) in claim.checks.iter().enumerate() {
        let finding = one.results().and_then(|findings| findings.get(place));
        let label = if place == 0 { "here" } else { "" };
        say(label, &result_text(check, finding));
    }
    match &one.judgement {
        Some(Ok(judgement)) if !judgement.agrees => {
            let computed = judgement
                .verdict
                .map_or_else(String::new, |v| v.to_string());
            say("verdict", &format!("{computed}; the ledger has {verdict}"));
        }
        Some(Err(error)) => say("error", &error_chain(error)),
        _ => say("verdict", &one.verdict_label()),
    }
    for (label, said) in [
        ("where", &claim.condition),
        ("why", &claim.why),
        ("would be", &claim.missing),
        ("note", &claim.note),
    ] {
        if let Some(said) = said {
            say(label, said);
        }
    }
    text.push('\n');
    text
}

fn result_text(check: &Check, finding: Option<&CheckResult>) -> String {
    let place = match check.form {
        ClaimForm::General => "claimed",
        ClaimForm::Condition => "on the condition",
    };
    let Check {
        source: what,
        figure,
        asserts,
        ..
    } = check;
    match finding {
        None => format!("{what}: {figure}, {place} {asserts}"),
        Some(CheckResult { found, holds }) => {
            let holds = if *holds { "holds" } else { "does not hold" };
            format!(
                "{what}: {figure} is {}; {place} {asserts}: {holds}",
                shorten(found)
            )
        }
    }
}

/// Shortens a figure for printing. A long text keeps its end, a long array its first values.
fn shorten(found: &Value) -> String {
    const MOST: usize = 160;
    let text = match found {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

/// Formats the result of all checks: the claims that disagree with the ledger, and the number that
/// agree.
pub(super) fn checks_text(judged: &[CheckedClaim]) -> String {
    let mut text: String = judged
        .iter()
        .filter(|one| !one.agrees())
        .map(claim_text)
        .collect();
    let all: Vec<&CheckedClaim> = judged.iter().collect();
    let made = judged.iter().filter(|one| one.judgement.is_some()).count();
    let agree = judged
        .iter()
        .filter(|one| one.judgement.is_some() && one.agrees())
        .count();
    let slow = judged
        .iter()
        .filter(|one| one.judgement.is_none() && one.claim.slow().is_some())
        .count();
    let _ = writeln!(text, "{}", counts_line(&all));
    let _ = write!(
        text,
        "{agree} of {made} checked claims agree with the ledger"
    );
    if slow > 0 {
        let _ = write!(
            text,
            "; {slow} slow claims were skipped (--slow checks them)"
        );
    }
    text.push('\n');
    text
}
