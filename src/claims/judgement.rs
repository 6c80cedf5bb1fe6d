//! What came of the checks of a claim.

use super::{Claim, Place, Verdict};
use serde::Serialize;
use serde_json::Value;

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The figure here.
    pub found: Value,
    /// Whether it is as the claim says.
    pub holds: bool,
}

/// What came of all checks of a claim, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub findings: Vec<Finding>,
    /// The verdict that they make; `None` if there are no checks.
    pub verdict: Option<Verdict>,
    /// They do not contradict the ledger.
    pub agrees: bool,
}

impl Judgement {
    /// The verdict is computed: true if the claim holds as it stands, conditional if it does
    /// not but does under its condition, else false.
    pub fn of(claim: &Claim, findings: Vec<Finding>) -> Self {
        let holds = |place| {
            let all = claim.checks.iter().zip(&findings);
            let mut of_place = all.filter(|(check, _)| check.place == place).peekable();
            of_place.peek()?;
            Some(of_place.all(|(_, finding)| finding.holds))
        };
        let verdict = match (holds(Place::General), holds(Place::Condition)) {
            (None, _) => None,
            (Some(true), _) => Some(Verdict::True),
            (Some(false), Some(true)) => Some(Verdict::Conditional),
            (Some(false), _) => Some(Verdict::False),
        };
        Judgement {
            findings,
            verdict,
            agrees: verdict.is_none_or(|verdict| verdict == claim.verdict),
        }
    }
}

/// How many claims there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Counts {
    pub claims: usize,
    /// Decided by a check.
    pub r#true: usize,
    pub r#false: usize,
    pub conditional: usize,
    pub not_checkable: usize,
    /// They could be decided, and nothing does yet.
    pub missing: usize,
    /// Of those that are decided, the ones whose checks are slow.
    pub slow: usize,
}

impl Counts {
    pub fn of<'a>(claims: impl IntoIterator<Item = &'a Claim>) -> Self {
        let mut counts = Counts::default();
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
