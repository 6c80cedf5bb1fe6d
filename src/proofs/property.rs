//! A sentence about circuits, and what it takes to prove it.

use crate::toolchain::{Finding, Method, Proof, Statement, ToolError, Toolchain};
use hdl::lower::LowerErrors;
use hdl::verilog;
use lockstep::design::Design;
use std::collections::BTreeSet;
use std::path::Path;
use thiserror::Error;

/// Why nothing can be said about a property.
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

/// A circuit with its sizes, ready to be lowered.
pub type Circuit = fn() -> Result<Design, LowerErrors>;

/// Names and values that the file of a property is read with.
pub type Macros = Vec<(&'static str, u64)>;

/// A sentence about circuits.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// Lower case letters, digits and dashes.
    pub name: &'static str,
    /// What holds, and under which assumptions, in plain words.
    pub sentence: &'static str,
    /// The file in `proofs/` that says so.
    pub file: &'static str,
    /// What stands in it.
    pub text: &'static str,
    /// The circuits, in the sizes that it is proved for.
    pub cases: &'static [Case],
    /// How it is proved.
    pub method: Method,
    /// What must make it fail. Then its claims are all that is looked at: `CLAIM_ONLY` is defined, with
    /// which the file leaves out what only carries the induction.
    pub mutants: &'static [Mutant],
    /// Clock cycles from the start in which every mutant fails.
    pub mutants_within: u32,
    /// Each mutant takes a few seconds: the tests try all of them. Of the others they try the first.
    pub quick: bool,
}

/// Circuits in one size.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The sizes in words: `4 wires`.
    pub sizes: &'static str,
    /// None if the file of the property is a model by itself.
    pub circuits: &'static [Circuit],
    /// Macros that the file of the property is read with.
    pub defines: &'static [(&'static str, u64)],
}

/// The circuits of a case, emitted.
#[derive(Clone, Debug)]
pub struct Circuits {
    /// Their top modules; `model` if there are none.
    pub names: String,
    /// The modules of all of them, each once.
    pub verilog: String,
}

/// What makes a proof fail, or it is none.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// What is wrong, in words.
    pub what: &'static str,
    pub change: Change,
}

/// How a mutant differs.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// This text, which stands once in the Verilog of the first case, is replaced.
    Verilog {
        from: &'static str,
        to: &'static str,
    },
    /// A macro of the property has this value: an assumption is left out, or a size is out of bounds.
    Define(&'static str, u64),
}

impl Property {
    /// The property of that name.
    pub fn named(name: &str) -> Option<&'static Property> {
        super::PROPERTIES.iter().find(|p| p.name == name)
    }

    /// Proves one case, or recalls what was found before in `work_dir`.
    ///
    /// # Errors
    /// If a circuit cannot be lowered, or a tool is missing or refuses it.
    pub fn prove(
        &self,
        tools: &Toolchain,
        case: &Case,
        circuits: &Circuits,
        work_dir: &Path,
    ) -> Result<Proof, ProofError> {
        let (verilog, method) = (&circuits.verilog, self.method);
        self.ask(tools, verilog, case.defines, method, work_dir)
    }

    /// Looks for a run from the start on in which the property fails with a mutant of the first case.
    ///
    /// # Errors
    /// If a circuit cannot be lowered, the mutant has nothing to replace, or a tool is missing or
    /// refuses it.
    pub fn try_mutant(
        &self,
        tools: &Toolchain,
        mutant: &Mutant,
        circuits: &Circuits,
        work_dir: &Path,
    ) -> Result<Proof, ProofError> {
        let (circuit, mut defines) = self.mutated(mutant, circuits)?;
        defines.push(("CLAIM_ONLY", 1));
        let method = Method::Depth(self.mutants_within);
        self.ask(tools, &circuit, &defines, method, work_dir)
    }

    /// The Verilog of the first case with that mutant, and the macros that go with it.
    ///
    /// # Errors
    /// If the mutant has nothing to replace.
    pub fn mutated(
        &self,
        mutant: &Mutant,
        circuits: &Circuits,
    ) -> Result<(String, Macros), ProofError> {
        let mut circuit = circuits.verilog.clone();
        let mut defines = self.cases[0].defines.to_vec();
        match mutant.change {
            Change::Verilog { from, to } => {
                let times = circuit.matches(from).count();
                if times != 1 {
                    return Err(ProofError::Mutant {
                        property: self.name,
                        what: mutant.what,
                        from,
                        times,
                    });
                }
                circuit = circuit.replace(from, to);
            }
            Change::Define(name, value) => {
                defines.retain(|(other, _)| *other != name);
                defines.push((name, value));
            }
        }
        Ok((circuit, defines))
    }

    fn ask(
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

    /// The verdict in a word or two.
    pub fn verdict(&self, finding: &Finding) -> &'static str {
        match (finding, self.method) {
            (Finding::Holds, Method::Induction(_)) => "proved",
            (Finding::Holds, Method::Depth(_)) => "holds so far",
            (Finding::Fails { .. }, _) => "FAILS",
            (Finding::Open { .. }, _) => "OPEN",
        }
    }
}

impl Case {
    /// Its circuits in Verilog.
    ///
    /// # Errors
    /// If a circuit cannot be lowered.
    pub fn emit(&self) -> Result<Circuits, LowerErrors> {
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
        Ok(Circuits {
            names: match names.is_empty() {
                true => "model".into(),
                false => names.join(", "),
            },
            verilog,
        })
    }
}
