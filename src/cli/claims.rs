//! `phasecube claims`: what the papers claim, and what is so.

use super::{output, Failure};
use crate::claims::{
    Check, CheckError, Claim, Counts, Finding, Judgement, Ledger, Paper, Place, Runner, Verdict,
};
use crate::flags::OutputFlags;
use crate::report::{wrapped, WIDTH};
use crate::toolchain::progress::Activity;
use anyhow::{anyhow, Context};
use clap::Args;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

/// Say what the five papers claim, and what is so
///
/// Without names, or with papers alone: all claims, each with its verdict and what decides it.
/// With claims: runs what decides them, and prints the paper's figure beside the one here. A
/// verdict is computed from these figures; one that differs from the ledger's fails.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube claims tdma-hypercube\n  phasecube claims TD18 cm1-ejector-home\n  phasecube claims --check"
)]
pub struct ClaimsArgs {
    /// Papers (tdma-hypercube), or claims by number (TD18) or name [default: all papers]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Run what decides all claims, or those of the papers that are named
    #[arg(long)]
    check: bool,
    /// With --check: run what is slow, too: over a minute, or with synthesis
    #[arg(long, requires = "check")]
    slow: bool,
    #[command(flatten)]
    output: OutputFlags,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    counts: Counts,
    /// Whether every verdict that was computed is the ledger's; `None` if none was.
    agree: Option<bool>,
    claims: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    name: &'a str,
    source: &'a str,
    section: &'a str,
    claim: &'a str,
    paper: Option<&'a str>,
    /// The ledger's.
    verdict: Verdict,
    condition: Option<&'a str>,
    why: Option<&'a str>,
    note: Option<&'a str>,
    missing: Option<&'a str>,
    slow: Option<&'a str>,
    /// The one that the checks make; `None` if they were not made.
    computed: Option<Verdict>,
    /// Why a check could not be made.
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

/// A claim, and what came of its checks.
struct Judged<'a> {
    claim: &'a Claim,
    paper: &'a Paper,
    /// `None` if they were not made.
    judgement: Option<Result<Judgement, CheckError>>,
}

/// Prints the ledger, or runs what decides its claims.
pub fn claims(args: &ClaimsArgs) -> Result<(), Failure> {
    let ledger = Ledger::standard()?;
    let (chosen, by_name) = chosen(&ledger, &args.names)?;
    let makes_checks = args.check || by_name;
    let mut judged: Vec<Judged> = chosen
        .into_iter()
        .map(|claim| Judged {
            claim,
            paper: ledger.paper_of(claim),
            judgement: None,
        })
        .collect();
    if makes_checks {
        let program = std::env::current_exe().context("cannot find this program");
        let mut runner = Runner::new(&program.map_err(Failure::Failed)?)?;
        let with_slow = args.slow || (by_name && !args.check);
        make_checks(&mut judged, &mut runner, with_slow);
    }
    output::print(&match args.output.json {
        true => json(&judged, makes_checks),
        false if args.check => checked(&judged),
        false if by_name => judged.iter().map(shown).collect(),
        false => listed(&ledger, &judged),
    })?;
    let wrong: Vec<&str> = judged.iter().filter(|one| !one.agrees()).map(id).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(Failure::Failed(anyhow!(
            "{} of the claims checked are not as the ledger says: {}",
            wrong.len(),
            wrong.join(", ")
        ))),
    }
}

/// The claims that are meant, each once, and whether one was named itself.
fn chosen<'a>(ledger: &'a Ledger, names: &[String]) -> Result<(Vec<&'a Claim>, bool), Failure> {
    if names.is_empty() {
        return Ok((ledger.claims().collect(), false));
    }
    let mut chosen: Vec<&Claim> = vec![];
    let mut by_name = false;
    for name in names {
        let meant: Vec<&Claim> = match ledger.paper(name) {
            Some(paper) => paper.claims.iter().collect(),
            None => {
                by_name = true;
                vec![ledger.claim(name)?]
            }
        };
        for claim in meant {
            if !chosen.iter().any(|known| known.id == claim.id) {
                chosen.push(claim);
            }
        }
    }
    Ok((chosen, by_name))
}

fn make_checks(judged: &mut [Judged], runner: &mut Runner, with_slow: bool) {
    let activity = Activity::quiet("checking claims");
    let all = judged.len();
    for (number, one) in (1..).zip(judged) {
        let claim = one.claim;
        if claim.checks.is_empty() || (claim.slow().is_some() && !with_slow) {
            continue;
        }
        activity.step(&format!("{} {}, {number} of {all}", claim.id, claim.name));
        one.judgement = Some(runner.judge(claim));
    }
}

fn id<'a>(judged: &Judged<'a>) -> &'a str {
    &judged.claim.id
}

impl Judged<'_> {
    fn agrees(&self) -> bool {
        match &self.judgement {
            None => true,
            Some(Ok(judgement)) => judgement.agrees,
            Some(Err(_)) => false,
        }
    }

    /// The verdict as it is shown: the ledger's, or why there is none.
    fn word(&self) -> String {
        match self.claim.missing {
            Some(_) => "missing".into(),
            None => self.claim.verdict.to_string(),
        }
    }

    fn findings(&self) -> Option<&[Finding]> {
        match &self.judgement {
            Some(Ok(judgement)) => Some(&judgement.findings),
            _ => None,
        }
    }
}

/// Widths of the columns before the claim: its number, section and verdict.
const ID: usize = 6;
const SECTION: usize = 19;
const VERDICT: usize = 15;

/// A paragraph whose lines all begin in this column.
fn indented(text: &str, column: usize) -> String {
    let margin = " ".repeat(column);
    let lines = wrapped(text, WIDTH - column);
    let lines: Vec<String> = lines
        .lines()
        .map(|line| format!("{margin}{line}\n"))
        .collect();
    lines.concat()
}

