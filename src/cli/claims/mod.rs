//! `phasecube claims`: lists the claims of the papers with their verdicts.

mod json;
mod text;

use super::{output, Failure};
use crate::claims::{CheckError, Claim, Finding, Judgement, Ledger, Paper, Runner};
use crate::flags::OutputFlags;
use crate::toolchain::progress::Activity;
use anyhow::{anyhow, Context};
use clap::Args;
use std::fmt::Write;

/// Say what the five papers claim, and what is so
///
/// Without names, or with papers alone: all claims, each with its verdict and what decides it.
/// With claims: runs what decides them, and prints the paper's figure beside the one here. A
/// verdict is computed from these figures; one that differs from the ledger's fails.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube claims tdma-hypercube\n  phasecube claims TD18 cm1-stirling\n  phasecube claims --check"
)]
pub struct ClaimsArgs {
    /// Papers (tdma-hypercube), or claims by number (TD18) or name [default: all papers]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Run what decides all claims, or those of the papers that are named
    #[arg(long)]
    check: bool,
    /// With --check: run what is slow, too: over a minute, or with a tool
    #[arg(long, requires = "check")]
    slow: bool,
    #[command(flatten)]
    output: OutputFlags,
}

/// Claim with the result of its checks.
struct Judged<'a> {
    claim: &'a Claim,
    paper: &'a Paper,
    /// `None` if the checks did not run.
    judgement: Option<Result<Judgement, CheckError>>,
}

/// Prints the ledger, or runs the checks of its claims.
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
        true => json::json(&judged, makes_checks),
        false if args.check => text::checked(&judged),
        false if by_name => judged.iter().map(text::shown).collect(),
        false => text::listed(&ledger, &judged),
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

/// Returns the selected claims, each once, and whether a claim was selected by its own name.
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

    /// Formats the verdict of the ledger, or the reason why there is none.
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

/// Formats an error and its causes.
fn told(error: &CheckError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
