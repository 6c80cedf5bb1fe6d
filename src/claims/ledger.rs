//! The data: every claim of every paper.

use super::{computations, Figure, Relation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use strsim::jaro_winkler;
use thiserror::Error;

/// All papers, in the order in which they are shown.
#[derive(Clone, Debug)]
pub struct Ledger {
    pub papers: Vec<Paper>,
}

/// A paper and what it claims.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// What it is called here: `tdma-hypercube`.
    pub name: String,
    /// What the numbers of its claims begin with: `TD`.
    pub prefix: String,
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
}

/// One claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// `TD18`.
    pub id: String,
    /// `tdma-example-hops`, of this claim alone.
    pub name: String,
    /// Where it stands in the paper.
    pub section: String,
    /// What is claimed, in our words.
    pub claim: String,
    /// The figure that the paper gives.
    pub paper: Option<String>,
    /// What we hold of it.
    pub verdict: Verdict,
    /// Of a conditional one: what must hold for it.
    pub condition: Option<String>,
    /// Of one that cannot be checked: why.
    pub why: Option<String>,
    /// What is to be said besides, of a false one what is so.
    pub note: Option<String>,
    /// What would show it, where nothing does yet.
    pub missing: Option<String>,
    /// What decides it.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// What we hold of a claim, and what is computed of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    True,
    False,
    /// False as it stands, and true under a condition that the paper does not give.
    Conditional,
    /// History, prices, physics, opinion: nothing that this program could decide.
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

/// A figure, where it comes from, and what the claim says of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "CheckEntry")]
pub struct Check {
    pub what: What,
    pub figure: Figure,
    pub asserts: Relation,
    pub place: Place,
    /// Why it is slow: over a minute, or it needs a tool. `--check` leaves it out.
    pub slow: Option<String>,
}

/// A check as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckEntry {
    command: Option<String>,
    compute: Option<String>,
    figure: Figure,
    asserts: Relation,
    #[serde(default, rename = "where")]
    place: Place,
    slow: Option<String>,
}

impl TryFrom<CheckEntry> for Check {
    type Error = &'static str;

    fn try_from(entry: CheckEntry) -> Result<Self, Self::Error> {
        let what = match (entry.command, entry.compute) {
            (Some(words), None) => What::Command(words),
            (None, Some(name)) => What::Compute(name),
            _ => return Err("a check is a command or a computation"),
        };
        Ok(Check {
            what,
            figure: entry.figure,
            asserts: entry.asserts,
            place: entry.place,
            slow: entry.slow,
        })
    }
}

/// Where a figure comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A command of this program, without the program and without `--json`.
    Command(String),
    /// A computation of [`computations`].
    Compute(String),
}

/// Which form of the claim a check is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// As it stands in the paper.
    #[default]
    General,
    /// Under the condition of the claim.
    Condition,
}

/// A ledger that is none.
#[derive(Debug, Error)]
pub enum LedgerError {
    #[error("the ledger cannot be read")]
    Toml(#[from] toml::de::Error),
    #[error("{claim}: {fault}")]
    Fault { claim: String, fault: String },
}

/// No claim and no paper is called so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no claim or paper {wanted:?}; the nearest are {}", near.join(", "))]
pub struct Unknown {
    pub wanted: String,
    pub near: Vec<String>,
}

const PAPERS: [&str; 5] = [
    include_str!("tdma_hypercube.toml"),
    include_str!("cm1_message_router.toml"),
    include_str!("torus_routing_chip.toml"),
    include_str!("minimal_rotation.toml"),
    include_str!("metacube_total_exchange.toml"),
];

/// Names shown for one that does not exist.
const NEAR: usize = 4;

impl Ledger {
    /// The one of this project.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn standard() -> Result<Self, LedgerError> {
        Self::parse(&PAPERS)
    }

    /// Reads one, a text for each paper.
    ///
    /// # Errors
    /// If it is not TOML of this form, a claim is not in order, or says too much or too
    /// little to be decided.
    pub fn parse(papers: &[&str]) -> Result<Self, LedgerError> {
        let read = |text: &&str| toml::from_str::<Paper>(text);
        let papers: Vec<Paper> = papers.iter().map(read).collect::<Result<_, _>>()?;
        let ledger = Ledger { papers };
        ledger.check()?;
        Ok(ledger)
    }

    fn check(&self) -> Result<(), LedgerError> {
        let mut names = BTreeSet::new();
        for paper in &self.papers {
            for (number, claim) in (1..).zip(&paper.claims) {
                let expected = format!("{}{number}", paper.prefix);
                let fault = match claim.fault() {
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

    /// The paper of a claim.
    pub fn paper_of(&self, claim: &Claim) -> &Paper {
        let has = |paper: &&Paper| paper.claims.iter().any(|c| c.id == claim.id);
        let paper = self.papers.iter().find(has);
        paper.expect("claims are of a paper")
    }

    /// The paper of this name.
    pub fn paper(&self, name: &str) -> Option<&Paper> {
        self.papers.iter().find(|paper| paper.name == name)
    }

    /// The claim of this id, in small letters or capitals, or of this name.
    ///
    /// # Errors
    /// If there is none; with the names that come nearest.
    pub fn claim(&self, word: &str) -> Result<&Claim, Unknown> {
        let called =
            |claim: &&Claim| claim.id.eq_ignore_ascii_case(word) || claim.name.as_str() == word;
        self.claims().find(called).ok_or_else(|| self.unknown(word))
    }

    fn unknown(&self, word: &str) -> Unknown {
        let papers = self.papers.iter().map(|paper| paper.name.as_str());
        let claims = self.claims().flat_map(|c| [c.id.as_str(), c.name.as_str()]);
        let mut near: Vec<&str> = papers.chain(claims).collect();
        let upper = word.to_uppercase();
        let nearness = |name: &str| jaro_winkler(word, name).max(jaro_winkler(&upper, name));
        near.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)).then(a.cmp(b)));
        near.truncate(NEAR);
        Unknown {
            wanted: word.to_owned(),
            near: near.into_iter().map(str::to_owned).collect(),
        }
    }
}

impl Claim {
    /// Why `--check` leaves it out: one of its checks is slow.
    pub fn slow(&self) -> Option<&str> {
        self.checks.iter().find_map(|check| check.slow.as_deref())
    }

    /// Its checks of this form.
    pub fn checks_of(&self, place: Place) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.place == place)
    }

    /// What it says too much or too little.
    fn fault(&self) -> Option<String> {
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
        } else if !self.checks.is_empty() && self.checks_of(Place::General).next().is_none() {
            "a check is of the claim as it stands"
        } else if conditional != self.checks_of(Place::Condition).next().is_some()
            && self.missing.is_none()
        {
            "a conditional one is checked under its condition, and no other"
        } else {
            return self.checks.iter().find_map(Check::fault);
        };
        Some(fault.to_owned())
    }
}

impl Check {
    fn fault(&self) -> Option<String> {
        match &self.what {
            What::Compute(name) if computations::named(name).is_none() => {
                Some(format!("there is no computation {name:?}"))
            }
            What::Compute(_) if !self.figure.is_of_json() => {
                Some("a computation has no exit code and no text".to_owned())
            }
            _ => None,
        }
    }
}

impl fmt::Display for What {
    /// As a person would type it, or what is computed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Command(words) => f.write_str(words),
            What::Compute(name) => write!(f, "computed: {name}"),
        }
    }
}
