//! Ledger data: every claim of every paper.

use super::{computations, Figure};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use strsim::jaro_winkler;
use thiserror::Error;

/// All papers, in display order.
#[derive(Clone, Debug)]
pub struct ClaimLedger {
    pub papers: Vec<PaperClaims>,
}

/// One file of the ledger: a paper and its claims, in the order of the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperClaims {
    /// Name of the paper in this project: `tdma-hypercube`.
    pub name: String,
    /// Prefix of its claim numbers: `TD`.
    pub prefix: String,
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
}

/// Claim of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Number of the claim: `TD18`.
    pub id: String,
    /// Unique name of the claim: `tdma-example-hops`.
    pub name: String,
    /// Section of the paper.
    pub section: String,
    /// Statement of the claim in our words.
    pub claim: String,
    /// Figure printed in the paper.
    pub paper: Option<String>,
    /// Our verdict.
    pub verdict: Verdict,
    /// Condition under which a conditional claim holds.
    pub condition: Option<String>,
    /// Reason why a claim cannot be checked.
    pub why: Option<String>,
    /// Further remarks. For a false claim, the correct statement.
    pub note: Option<String>,
    /// Check that could decide the claim, if no check does yet.
    pub missing: Option<String>,
    /// Checks that decide the claim.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// Verdict on a claim: ours in the ledger, or the computed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    True,
    False,
    /// False as printed, but true under a condition that the paper omits.
    Conditional,
    /// History, prices, physics or opinion, which this program cannot decide.
    NotCheckable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::True => "true",
            Verdict::False => "false",
            Verdict::Conditional => "conditional",
            Verdict::NotCheckable => "not checkable",
        })
    }
}

/// Check: a figure, its source, and the relation that the claim states for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "CheckEntry")]
pub struct Check {
    pub source: FigureSource,
    pub figure: Figure,
    pub asserts: ClaimRelation,
    pub form: ClaimForm,
    /// Reason why the check is slow: over a minute, or it needs a tool. `--check` skips it.
    pub slow: Option<String>,
}

/// Check as written in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckEntry {
    command: Option<String>,
    compute: Option<String>,
    figure: Figure,
    asserts: ClaimRelation,
    #[serde(default, rename = "where")]
    form: ClaimForm,
    slow: Option<String>,
}

impl TryFrom<CheckEntry> for Check {
    type Error = &'static str;

    fn try_from(entry: CheckEntry) -> Result<Self, Self::Error> {
        let what = match (entry.command, entry.compute) {
            (Some(words), None) => FigureSource::Command(words),
            (None, Some(name)) => FigureSource::Computation(name),
            _ => return Err("a check is a command or a computation"),
        };
        Ok(Check {
            source: what,
            figure: entry.figure,
            asserts: entry.asserts,
            form: entry.form,
            slow: entry.slow,
        })
    }
}

/// A command of this program or a computation, whose output contains the figure of a check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FigureSource {
    /// Arguments of this program, without the program name and without `--json`.
    Command(String),
    /// Name of a computation in [`computations`].
    Computation(String),
}

/// Form of the claim that a check tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimForm {
    /// Claim as printed in the paper.
    #[default]
    General,
    /// Claim under its condition.
    Condition,
}

/// Reason for which a file of the ledger cannot be used.
#[derive(Debug, Error)]
pub enum LedgerError {
    #[error("the ledger cannot be read")]
    Toml(#[from] toml::de::Error),
    #[error("{claim}: {fault}")]
    Fault { claim: String, fault: String },
}

/// Error: no claim or paper has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no claim or paper {wanted:?}; the nearest are {}", near.join(", "))]
pub struct UnknownClaim {
    pub wanted: String,
    pub near: Vec<String>,
}

const PAPERS: [&str; 6] = [
    include_str!("tdma_hypercube.toml"),
    include_str!("cm1_message_router.toml"),
    include_str!("torus_routing_chip.toml"),
    include_str!("minimal_rotation.toml"),
    include_str!("metacube_total_exchange.toml"),
    include_str!("starc.toml"),
];

/// Number of similar names shown for an unknown name.
const NEAREST_MAX: usize = 4;

impl ClaimLedger {
    /// Returns the ledger of this project.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn standard() -> Result<Self, LedgerError> {
        Self::parse(&PAPERS)
    }

    /// Parses a ledger from one text per paper.
    ///
    /// # Errors
    /// If a text is not TOML of this form, a claim is out of order, or the data of a claim is
    /// incomplete or contradictory.
    pub fn parse(papers: &[&str]) -> Result<Self, LedgerError> {
        let read = |text: &&str| toml::from_str::<PaperClaims>(text);
        let papers: Vec<PaperClaims> = papers.iter().map(read).collect::<Result<_, _>>()?;
        let ledger = ClaimLedger { papers };
        ledger.check()?;
        Ok(ledger)
    }

