//! Formal proofs of statements about circuits for all inputs, on the emitted Verilog.
//!
//! A [`Property`] is data: a sentence, the circuits, a SystemVerilog file in `proofs/`, the proof
//! method, and its [`ProofMutant`]s. A mutant is a fault in the circuits or a missing assumption, and
//! must make the property fail. A proof that cannot fail proves nothing. `docs/proofs.md` explains
//! how to read and add a property. [`PROPERTIES`] has all of them.

mod properties;

use hdl::lower::LowerErrors;
use hdl::verilog;
use lockstep::design::Design;
use machine::text::{indented, text_width, write_paragraph, MarkdownTable};
pub use properties::PROPERTIES;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;
use toolchain::{Proof, ProofFinding, ProofMethod, Statement, ToolError, Toolchain};

// Statement about circuits, with its proof method and mutants.

/// Reason why a property could not be checked.
#[derive(Debug, Error)]
pub enum ProofError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("the mutant {what:?} of {property} replaces {from:?}, which stands {times} times in the Verilog; it must stand there once")]
    Mutant { property: String, what: String, from: String, times: usize },
}

/// Circuit with its sizes, ready to be lowered.
pub type CircuitFn = fn() -> Result<Design, LowerErrors>;

/// Macros of the property's file: names and values.
type Macros<'a> = Vec<(&'a str, u64)>;

/// Statement about circuits.
#[derive(Clone, Copy, Debug)]
pub struct Property<'a> {
    /// Name of lower-case letters, digits and dashes.
    pub name: &'a str,
    /// Statement and its assumptions in plain words.
    pub sentence: &'a str,
    /// File in `proofs/` with the statement.
    pub file: &'a str,
    /// Text of the file.
    pub text: &'a str,
    /// Circuits in the sizes of the proofs.
    pub cases: &'a [ProofCase<'a>],
    /// Proof method.
    pub method: ProofMethod,
    /// Mutants, each of which must make the property fail. `CLAIM_ONLY` is defined for them. With
    /// this macro the file leaves out assertions that only support the induction.
    pub mutants: &'a [ProofMutant<'a>],
    /// Number of clock cycles from the start within which every mutant fails.
    pub mutants_within: u32,
    /// True if each mutant takes a few seconds. Then the tests try all mutants, otherwise only the
    /// first.
    pub quick: bool,
}

/// Circuits in one size.
#[derive(Clone, Copy, Debug)]
pub struct ProofCase<'a> {
    /// Sizes in words: `4 wires`.
    pub sizes: &'a str,
    /// Circuits. Empty if the file of the property is a model by itself.
    pub circuits: &'a [CircuitFn],
    /// Macros of the property's file.
    pub defines: &'a [(&'a str, u64)],
}

/// Emitted circuits of a case.
#[derive(Clone, Debug)]
pub struct EmittedCircuits {
    /// Top modules, or `model` if there are none.
    pub names: String,
    /// All modules, each once.
    pub verilog: String,
}

/// Modification that must make a proof fail.
#[derive(Clone, Copy, Debug)]
pub struct ProofMutant<'a> {
    /// Description of the fault.
    pub description: &'a str,
    pub change: MutantChange<'a>,
}

/// Change that a mutant makes.
#[derive(Clone, Copy, Debug)]
pub enum MutantChange<'a> {
    /// Replaces this text, which occurs once in the Verilog of the first case.
    Verilog { from: &'a str, to: &'a str },
    /// Sets a macro of the property, so that an assumption is missing or a size is out of bounds.
    Define(&'a str, u64),
}

impl Property<'static> {
    /// Returns the property of this project with that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROPERTIES.iter().find(|p| p.name == name)
    }
}

impl<'a> Property<'a> {
    /// Proves one case, or reuses an earlier finding in `work_dir`.
    ///
    /// # Errors
    /// If a circuit cannot be lowered, or a tool is missing or rejects it.
    pub fn prove(
        &self,
        tools: &Toolchain,
        case: &ProofCase,
        circuits: &EmittedCircuits,
        work_dir: &Path,
    ) -> Result<Proof, ProofError> {
        let (verilog, method) = (&circuits.verilog, self.method);
        self.run_proof(tools, verilog, case.defines, method, work_dir)
    }