/// All claims, paper by paper, and how many there are of each kind.
fn listed(ledger: &Ledger, judged: &[Judged]) -> String {
    let mut text = String::new();
    for paper in &ledger.papers {
        let of_paper: Vec<&Judged> = judged
            .iter()
            .filter(|j| j.paper.name == paper.name)
            .collect();
        if of_paper.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{}: {}\n", paper.name, counted(&of_paper));
        text.extend(of_paper.into_iter().map(row));
        text.push('\n');
    }
    let all: Vec<&Judged> = judged.iter().collect();
    let _ = writeln!(text, "{}", counted(&all));
    text
}

/// A claim in the table: what decides it stands below.
fn row(one: &Judged) -> String {
    let Claim {
        id, section, claim, ..
    } = one.claim;
    let column = ID + SECTION + VERDICT;
    let body = indented(claim, column);
    let verdict = one.word();
    let head = format!("{id:<ID$}{section:<SECTION$}{verdict:<VERDICT$}");
    let mut text = head + body.trim_start();
    for what in decided_by(one.claim) {
        let _ = writeln!(text, "{}{what}", " ".repeat(column));
    }
    text
}

/// What decides a claim, each once.
fn decided_by(claim: &Claim) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for check in &claim.checks {
        let what = check.what.to_string();
        if !all.contains(&what) {
            all.push(what);
        }
    }
    all
}

/// The summary of some claims, in a line.
fn counted(judged: &[&Judged]) -> String {
    let counts = Counts::of(judged.iter().map(|one| one.claim));
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

/// Where what is said of a claim begins.
const SAID: usize = 11;

/// A claim, what decides it and what came of that.
fn shown(one: &Judged) -> String {
    let Claim {
        id,
        name,
        section,
        verdict,
        ..
    } = one.claim;
    let mut text = format!("{id} {name} ({}, {section})\n", one.paper.name);
    let mut say = |label: &str, said: &str| {
        let body = indented(said, SAID);
        let _ = write!(
            text,
            "  {label:<width$}{}",
            body.trim_start(),
            width = SAID - 2
        );
    };
    let claim = one.claim;
    say("claim", &claim.claim);
    if let Some(paper) = &claim.paper {
        say("paper", paper);
    }
    for (place, check) in claim.checks.iter().enumerate() {
        let finding = one.findings().and_then(|findings| findings.get(place));
        let label = if place == 0 { "here" } else { "" };
        say(label, &finding_words(check, finding));
    }
    match &one.judgement {
        Some(Ok(judgement)) if !judgement.agrees => {
            let computed = judgement
                .verdict
                .map_or_else(String::new, |v| v.to_string());
            say(
                "verdict",
                &format!("{computed}, and the ledger says {verdict}"),
            );
        }
        Some(Err(error)) => say("error", &told(error)),
        _ => say("verdict", &one.word()),
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

fn finding_words(check: &Check, finding: Option<&Finding>) -> String {
    let place = match check.place {
        Place::General => "claimed",
        Place::Condition => "on the condition",
    };
    let Check {
        what,
        figure,
        asserts,
        ..
    } = check;
    match finding {
        None => format!("{what}: {figure}, {place} {asserts}"),
        Some(Finding { found, holds }) => {
            let holds = if *holds { "holds" } else { "does not hold" };
            format!(
                "{what}: {figure} is {}; {place} {asserts}: {holds}",
                short(found)
            )
        }
    }
}

/// A figure as it is printed: of a long text its end, of many values the first.
fn short(found: &Value) -> String {
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

/// An error and its causes.
fn told(error: &CheckError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

/// What came of all checks: the claims that are not as the ledger says, and how many were.
fn checked(judged: &[Judged]) -> String {
    let mut text: String = judged
        .iter()
        .filter(|one| !one.agrees())
        .map(shown)
        .collect();
    let all: Vec<&Judged> = judged.iter().collect();
    let made = judged.iter().filter(|one| one.judgement.is_some()).count();
    let agree = judged
        .iter()
        .filter(|one| one.judgement.is_some() && one.agrees())
        .count();
    let slow = judged
        .iter()
        .filter(|one| one.judgement.is_none() && one.claim.slow().is_some())
        .count();
    let _ = writeln!(text, "{}", counted(&all));
    let _ = write!(
        text,
        "{agree} of {made} that were checked are as the ledger says"
    );
    if slow > 0 {
        let _ = write!(text, "; {slow} are slow and were left out (--slow)");
    }
    text.push('\n');
    text
}

fn json(judged: &[Judged], makes_checks: bool) -> String {
    let report = Report {
        counts: Counts::of(judged.iter().map(|one| one.claim)),
        agree: makes_checks.then(|| judged.iter().all(Judged::agrees)),
        claims: judged.iter().map(line).collect(),
    };
    serde_json::to_string(&report).expect("numbers and names are JSON") + "\n"
}

fn line<'a>(one: &Judged<'a>) -> Line<'a> {
    let claim = one.claim;
    let check = |(place, check): (usize, &Check)| {
        let finding = one.findings().and_then(|findings| findings.get(place));
        CheckLine {
            what: check.what.to_string(),
            figure: check.figure.to_string(),
            asserts: check.asserts.to_string(),
            under_condition: check.place == Place::Condition,
            found: finding.map(|finding| finding.found.clone()),
            holds: finding.map(|finding| finding.holds),
        }
    };
    let (computed, error) = match &one.judgement {
        Some(Ok(judgement)) => (judgement.verdict, None),
        Some(Err(error)) => (None, Some(told(error))),
        None => (None, None),
    };
    Line {
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