    fn check(&self) -> Result<(), LedgerError> {
        let mut names = BTreeSet::new();
        for paper in &self.papers {
            for (number, claim) in (1..).zip(&paper.claims) {
                let expected = format!("{}{number}", paper.prefix);
                let fault = match claim.problem() {
                    _ if claim.id != expected => Some(format!("its id should be {expected}")),
                    _ if !names.insert(&claim.name) => Some(format!("{:?} is twice", claim.name)),
                    fault => fault,
                };
                if let Some(fault) = fault {
                    let claim = claim.id.clone();
                    return Err(LedgerError::Fault { claim, fault });
                }
            }
        }
        Ok(())
    }

    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.papers.iter().flat_map(|paper| &paper.claims)
    }

    /// Returns the paper of a claim.
    pub fn paper_of(&self, claim: &Claim) -> &PaperClaims {
        let has = |paper: &&PaperClaims| paper.claims.iter().any(|c| c.id == claim.id);
        let paper = self.papers.iter().find(has);
        paper.expect("claims are of a paper")
    }

    /// Returns the paper of this name.
    pub fn paper(&self, name: &str) -> Option<&PaperClaims> {
        self.papers.iter().find(|paper| paper.name == name)
    }

    /// Returns the claim with this id, in lower or upper case, or with this name.
    ///
    /// # Errors
    /// If there is no such claim. The error lists the most similar names.
    pub fn claim(&self, word: &str) -> Result<&Claim, UnknownClaim> {
        let called =
            |claim: &&Claim| claim.id.eq_ignore_ascii_case(word) || claim.name.as_str() == word;
        self.claims().find(called).ok_or_else(|| self.unknown_claim(word))
    }

    fn unknown_claim(&self, word: &str) -> UnknownClaim {
        let papers = self.papers.iter().map(|paper| paper.name.as_str());
        let claims = self.claims().flat_map(|c| [c.id.as_str(), c.name.as_str()]);
        let mut near: Vec<&str> = papers.chain(claims).collect();
        let upper = word.to_uppercase();
        let nearness = |name: &str| jaro_winkler(word, name).max(jaro_winkler(&upper, name));
        near.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)).then(a.cmp(b)));
        near.truncate(NEAREST_MAX);
        UnknownClaim {
            wanted: word.to_owned(),
            near: near.into_iter().map(str::to_owned).collect(),
        }
    }
}

impl Claim {
    /// Reason why `--check` skips the claim; `None` if none of its checks is slow.
    pub fn slow(&self) -> Option<&str> {
        self.checks.iter().find_map(|check| check.slow.as_deref())
    }

    /// Returns the checks of this form.
    pub fn checks_of(&self, place: ClaimForm) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.form == place)
    }

    /// Returns the missing or superfluous data of the claim; `None` if the claim is well formed.
    fn problem(&self) -> Option<String> {
        let checkable = self.verdict != Verdict::NotCheckable;
        let conditional = self.verdict == Verdict::Conditional;
        let fault = if checkable == self.why.is_some() {
            "one that is not checkable says why, and no other"
        } else if conditional != self.condition.is_some() {
            "a conditional one has a condition, and no other"
        } else if checkable == (self.checks.is_empty() && self.missing.is_none()) {
            "one that is checkable has checks, or says what is missing, and no other"
        } else if !self.checks.is_empty() && self.missing.is_some() {
            "what has checks is not missing"
        } else if !self.checks.is_empty() && self.checks_of(ClaimForm::General).next().is_none() {
            "a check is of the claim as it stands"
        } else if conditional != self.checks_of(ClaimForm::Condition).next().is_some()
            && self.missing.is_none()
        {
            "a conditional one is checked under its condition, and no other"
        } else {
            return self.checks.iter().find_map(Check::problem);
        };
        Some(fault.to_owned())
    }
}

impl Check {
    fn problem(&self) -> Option<String> {
        match &self.source {
            FigureSource::Computation(name) if computations::named(name).is_none() => {
                Some(format!("there is no computation {name:?}"))
            }
            FigureSource::Computation(_) if !self.figure.is_in_json() => {
                Some("a computation has no exit code and no text".to_owned())
            }
            _ => None,
        }
    }
}

impl fmt::Display for FigureSource {
    /// Formats the source as a command line, or as the name of the computation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FigureSource::Command(words) => f.write_str(words),
            FigureSource::Computation(name) => write!(f, "computed: {name}"),
        }
    }
}

// Relations that a claim states for a figure: `= 10`, `in 90..95`.

/// Relation between the computed figure and the value in the claim.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimRelation {
    /// `= 10`, `= [1,2]`, `= true`.
    Is(Value),
    /// `!= 10`.
    IsNot(Value),
    /// `< 10`.
    Below(f64),
    /// `<= 10`.
    AtMost(f64),
    /// `> 10`.
    Above(f64),
    /// `>= 10`.
    AtLeast(f64),
    /// `in 90..95`, with both ends included.
    Within(f64, f64),
    /// `has TEXT`: the figure contains the text.
    Contains(String),
}