    /// Searches for a run from the start in which the property fails, with a mutant of the first
    /// case.
    ///
    /// # Errors
    /// If a circuit cannot be lowered, the mutant has nothing to replace, or a tool is missing or
    /// rejects it.
    pub fn try_mutant(
        &self,
        tools: &Toolchain,
        mutant: &ProofMutant<'a>,
        circuits: &EmittedCircuits,
        work_dir: &Path,
    ) -> Result<Proof, ProofError> {
        let (circuit, mut defines) = self.mutated(mutant, circuits)?;
        defines.push(("CLAIM_ONLY", 1));
        let method = ProofMethod::Depth(self.mutants_within);
        self.run_proof(tools, &circuit, &defines, method, work_dir)
    }

    /// Verilog of the first case with that mutant, and its macros.
    ///
    /// # Errors
    /// If the mutant has nothing to replace.
    pub fn mutated(
        &self,
        mutant: &ProofMutant<'a>,
        circuits: &EmittedCircuits,
    ) -> Result<(String, Macros<'a>), ProofError> {
        let mut circuit = circuits.verilog.clone();
        let mut defines = self.cases[0].defines.to_vec();
        match mutant.change {
            MutantChange::Verilog { from, to } => {
                let times = circuit.matches(from).count();
                if times != 1 {
                    return Err(ProofError::Mutant {
                        property: self.name.to_owned(),
                        what: mutant.description.to_owned(),
                        from: from.to_owned(),
                        times,
                    });
                }
                circuit = circuit.replace(from, to);
            }
            MutantChange::Define(name, value) => {
                defines.retain(|(other, _)| *other != name);
                defines.push((name, value));
            }
        }
        Ok((circuit, defines))
    }

    fn run_proof(
        &self,
        tools: &Toolchain,
        circuit: &str,
        defines: &[(&str, u64)],
        method: ProofMethod,
        work_dir: &Path,
    ) -> Result<Proof, ProofError> {
        let statement = Statement {
            name: self.name,
            circuit,
            file: self.file,
            property: self.text,
            defines,
            method,
        };
        Ok(tools.prove(&statement, work_dir)?)
    }

    /// Verdict in a word or two.
    pub fn verdict(&self, finding: &ProofFinding) -> &'static str {
        match (finding, self.method) {
            (ProofFinding::Holds, ProofMethod::Induction(_)) => "proved",
            (ProofFinding::Holds, ProofMethod::Depth(_)) => "holds so far",
            (ProofFinding::Fails { .. }, _) => "FAILS",
            (ProofFinding::Open { .. }, _) => "OPEN",
        }
    }
}

impl ProofCase<'_> {
    /// Emits the circuits as Verilog.
    ///
    /// # Errors
    /// If a circuit cannot be lowered.
    pub fn emit(&self) -> Result<EmittedCircuits, LowerErrors> {
        let designs = self.circuits.iter().map(|circuit| circuit());
        Ok(EmittedCircuits::of(&designs.collect::<Result<Vec<_>, _>>()?))
    }
}

impl EmittedCircuits {
    /// Emits circuits as Verilog.
    pub fn of(designs: &[Design]) -> Self {
        let (mut names, mut verilog) = (vec![], String::new());
        let mut seen = BTreeSet::new();
        for design in designs {
            let emitted = verilog::emit(design);
            names.push(emitted.top().to_owned());
            for module in emitted.modules {
                if seen.insert(module.text.clone()) {
                    verilog += &module.text;
                    verilog += "\n";
                }
            }
        }
        EmittedCircuits {
            names: match names.is_empty() {
                true => "model".into(),
                false => names.join(", "),
            },
            verilog,
        }
    }
}

// One proof or one mutant. Jobs are independent of each other, so they may run in parallel.

/// Task for the provers.
#[derive(Clone, Copy, Debug)]
pub enum ProofJob<'a> {
    /// Proves the property in one size.
    Case(&'a Property<'a>, &'a ProofCase<'a>),
    /// Checks that a mutant makes the property fail.
    Mutant(&'a Property<'a>, &'a ProofMutant<'a>),
}

