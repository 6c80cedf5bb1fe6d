//! `phasecube claims`: lists the claims of the papers with their verdicts.

use super::{output, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use lab::claims::{
    Check, CheckError, CheckResult, CheckRunner, Claim, ClaimCounts, ClaimForm, ClaimLedger,
    Judgement, PaperClaims, Verdict,
};
use machine::flags::OutputFlags;
use machine::text::{format_count, indented};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;
use toolchain::progress::ProgressStep;

/// List the claims of the five papers and of the StarC specification, and check them
///
/// Without names, or with names of papers only, lists the claims, each with its verdict and the
/// checks that decide it. With names of claims, runs their checks and prints the figure of the
/// paper beside the measured one. Each verdict is computed from these figures. The command fails if
/// a verdict differs from the ledger.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube claims tdma-hypercube\n  phasecube claims TD18 cm1-stirling\n  phasecube claims --check"
)]
pub struct ClaimsArgs {
    /// Papers (tdma-hypercube), or claims by number (TD18) or name [default: all papers]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Run the checks of all claims, or of the claims of the named papers
    #[arg(long)]
    check: bool,
    /// With --check, also run slow checks, which take over a minute or need an external tool
    #[arg(long, requires = "check")]
    slow: bool,
    #[command(flatten)]
    output: OutputFlags,
}

/// Claim with the result of its checks.
struct CheckedClaim<'a> {
    claim: &'a Claim,
    paper: &'a PaperClaims,
    /// `None` if the checks did not run.
    judgement: Option<Result<Judgement, CheckError>>,
}

/// Prints the ledger, or runs the checks of its claims. Returns what the verdicts mean.
pub fn claims(args: &ClaimsArgs) -> Result<String, CliError> {
    let ledger = ClaimLedger::standard()?;
    let (chosen, by_name) = selected_claims(&ledger, &args.names)?;
    let makes_checks = args.check || by_name;
    let mut judged: Vec<CheckedClaim> = chosen
        .into_iter()
        .map(|claim| CheckedClaim { claim, paper: ledger.paper_of(claim), judgement: None })
        .collect();
    if makes_checks {
        let program = std::env::current_exe().context("cannot find this program");
        let mut runner = CheckRunner::new(&program.map_err(CliError::Failed)?)?;
        let with_slow = args.slow || (by_name && !args.check);
        run_checks(&mut judged, &mut runner, with_slow);
    }
    let print = match args.output.json {
        true => output::print,
        false => output::print_text,
    };
    print(&match args.output.json {
        true => json(&judged, makes_checks),
        false if by_name => judged.iter().map(claim_text).collect(),
        false if args.check => checks_text(&judged),
        false => ledger_text(&ledger, &judged),
    })?;
    let wrong: Vec<&str> = judged.iter().filter(|one| !one.agrees()).map(id).collect();
    match wrong.is_empty() {
        true => Ok(meaning(&judged)),
        false => Err(CliError::Failed(anyhow!(
            "{} of the checked claims differ from the ledger: {}",
            wrong.len(),
            wrong.join(", ")
        ))),
    }
}

/// Explains the verdicts.
fn meaning(judged: &[CheckedClaim]) -> String {
    let counts = ClaimCounts::of(judged.iter().map(|one| one.claim));
    let checked = judged.iter().filter(|one| one.judgement.is_some()).count();
    let source = match checked {
        0 => "The verdicts are those of the ledger; --check computes them.".to_owned(),
        checked => format!(
            "{} computed now, in agreement with the ledger.",
            format_count(checked as u64, "verdict")
        ),
    };
    format!(
        "{}: {} true as in the papers, {} true under a condition, {} false. {source}",
        format_count(counts.claims as u64, "claim"),
        counts.r#true,
        counts.conditional,
        counts.r#false
    )
}

/// Returns the selected claims, each once, and whether a claim was selected by its own name.
fn selected_claims<'a>(
    ledger: &'a ClaimLedger,
    names: &[String],
) -> Result<(Vec<&'a Claim>, bool), CliError> {
    if names.is_empty() {
        return Ok((ledger.claims().collect(), false));
    }
    let mut chosen: Vec<&Claim> = vec![];
    let mut by_name = false;
    for name in names {
        let named: Vec<&Claim> = match ledger.paper(name) {
            Some(paper) => paper.claims.iter().collect(),
            None => {
                by_name = true;
                vec![ledger.claim(name)?]
            }
        };
        for claim in named {
            if !chosen.iter().any(|known| known.id == claim.id) {
                chosen.push(claim);
            }
        }
    }
    Ok((chosen, by_name))
}