/// Accepted forms, for errors.
const ACCEPTED: &str = "accepted: = V, != V, < N, <= N, > N, >= N, in N..N, has TEXT";

impl ClaimRelation {
    /// Parses a relation.
    ///
    /// # Errors
    /// Reason why the text is no relation, and the accepted forms.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a relation; {ACCEPTED}");
        let (sign, rest) = text.split_once(' ').ok_or_else(bad)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| bad());
        let value = || serde_json::from_str(rest).map_err(|_| bad());
        Ok(match sign {
            "=" => ClaimRelation::Is(value()?),
            "!=" => ClaimRelation::IsNot(value()?),
            "<" => ClaimRelation::Below(number(rest)?),
            "<=" => ClaimRelation::AtMost(number(rest)?),
            ">" => ClaimRelation::Above(number(rest)?),
            ">=" => ClaimRelation::AtLeast(number(rest)?),
            "in" => {
                let (least, most) = rest.split_once("..").ok_or_else(bad)?;
                ClaimRelation::Within(number(least)?, number(most)?)
            }
            "has" => ClaimRelation::Contains(rest.to_owned()),
            _ => return Err(bad()),
        })
    }

    /// Whether the relation holds for a figure. For a figure that is not a number, only `=`, `!=`
    /// and `has` can hold.
    pub fn holds(&self, figure: &Value) -> bool {
        let number = figure.as_f64();
        let is = |check: &dyn Fn(f64) -> bool| number.is_some_and(check);
        match self {
            ClaimRelation::Is(value) => values_equal(figure, value),
            ClaimRelation::IsNot(value) => !values_equal(figure, value),
            ClaimRelation::Below(most) => is(&|n| n < *most),
            ClaimRelation::AtMost(most) => is(&|n| n <= *most),
            ClaimRelation::Above(least) => is(&|n| n > *least),
            ClaimRelation::AtLeast(least) => is(&|n| n >= *least),
            ClaimRelation::Within(least, most) => is(&|n| (*least..=*most).contains(&n)),
            ClaimRelation::Contains(text) => {
                figure.as_str().is_some_and(|found| found.contains(text))
            }
        }
    }
}

/// Whether two values are equal. A number may be written as 8 or as 8.0.
fn values_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| values_equal(a, b))
        }
        _ => a == b,
    }
}

impl fmt::Display for ClaimRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimRelation::Is(value) => write!(f, "= {value}"),
            ClaimRelation::IsNot(value) => write!(f, "!= {value}"),
            ClaimRelation::Below(most) => write!(f, "< {most}"),
            ClaimRelation::AtMost(most) => write!(f, "<= {most}"),
            ClaimRelation::Above(least) => write!(f, "> {least}"),
            ClaimRelation::AtLeast(least) => write!(f, ">= {least}"),
            ClaimRelation::Within(least, most) => write!(f, "in {least}..{most}"),
            ClaimRelation::Contains(text) => write!(f, "has {text}"),
        }
    }
}

impl<'de> Deserialize<'de> for ClaimRelation {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        ClaimRelation::parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::ClaimRelation;
    use serde_json::{json, Value};

    fn holds(relation: &str, figure: Value) -> bool {
        let relation = ClaimRelation::parse(relation).unwrap();
        assert_eq!(ClaimRelation::parse(&relation.to_string()), Ok(relation.clone()));
        relation.holds(&figure)
    }

    /// Tests each relation on both sides of its limit.
    #[test]
    fn relations_hold_up_to_their_limits() {
        for (relation, holding, failing) in [
            ("= 10", json!(10.0), json!(9)),
            ("= [1,2]", json!([1, 2]), json!([1])),
            ("!= 10", json!(9), json!(10)),
            ("< 2", json!(1), json!(2)),
            ("<= 2", json!(2), json!(2.5)),
            ("> 2", json!(3), json!(2)),
            (">= 2", json!(2), json!(1)),
            ("in 1..2", json!(1), json!(2.1)),
            ("in 1..2", json!(2), json!(0.9)),
            ("has stands still", json!("it stands still"), json!("it goes")),
        ] {
            assert!(holds(relation, holding), "{relation}");
            assert!(!holds(relation, failing), "{relation}");
        }
    }

    #[test]
    fn numeric_relations_reject_non_numbers() {
        for relation in ["< 2", "<= 2", "> 2", ">= 2", "in 1..2"] {
            assert!(!holds(relation, json!("1")) && !holds(relation, Value::Null));
        }
    }

    #[test]
    fn invalid_relations_are_rejected() {
        for text in ["10", "~ 10", "< ten", "in 3", "= ten"] {
            assert!(ClaimRelation::parse(text).unwrap_err().contains("accepted: = V"));
        }
    }
}
