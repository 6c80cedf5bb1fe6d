//! Results of proofs, as a table and as JSON.

use super::{EmittedCircuits, ProofCase, ProofError, ProofMutant, Property};
use crate::report::{wrapped, WIDTH};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use toolchain::{Method, Proof, ProofFinding, Toolchain};

/// Result of one proof or one mutant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofRecord {
    pub name: &'static str,
    pub sentence: &'static str,
    /// Top modules of the circuits, or `model` if the property has no circuit.
    pub block: String,
    pub sizes: &'static str,
    /// Fault of the circuits, or missing assumption. `None` in a proof.
    pub mutant: Option<&'static str>,
    /// Method: `induction` or `depth`.
    pub method: &'static str,
    /// Number of clock cycles of the method.
    pub clock_cycles: u32,
    /// Duration of the original tool runs in seconds.
    pub seconds: f64,
    pub verdict: &'static str,
    /// True if the verdict is as required: a proof holds, a mutant fails.
    pub as_it_must_be: bool,
    /// First failed assertion, and the clock cycle of the failure.
    pub fails: Option<(String, u32)>,
    /// Run in which the property fails, as a waveform (VCD).
    pub wave: Option<PathBuf>,
}

impl ProofRecord {
    /// Proves a case.
    ///
    /// # Errors
    /// As [`Property::prove`].
    pub(super) fn prove_case(
        tools: &Toolchain,
        property: &Property,
        case: &ProofCase,
        work_dir: &Path,
    ) -> Result<ProofRecord, ProofError> {
        let circuits = case.emit()?;
        let proof = property.prove(tools, case, &circuits, work_dir)?;
        let must = proof.finding == ProofFinding::Holds;
        let verdict = property.verdict(&proof.finding);
        let of = (property, case, property.method);
        Ok(ProofRecord::new(of, circuits, proof, verdict, must))
    }

    /// Tries a mutant.
    ///
    /// # Errors
    /// As [`Property::try_mutant`].
    pub(super) fn try_mutant(
        tools: &Toolchain,
        property: &Property,
        mutant: &ProofMutant,
        work_dir: &Path,
    ) -> Result<ProofRecord, ProofError> {
        let case = &property.cases[0];
        let circuits = case.emit()?;
        let proof = property.try_mutant(tools, mutant, &circuits, work_dir)?;
        let must = matches!(proof.finding, ProofFinding::Fails { .. });
        let verdict = if must { "fails, as it must" } else { "LIVES" };
        let of = (property, case, Method::Depth(property.mutants_within));
        Ok(ProofRecord {
            mutant: Some(mutant.description),
            ..ProofRecord::new(of, circuits, proof, verdict, must)
        })
    }

    fn new(
        (property, case, method): (&Property, &ProofCase, Method),
        circuits: EmittedCircuits,
        proof: Proof,
        verdict: &'static str,
        as_it_must_be: bool,
    ) -> ProofRecord {
        let (method, clock_cycles) = match method {
            Method::Induction(cycles) => ("induction", cycles),
            Method::Depth(cycles) => ("depth", cycles),
        };
        let (fails, wave) = match proof.finding {
            ProofFinding::Holds => (None, None),
            ProofFinding::Fails {
                assertion,
                clock_cycle,
                wave,
            } => (Some((assertion, clock_cycle)), Some(wave)),
            ProofFinding::Open { wave } => (None, Some(wave)),
        };
        ProofRecord {
            name: property.name,
            sentence: property.sentence,
            block: circuits.names,
            sizes: case.sizes,
            mutant: None,
            method,
            clock_cycles,
            seconds: proof.seconds,
            verdict,
            as_it_must_be,
            fails,
            wave,
        }
    }
}

/// Results of several proofs. Prints as a table, with each proof's sentence under its line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofTable {
    /// Tools of the proofs.
    pub tools: Vec<String>,
    pub proofs: Vec<ProofRecord>,
}

impl ProofTable {
    /// Records whose verdict is not as required.
    pub fn unexpected(&self) -> impl Iterator<Item = &ProofRecord> {
        self.proofs.iter().filter(|record| !record.as_it_must_be)
    }
}

/// Indentation of a text below a line of the table.
const INDENT: &str = "    ";

/// Wraps and indents a text.
fn indented(text: &str) -> String {
    let lines = wrapped(text, WIDTH - INDENT.len());
    lines
        .lines()
        .map(|line| format!("{INDENT}{line}\n"))
        .collect()
}

impl fmt::Display for ProofTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = ["name", "block", "sizes", "method", "time", "verdict"];
        let rows = self.proofs.iter().map(|record| {
            [
                record.name.to_owned(),
                record.block.clone(),
                record.sizes.to_owned(),
                format!("{} {}", record.method, record.clock_cycles),
                format!("{:.0} s", record.seconds),
                record.verdict.to_owned(),
            ]
        });
        let rows: Vec<[String; 6]> = rows.collect();
        let heads = headings.map(String::from);
        let widths: [usize; 6] = std::array::from_fn(|i| {
            let all = rows.iter().chain([&heads]);
            all.map(|row| row[i].chars().count()).max().unwrap_or(0)
        });
        let line = |f: &mut fmt::Formatter<'_>, cells: &[String; 6]| {
            let cells = cells.iter().zip(widths);
            let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            writeln!(f, "{}", line.trim_end())
        };
        line(f, &heads)?;
        let mut said = "";
        for (record, row) in self.proofs.iter().zip(&rows) {
            line(f, row)?;
            if let Some(mutant) = record.mutant {
                f.write_str(&indented(&format!("If {mutant}.")))?;
            } else if said != record.name {
                f.write_str(&indented(record.sentence))?;
            }
            said = record.name;
            if let Some((assertion, clock_cycle)) = &record.fails {
                writeln!(f, "    Fails: {assertion}, in clock cycle {clock_cycle}.")?;
            }
            if let Some(wave) = &record.wave {
                writeln!(f, "    Wave: {}", wave.display())?;
            }
        }
        writeln!(f, "\nMade with {}.", self.tools.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_wrapped() {
        let text = "word ".repeat(60);
        let lines = indented(&text);
        assert!(lines
            .lines()
            .all(|l| l.starts_with("    word") && l.len() <= WIDTH));
        assert_eq!(lines.split_whitespace().count(), 60);
    }
}
