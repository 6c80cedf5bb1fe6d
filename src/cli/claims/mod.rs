//! `phasecube claims`: lists the claims of the papers with their verdicts.

mod json;
mod text;

use super::{output, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use lab::claims::{
    CheckError, CheckResult, CheckRunner, Claim, ClaimLedger, Judgement, PaperClaims,
};
use machine::flags::OutputFlags;
use std::fmt::Write;
use toolchain::progress::ProgressStep;

/// List the claims of the five papers, and check them
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

/// Prints the ledger, or runs the checks of its claims.
pub fn claims(args: &ClaimsArgs) -> Result<(), CliError> {
    let ledger = ClaimLedger::standard()?;
    let (chosen, by_name) = selected_claims(&ledger, &args.names)?;
    let makes_checks = args.check || by_name;
    let mut judged: Vec<CheckedClaim> = chosen
        .into_iter()
        .map(|claim| CheckedClaim {
            claim,
            paper: ledger.paper_of(claim),
            judgement: None,
        })
        .collect();
    if makes_checks {
        let program = std::env::current_exe().context("cannot find this program");
        let mut runner = CheckRunner::new(&program.map_err(CliError::Failed)?)?;
        let with_slow = args.slow || (by_name && !args.check);
        run_checks(&mut judged, &mut runner, with_slow);
    }
    output::print(&match args.output.json {
        true => json::json(&judged, makes_checks),
        false if args.check => text::checks_text(&judged),
        false if by_name => judged.iter().map(text::claim_text).collect(),
        false => text::ledger_text(&ledger, &judged),
    })?;
    let wrong: Vec<&str> = judged.iter().filter(|one| !one.agrees()).map(id).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(CliError::Failed(anyhow!(
            "{} of the checked claims differ from the ledger: {}",
            wrong.len(),
            wrong.join(", ")
        ))),
    }
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
