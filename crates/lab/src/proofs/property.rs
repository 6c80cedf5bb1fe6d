//! Statement about circuits, with its proof method and mutants.

use hdl::lower::LowerErrors;
use hdl::verilog;
use lockstep::design::Design;
use std::collections::BTreeSet;
use std::path::Path;
use thiserror::Error;
use toolchain::{Method, Proof, ProofFinding, Statement, ToolError, Toolchain};

/// Reason why a property could not be checked.
#[derive(Debug, Error)]
pub enum ProofError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("the mutant {what:?} of {property} replaces {from:?}, which stands {times} times in the Verilog; it must stand there once")]
    Mutant {
        property: &'static str,
        what: &'static str,
        from: &'static str,
        times: usize,
    },
}

/// Circuit with its sizes, ready to be lowered.
pub type CircuitFn = fn() -> Result<Design, LowerErrors>;

/// Macros of the property's file: names and values.
pub type Macros = Vec<(&'static str, u64)>;

/// Statement about circuits.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// Name of lower-case letters, digits and dashes.
    pub name: &'static str,
    /// Statement and its assumptions in plain words.
    pub sentence: &'static str,
    /// File in `proofs/` with the statement.
    pub file: &'static str,
    /// Text of the file.
    pub text: &'static str,
    /// Circuits in the sizes of the proofs.
    pub cases: &'static [ProofCase],
    /// Proof method.
    pub method: Method,
    /// Mutants, each of which must make the property fail. `CLAIM_ONLY` is defined for them. With
    /// this macro the file leaves out assertions that only support the induction.
    pub mutants: &'static [ProofMutant],
    /// Number of clock cycles from the start within which every mutant fails.
    pub mutants_within: u32,
    /// True if each mutant takes a few seconds. Then the tests try all mutants, otherwise only the
    /// first.
    pub quick: bool,
}

/// Circuits in one size.
#[derive(Clone, Copy, Debug)]
pub struct ProofCase {
    /// Sizes in words: `4 wires`.
    pub sizes: &'static str,
    /// Circuits. Empty if the file of the property is a model by itself.
    pub circuits: &'static [CircuitFn],
    /// Macros of the property's file.
    pub defines: &'static [(&'static str, u64)],
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
pub struct ProofMutant {
    /// Description of the fault.
    pub description: &'static str,
    pub change: MutantChange,
}

/// Change that a mutant makes.
#[derive(Clone, Copy, Debug)]
pub enum MutantChange {
    /// Replaces this text, which occurs once in the Verilog of the first case.
    Verilog {
        from: &'static str,
        to: &'static str,
    },
    /// Sets a macro of the property, so that an assumption is missing or a size is out of bounds.
    Define(&'static str, u64),
}

impl Property {
    /// Returns the property with that name.
    pub fn named(name: &str) -> Option<&'static Property> {
        super::PROPERTIES.iter().find(|p| p.name == name)
    }

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
        mutant: &ProofMutant,
        circuits: &EmittedCircuits,
        work_dir: &Path,
    ) -> Result<Proof, ProofError> {
        let (circuit, mut defines) = self.mutated(mutant, circuits)?;
        defines.push(("CLAIM_ONLY", 1));
        let method = Method::Depth(self.mutants_within);
        self.run_proof(tools, &circuit, &defines, method, work_dir)
    }

    /// Verilog of the first case with that mutant, and its macros.
    ///
    /// # Errors
    /// If the mutant has nothing to replace.
    pub fn mutated(
        &self,
        mutant: &ProofMutant,
        circuits: &EmittedCircuits,
    ) -> Result<(String, Macros), ProofError> {
        let mut circuit = circuits.verilog.clone();
        let mut defines = self.cases[0].defines.to_vec();
        match mutant.change {
            MutantChange::Verilog { from, to } => {
                let times = circuit.matches(from).count();
                if times != 1 {
                    return Err(ProofError::Mutant {
                        property: self.name,
                        what: mutant.description,
                        from,
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
        method: Method,
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
            (ProofFinding::Holds, Method::Induction(_)) => "proved",
            (ProofFinding::Holds, Method::Depth(_)) => "holds so far",
            (ProofFinding::Fails { .. }, _) => "FAILS",
            (ProofFinding::Open { .. }, _) => "OPEN",
        }
    }
}

impl ProofCase {
    /// Emits the circuits as Verilog.
    ///
    /// # Errors
    /// If a circuit cannot be lowered.
    pub fn emit(&self) -> Result<EmittedCircuits, LowerErrors> {
        let (mut names, mut verilog) = (vec![], String::new());
        let mut seen = BTreeSet::new();
        for circuit in self.circuits {
            let emitted = verilog::emit(&circuit()?);
            names.push(emitted.top().to_owned());
            for module in emitted.modules {
                if seen.insert(module.text.clone()) {
                    verilog += &module.text;
                    verilog += "\n";
                }
            }
        }
        Ok(EmittedCircuits {
            names: match names.is_empty() {
                true => "model".into(),
                false => names.join(", "),
            },
            verilog,
        })
    }
}
