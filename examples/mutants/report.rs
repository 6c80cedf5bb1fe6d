//! What became of the faults.

use super::choice::Chosen;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result, Write};

/// What became of a fault.
#[derive(Serialize, Deserialize, Clone)]
pub enum Outcome {
    /// By this test.
    Killed(String),
    /// These tests came by it, and passed.
    Survived(Vec<String>),
    /// Nothing can tell it, and why.
    Equivalent(String),
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Outcome::Killed(by) => write!(f, "killed by {by}"),
            Outcome::Survived(asked) => write!(f, "SURVIVED {}", asked.join(", ")),
            Outcome::Equivalent(reason) => write!(f, "equivalent: {reason}"),
        }
    }
}

#[derive(Default, Clone, Copy)]
struct Counts {
    faults: usize,
    killed: usize,
    survived: usize,
    equivalent: usize,
}

impl Counts {
    fn count(&mut self, outcome: &Outcome) {
        self.faults += 1;
        match outcome {
            Outcome::Killed(_) => self.killed += 1,
            Outcome::Survived(_) => self.survived += 1,
            Outcome::Equivalent(_) => self.equivalent += 1,
        }
    }

    fn row(self, place: &str) -> String {
        let told = self.killed + self.survived;
        let percent = match told {
            0 => "-".into(),
            _ => format!("{:.1}", 100.0 * self.killed as f64 / told as f64),
        };
        format!(
            "{place:<44} {:>6} {:>6} {:>8} {:>10} {percent:>6}\n",
            self.faults, self.killed, self.survived, self.equivalent
        )
    }
}

/// The table, a line for each block or file, a sum for each part.
pub fn table(chosen: &[Chosen], outcomes: &[Outcome]) -> String {
    let mut places: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    let mut parts: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for (fault, outcome) in chosen.iter().zip(outcomes) {
        places
            .entry((fault.part, &fault.place))
            .or_default()
            .count(outcome);
        parts.entry(fault.part).or_default().count(outcome);
        all.count(outcome);
    }
    let mut text = format!(
        "\n{:<44} {:>6} {:>6} {:>8} {:>10} {:>6}\n",
        "block or file", "faults", "killed", "survived", "equivalent", "%"
    );
    for (part, counts) in parts {
        for ((_, place), counts) in places.iter().filter(|((of, _), _)| *of == part) {
            text += &counts.row(place);
        }
        text += &counts.row(&format!("= {part}"));
    }
    text += &all.row("= all");
    let survivors = chosen.iter().zip(outcomes);
    for (fault, _) in survivors.filter(|(_, outcome)| matches!(outcome, Outcome::Survived(_))) {
        writeln!(text, "survived: {}", fault.name).expect("it is a string");
    }
    text
}
