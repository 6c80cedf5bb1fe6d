//! Results of the checks of a claim.

use super::{Claim, ClaimForm, Verdict};
use serde::Serialize;
use serde_json::Value;

/// Result of one check.
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
