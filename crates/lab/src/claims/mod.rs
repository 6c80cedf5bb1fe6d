//! Claims of the five papers and of the specification of StarC, with our verdicts.
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
mod ledger;

pub use figure::{Figure, MissingFigure, Pointer};
pub use ledger::{
    Check, Claim, ClaimForm, ClaimLedger, ClaimRelation, FigureSource, LedgerError, PaperClaims,
    UnknownClaim, Verdict,
};
use serde::Serialize;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use tempfile::TempDir;
use thiserror::Error;

// Runs the checks with this program or a computation.

/// File of the repository, with its path there.
macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../", $path)))
    };
}

/// Files that the commands read.
const FILES: [(&str, &str); 22] = [
    file!("examples/claims/at1.csv"),
    file!("examples/claims/at3.csv"),
    file!("examples/claims/hexagon.csv"),
    file!("examples/claims/hop1.csv"),
    file!("examples/claims/hop2.csv"),
    file!("examples/claims/lost.starc"),
    file!("examples/claims/never_ends.csv"),
    file!("examples/claims/numbers.csv"),
    file!("examples/claims/one_message.csv"),
    file!("examples/claims/route_message.c"),
    file!("examples/claims/sorted.csv"),
    file!("examples/claims/sum.csv"),
    file!("examples/claims/to_self.csv"),
    file!("examples/starc/compass.starc"),
    file!("examples/starc/life.starc"),
    file!("examples/starc/neighbours.starc"),
    file!("examples/starc/place.starc"),
    file!("examples/starc/prefix.starc"),
    file!("examples/starc/root.starc"),
    file!("examples/starc/statistics.starc"),
    file!("examples/traffic/one_link_twice.csv"),
    file!("examples/traffic/one_register.csv"),
];

/// Runs checks. Each command and each computation runs once.
pub struct CheckRunner {
    program: PathBuf,
    /// Working directory of the commands, with the files that they read.
    work_dir: TempDir,
    cache: BTreeMap<(FigureSource, bool), Rc<CheckOutput>>,
}

/// Output of a command or computation.
#[derive(Clone, Debug, Default)]
pub struct CheckOutput {
    /// Exit code; `None` if a signal ended the command. A computation has 0.
    pub exit: Option<i32>,
    /// Standard output.
    pub text: String,
    /// Standard error.
    pub errors: String,
    /// Output of a computation, or of a command with `--json`.
    pub json: Option<Value>,
}

/// Error: a check could not run.
#[derive(Debug, Error)]
pub enum CheckError {
    #[error("cannot prepare a directory for commands")]
    WorkDir(#[source] std::io::Error),
    #[error("cannot run `{command}`")]
    Run {
        command: String,
        #[source]
        source: std::io::Error,
    },
    #[error("`{command}` ends with {exit:?} and prints no JSON: {errors}")]
    NoJson { command: String, exit: Option<i32>, errors: String },
    #[error("{what}")]
    NoFigure {
        what: FigureSource,
        #[source]
        source: MissingFigure,
    },
}

impl CheckRunner {
    /// Creates a runner that runs this program.
    ///
    /// # Errors
    /// If the files that commands read cannot be written.
    pub fn new(program: &Path) -> Result<Self, CheckError> {
        let place = TempDir::new().map_err(CheckError::WorkDir)?;
        for (path, text) in FILES {
            let path = place.path().join(path);
            let folder = path.parent().unwrap_or(place.path());
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, text))
                .map_err(CheckError::WorkDir)?;
        }
        Ok(CheckRunner { program: program.to_owned(), work_dir: place, cache: BTreeMap::new() })
    }

    /// Runs all checks of a claim.
    ///
    /// # Errors
    /// If a check cannot run.
    pub fn check_claim(&mut self, claim: &Claim) -> Result<Judgement, CheckError> {
        let findings = claim.checks.iter().map(|check| self.run_check(check));
        Ok(Judgement::of(claim, findings.collect::<Result<_, _>>()?))
    }

    /// Runs one check.
    ///
    /// # Errors
    /// If the check cannot run, for example because the command prints no JSON or the pointer has
    /// no target.
    pub fn run_check(&mut self, check: &Check) -> Result<CheckResult, CheckError> {
        let output = self.cached_output(&check.source, check.figure.is_in_json())?;
        let found = match (&check.figure, &output.json) {
            (Figure::Exit, _) => json!(output.exit),
            (Figure::Output, _) => json!(output.text.clone() + &output.errors),
            (figure, Some(value)) => figure
                .evaluate(value)
                .map_err(|source| CheckError::NoFigure { what: check.source.clone(), source })?,
            (_, None) => {
                return Err(CheckError::NoJson {
                    command: check.source.to_string(),
                    exit: output.exit,
                    errors: output.errors.trim().to_owned(),
                })
            }
        };
        Ok(CheckResult { holds: check.asserts.holds(&found), found })
    }

    /// Returns the output, from the cache if it already ran.
    fn cached_output(
        &mut self,
        what: &FigureSource,
        json: bool,
    ) -> Result<Rc<CheckOutput>, CheckError> {
        let key = (what.clone(), json);
        if let Some(output) = self.cache.get(&key) {
            return Ok(output.clone());
        }
        let output = Rc::new(match what {
            FigureSource::Command(words) => self.run(words, json)?,
            FigureSource::Computation(name) => CheckOutput {
                exit: Some(0),
                json: computations::named(name).map(|compute| compute()),
                ..CheckOutput::default()
            },
        });
        self.cache.insert(key, output.clone());
        Ok(output)
    }

    fn run(&self, words: &str, json: bool) -> Result<CheckOutput, CheckError> {
        let mut command = Command::new(&self.program);
        // Explanations are not part of the output.
        command.args(words.split_whitespace()).arg("--quiet");
        if json {
            command.arg("--json");
        }
        let done = command
            .current_dir(self.work_dir.path())
            .stdin(Stdio::null())
            .output()
            .map_err(|source| CheckError::Run { command: words.to_owned(), source })?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(CheckOutput {
            exit: done.status.code(),
            json: match json {
                true => serde_json::from_slice(&done.stdout).ok(),
                false => None,
            },
            text: text(&done.stdout),
            errors: text(&done.stderr),
        })
    }
}