fn run_checks(judged: &mut [CheckedClaim], runner: &mut CheckRunner, with_slow: bool) {
    let activity = ProgressStep::quiet("checking claims");
    let all = judged.len();
    for (number, one) in (1..).zip(judged) {
        let claim = one.claim;
        if claim.checks.is_empty() || (claim.slow().is_some() && !with_slow) {
            continue;
        }
        activity.step(&format!("{} {}, {number} of {all}", claim.id, claim.name));
        one.judgement = Some(runner.check_claim(claim));
    }
}

fn id<'a>(judged: &CheckedClaim<'a>) -> &'a str {
    &judged.claim.id
}

impl CheckedClaim<'_> {
    fn agrees(&self) -> bool {
        match &self.judgement {
            None => true,
            Some(Ok(judgement)) => judgement.agrees,
            Some(Err(_)) => false,
        }
    }

    /// Formats the verdict of the ledger, or the reason why there is none.
    fn verdict_label(&self) -> String {
        match self.claim.missing {
            Some(_) => "missing".into(),
            None => self.claim.verdict.to_string(),
        }
    }

    fn results(&self) -> Option<&[CheckResult]> {
        match &self.judgement {
            Some(Ok(judgement)) => Some(&judgement.results),
            _ => None,
        }
    }
}

/// Formats an error and its causes.
fn error_chain(error: &CheckError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

// Formats claims as text.

/// Widths of the columns before the claim: number, section and verdict.
const ID: usize = 6;
const SECTION: usize = 19;
const VERDICT: usize = 15;

/// Formats all claims by paper, with the number of claims of each kind.
fn ledger_text(ledger: &ClaimLedger, judged: &[CheckedClaim]) -> String {
    let mut text = String::new();
    for paper in &ledger.papers {
        let of_paper: Vec<&CheckedClaim> =
            judged.iter().filter(|j| j.paper.name == paper.name).collect();
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
    let Claim { id, section, claim, .. } = one.claim;
    let column = ID + SECTION + VERDICT;
    let width = output::text_width();
    let body = indented(claim, column, width);
    let verdict = one.verdict_label();
    let head = format!("{id:<ID$}{section:<SECTION$}{verdict:<VERDICT$}");
    let mut text = head + body.trim_start();
    for what in deciding_sources(one.claim) {
        let _ = writeln!(text, "{:column$}{what}", "");
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
        "{}: {} true, {} false, {} conditional, {} not checkable, {} missing",
        format_count(counts.claims as u64, "claim"),
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
fn claim_text(one: &CheckedClaim) -> String {
    let Claim { id, name, section, verdict, .. } = one.claim;
    let mut text = format!("{id} {name} ({}, {section})\n", one.paper.name);
    let mut say = |label: &str, printed: &str| {
        let body = indented(printed, DETAIL_COLUMN, output::text_width());
        let _ = write!(text, "  {label:<width$}{}", body.trim_start(), width = DETAIL_COLUMN - 2);
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
            let computed = judgement.verdict.map_or_else(String::new, |v| v.to_string());
            say("verdict", &format!("{computed}; the ledger has {verdict}"));
        }
        Some(Err(error)) => say("error", &error_chain(error)),
        _ => say("verdict", &one.verdict_label()),
    }
    for (label, printed) in [
        ("where", &claim.condition),
        ("why", &claim.why),
        ("would be", &claim.missing),
        ("note", &claim.note),
    ] {
        if let Some(printed) = printed {
            say(label, printed);
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
    let Check { source: what, figure, asserts, .. } = check;
    match finding {
        None => format!("{what}: {figure}, {place} {asserts}"),
        Some(CheckResult { found, holds }) => {
            let holds = if *holds { "holds" } else { "does not hold" };
            format!("{what}: {figure} is {}; {place} {asserts}: {holds}", shorten(found))
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
fn checks_text(judged: &[CheckedClaim]) -> String {
    let mut text: String = judged.iter().filter(|one| !one.agrees()).map(claim_text).collect();
    let all: Vec<&CheckedClaim> = judged.iter().collect();
    let made = judged.iter().filter(|one| one.judgement.is_some()).count();
    let agree = judged.iter().filter(|one| one.judgement.is_some() && one.agrees()).count();
    let slow =
        judged.iter().filter(|one| one.judgement.is_none() && one.claim.slow().is_some()).count();
    let _ = writeln!(text, "{}", counts_line(&all));
    let _ = write!(text, "{agree} of {made} checked claims agree with the ledger");
    if slow > 0 {
        let _ = write!(text, "; {slow} slow claims were skipped (--slow checks them)");
    }
    text.push('\n');
    text
}

// `phasecube claims --json`.

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
fn json(judged: &[CheckedClaim], makes_checks: bool) -> String {
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