impl<'a> ProofJob<'a> {
    /// Proof jobs for all sizes of a property.
    pub fn cases(property: &'a Property<'a>) -> Vec<Self> {
        let cases = property.cases.iter();
        cases.map(|case| ProofJob::Case(property, case)).collect()
    }

    /// Jobs for all mutants of a property.
    pub fn mutants(property: &'a Property<'a>) -> Vec<Self> {
        let mutants = property.mutants.iter();
        mutants.map(|m| ProofJob::Mutant(property, m)).collect()
    }

    /// Describes the job: `proving pin-mux: 4 wires`.
    pub fn description(&self) -> String {
        match self {
            ProofJob::Case(property, case) => format!("proving {}: {}", property.name, case.sizes),
            ProofJob::Mutant(property, mutant) => {
                format!("mutant of {}: {}", property.name, mutant.description)
            }
        }
    }

    /// Runs the job. The wave of a failure is below `work_dir`.
    ///
    /// # Errors
    /// As [`Property::prove`] and [`Property::try_mutant`].
    pub fn run(&self, tools: &Toolchain, work_dir: &Path) -> Result<ProofRecord, ProofError> {
        match self {
            ProofJob::Case(property, case) => {
                ProofRecord::prove_case(tools, property, case, work_dir)
            }
            ProofJob::Mutant(property, mutant) => {
                ProofRecord::try_mutant(tools, property, mutant, work_dir)
            }
        }
    }
}

// Results of proofs, as a table and as JSON.

/// Result of one proof or one mutant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofRecord {
    pub name: String,
    pub sentence: String,
    /// Top modules of the circuits, or `model` if the property has no circuit.
    pub block: String,
    pub sizes: String,
    /// Fault of the circuits, or missing assumption. `None` in a proof.
    pub mutant: Option<String>,
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
    fn prove_case(
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
    fn try_mutant(
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
        let of = (property, case, ProofMethod::Depth(property.mutants_within));
        Ok(ProofRecord {
            mutant: Some(mutant.description.to_owned()),
            ..ProofRecord::new(of, circuits, proof, verdict, must)
        })
    }

    fn new(
        (property, case, method): (&Property, &ProofCase, ProofMethod),
        circuits: EmittedCircuits,
        proof: Proof,
        verdict: &'static str,
        as_it_must_be: bool,
    ) -> ProofRecord {
        let (method, clock_cycles) = match method {
            ProofMethod::Induction(cycles) => ("induction", cycles),
            ProofMethod::Depth(cycles) => ("depth", cycles),
        };
        let (fails, wave) = match proof.finding {
            ProofFinding::Holds => (None, None),
            ProofFinding::Fails { assertion, clock_cycle, wave } => {
                (Some((assertion, clock_cycle)), Some(wave))
            }
            ProofFinding::Open { wave } => (None, Some(wave)),
        };
        ProofRecord {
            name: property.name.to_owned(),
            sentence: property.sentence.to_owned(),
            block: circuits.names,
            sizes: case.sizes.to_owned(),
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

impl fmt::Display for ProofTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = ["name", "block", "sizes", "method", "time", "verdict"];
        let mut table =
            MarkdownTable::new(headings.len(), headings).ranked(1, &["verdict", "time"], "--json");
        let mut details = vec![];
        let mut printed = "";
        for record in &self.proofs {
            table.row([
                record.name.clone(),
                record.block.clone(),
                record.sizes.clone(),
                format!("{} {}", record.method, record.clock_cycles),
                format!("{:.0} s", record.seconds),
                record.verdict.to_owned(),
            ]);
            let mut detail = match &record.mutant {
                Some(mutant) => format!("If {mutant}."),
                None if printed == record.name => String::new(),
                None => record.sentence.clone(),
            };
            printed = &record.name;
            if let Some((assertion, clock_cycle)) = &record.fails {
                detail += &format!(" Fails: {assertion}, in clock cycle {clock_cycle}.");
            }
            let mut lines = indented(&detail, 4, text_width(f));
            if let Some(wave) = &record.wave {
                lines += &format!("    Wave: {}\n", wave.display());
            }
            details.push(lines);
        }
        table.write(f, &details)?;
        f.write_char('\n')?;
        write_paragraph(f, &format!("Made with {}.", self.tools.join(", ")))
    }
}