// Results of the checks of a claim.

/// A check with the figure that was found, and whether it agrees with the claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckResult {
    /// Computed figure.
    pub found: Value,
    /// Whether the figure agrees with the claim.
    pub holds: bool,
}

/// Results of all checks of a claim, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub results: Vec<CheckResult>,
    /// Computed verdict; `None` if there are no checks.
    pub verdict: Option<Verdict>,
    /// Whether the results are consistent with the ledger.
    pub agrees: bool,
}

impl Judgement {
    /// Computes the verdict. A claim is true if it holds as printed. A claim that holds only under
    /// its condition is conditional. Any other claim is false.
    pub fn of(claim: &Claim, findings: Vec<CheckResult>) -> Self {
        let holds = |place| {
            let all = claim.checks.iter().zip(&findings);
            let mut of_place = all.filter(|(check, _)| check.form == place).peekable();
            of_place.peek()?;
            Some(of_place.all(|(_, finding)| finding.holds))
        };
        let verdict = match (holds(ClaimForm::General), holds(ClaimForm::Condition)) {
            (None, _) => None,
            (Some(true), _) => Some(Verdict::True),
            (Some(false), Some(true)) => Some(Verdict::Conditional),
            (Some(false), _) => Some(Verdict::False),
        };
        Judgement {
            results: findings,
            verdict,
            agrees: verdict.is_none_or(|verdict| verdict == claim.verdict),
        }
    }
}

/// Number of claims of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct ClaimCounts {
    pub claims: usize,
    /// Claims decided by a check.
    pub r#true: usize,
    pub r#false: usize,
    pub conditional: usize,
    pub not_checkable: usize,
    /// Claims that could be decided but have no check yet.
    pub missing: usize,
    /// Decided claims whose checks are slow.
    pub slow: usize,
}

impl ClaimCounts {
    pub fn of<'a>(claims: impl IntoIterator<Item = &'a Claim>) -> Self {
        let mut counts = ClaimCounts::default();
        for claim in claims {
            counts.claims += 1;
            counts.slow += usize::from(claim.slow().is_some());
            let kind = match claim.verdict {
                _ if claim.missing.is_some() => &mut counts.missing,
                Verdict::True => &mut counts.r#true,
                Verdict::False => &mut counts.r#false,
                Verdict::Conditional => &mut counts.conditional,
                Verdict::NotCheckable => &mut counts.not_checkable,
            };
            *kind += 1;
        }
        counts
    }
}
