//! Outcomes of the faults.

use super::choice::SelectedFault;
use super::tests::Test;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result, Write};
use std::path::PathBuf;

/// Killed, survived or equivalent, with the test that decided it.
#[derive(Serialize, Deserialize, Clone)]
pub enum FaultOutcome {
    /// Detected by the named test, and whether that test is in the default tier.
    Killed { by: String, default_tier: bool },
    /// These tests reached it and passed.
    Survived(Vec<String>),
    /// No test can detect it, for this reason.
    Equivalent(String),
}

impl FaultOutcome {
    /// Makes the outcome of a fault that `test` detected. `how` is appended to the test's name.
    pub fn killed(test: &Test, how: &str) -> Self {
        FaultOutcome::Killed {
            by: format!("{} {}{how}", test.target, test.name),
            default_tier: test.default_tier,
        }
    }
}

impl Display for FaultOutcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            FaultOutcome::Killed { by, default_tier: true } => write!(f, "killed by {by}"),
            FaultOutcome::Killed { by, .. } => write!(f, "killed by {by} (thorough)"),
            FaultOutcome::Survived(tests) => write!(f, "SURVIVED {}", tests.join(", ")),
            FaultOutcome::Equivalent(reason) => write!(f, "equivalent: {reason}"),
        }
    }
}

/// Outcomes of earlier runs by the names of faults, stored in a file. They apply to the tree at the time of the run.
pub struct StoredOutcomes {
    path: PathBuf,
    outcomes: BTreeMap<String, FaultOutcome>,
}

impl StoredOutcomes {
    /// Reads the outcomes in the file. There are none if the file does not exist.
    pub fn open(path: PathBuf) -> anyhow::Result<Self> {
        let outcomes = match std::fs::read(&path) {
            Ok(json) => {
                serde_json::from_slice(&json).with_context(|| path.display().to_string())?
            }
            Err(_) => BTreeMap::new(),
        };
        Ok(StoredOutcomes { path, outcomes })
    }

    /// Returns the outcome of a fault, unless it survived, because tests may have been added.
    pub fn settled_outcome(&self, fault: &str) -> Option<FaultOutcome> {
        let outcome = self.outcomes.get(fault)?;
        (!matches!(outcome, FaultOutcome::Survived(_))).then(|| outcome.clone())
    }

    pub fn store(&mut self, fault: &str, outcome: &FaultOutcome) -> anyhow::Result<()> {
        self.outcomes.insert(fault.to_owned(), outcome.clone());
        let json = serde_json::to_vec_pretty(&self.outcomes)?;
        std::fs::write(&self.path, json).with_context(|| self.path.display().to_string())
    }
}

#[derive(Default, Clone, Copy)]
struct FaultCounts {
    faults: usize,
    killed: usize,
    /// Number of killed faults that the default tier kills.
    by_default: usize,
    survived: usize,
    equivalent: usize,
}

impl FaultCounts {
    fn count(&mut self, outcome: &FaultOutcome) {
        self.faults += 1;
        match outcome {
            FaultOutcome::Killed { default_tier, .. } => {
                self.killed += 1;
                self.by_default += usize::from(*default_tier);
            }
            FaultOutcome::Survived(_) => self.survived += 1,
            FaultOutcome::Equivalent(_) => self.equivalent += 1,
        }
    }

    fn row(self, place: &str) -> String {
        let detectable = self.killed + self.survived;
        let percent = |killed: usize| match detectable {
            0 => "-".into(),
            _ => format!("{:.1}", 100.0 * killed as f64 / detectable as f64),
        };
        format!(
            "{place:<44} {:>6} {:>6} {:>8} {:>10} {:>6} {:>9}\n",
            self.faults,
            self.killed,
            self.survived,
            self.equivalent,
            percent(self.killed),
            percent(self.by_default)
        )
    }
}

/// Returns the table: a line for each block or file, and a sum for each part.
pub fn table(chosen: &[SelectedFault], outcomes: &[FaultOutcome]) -> String {
    let mut places: BTreeMap<(&str, &str), FaultCounts> = BTreeMap::new();
    let mut parts: BTreeMap<&str, FaultCounts> = BTreeMap::new();
    let mut all = FaultCounts::default();
    for (fault, outcome) in chosen.iter().zip(outcomes) {
        places.entry((fault.part, &fault.place)).or_default().count(outcome);
        parts.entry(fault.part).or_default().count(outcome);
        all.count(outcome);
    }
    let mut text = format!(
        "\n{:<44} {:>6} {:>6} {:>8} {:>10} {:>6} {:>9}\n",
        "block or file", "faults", "killed", "survived", "equivalent", "%", "default %"
    );
    for (part, counts) in parts {
        for ((_, place), counts) in places.iter().filter(|((of, _), _)| *of == part) {
            text += &counts.row(place);
        }
        text += &counts.row(&format!("= {part}"));
    }
    text += &all.row("= all");
    let survivors = chosen.iter().zip(outcomes);
    for (fault, _) in survivors.filter(|(_, outcome)| matches!(outcome, FaultOutcome::Survived(_)))
    {
        writeln!(text, "survived: {}", fault.name).expect("it is a string");
    }
    text
}
