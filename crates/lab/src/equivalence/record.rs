//! Results of equivalence proofs, as a table and as JSON.

use super::{ComparedCircuit, EquivalenceError, EquivalenceVerdict};
use crate::report::{wrapped, WIDTH};
use serde::Serialize;
use std::fmt;
use std::path::Path;
use toolchain::{CircuitComparison, Equivalence, SignalDifference, Toolchain};

/// Forms of a circuit that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Forms {
    /// Simulated netlist and emitted Verilog.
    NetlistAndVerilog,
    /// Emitted Verilog and the result of its synthesis for an iCE40.
    VerilogAndSynthesis,
}

/// Result of one proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquivalenceRecord {
    pub name: String,
    /// Number of matched registers. The output register of a memory counts as one. `flip_flops` is
    /// the number of their bits.
    pub registers: usize,
    pub flip_flops: u32,
    /// Number of matched memories.
    pub memories: usize,
    /// Number of bits whose cones were compared: outputs, next states, inner signals.
    pub cones: usize,
    /// Duration of the original yosys runs in seconds.
    pub seconds: f64,
    pub proved: bool,
    /// Differing items.
    pub differs: Vec<String>,
    /// Items without a counterpart, so that nothing is proved or refuted.
    pub unmatched: Vec<String>,
    /// Values that demonstrate the difference.
    pub example: Option<SignalDifference>,
}

impl EquivalenceRecord {
    /// Compares two forms of a circuit.
    ///
    /// # Errors
    /// As [`ComparedCircuit::netlist_and_verilog`].
    pub fn compare(
        name: &str,
        forms: Forms,
        subject: &ComparedCircuit,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<EquivalenceRecord, EquivalenceError> {
        let verdict = match forms {
            Forms::NetlistAndVerilog => subject.netlist_and_verilog(tools, work_dir)?,
            Forms::VerilogAndSynthesis => {
                subject.verilog_and_synthesis_of(&subject.verilog, tools, work_dir)?
            }
        };
        Ok(EquivalenceRecord::new(name, subject, verdict))
    }

    /// Converts a verdict about a circuit.
    pub fn new(
        name: &str,
        subject: &ComparedCircuit,
        verdict: EquivalenceVerdict,
    ) -> EquivalenceRecord {
        let mut unmatched = vec![];
        let (cones, seconds, differs, example) = match verdict {
            EquivalenceVerdict::StateDiffers(unlike) => (0, 0.0, unlike, None),
            EquivalenceVerdict::Unmatched(flip_flops) => {
                unmatched = flip_flops;
                (0, 0.0, vec![], None)
            }
            EquivalenceVerdict::Compared(CircuitComparison {
                sameness,
                bits,
                seconds,
            }) => match sameness {
                Equivalence::Same => (bits, seconds, vec![], None),
                Equivalence::Differs { signals, example } => {
                    let signals = signals.iter().map(|signal| describe_signal(signal));
                    (bits, seconds, signals.collect(), example)
                }
            },
        };
        let netlist = &subject.netlist;
        EquivalenceRecord {
            name: name.into(),
            registers: netlist.registers.len() + netlist.memories.len(),
            flip_flops: subject.flip_flops(),
            memories: netlist.memories.len(),
            cones,
            seconds,
            proved: differs.is_empty() && unmatched.is_empty(),
            differs,
            unmatched,
            example,
        }
    }
}

/// Describes a signal in words. The next state of a register has a special name.
fn describe_signal(signal: &str) -> String {
    match signal.strip_suffix("$next") {
        Some(register) => format!("what {register} takes next"),
        None => signal.into(),
    }
}

/// Results of several proofs. Prints as a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquivalenceTable {
    pub forms: Forms,
    /// Tools of the proofs.
    pub tools: Vec<String>,
    pub proofs: Vec<EquivalenceRecord>,
    /// Objects without a proof, with the reasons.
    pub out_of_reach: Vec<(String, String)>,
}

impl EquivalenceTable {
    /// Lists the circuits whose memories are left out of the comparison.
    pub fn list_memories(&mut self) {
        let with = self.proofs.iter().filter(|proof| proof.memories > 0);
        let names: Vec<&str> = with.map(|proof| &*proof.name).collect();
        if self.forms == Forms::VerilogAndSynthesis && !names.is_empty() {
            let memories = format!("the memories of {}", names.join(", "));
            self.out_of_reach.push((memories, MEMORIES_LEFT_OUT.into()));
        }
    }

    /// Results with differences.
    pub fn differing(&self) -> impl Iterator<Item = &EquivalenceRecord> {
        self.proofs.iter().filter(|proof| !proof.differs.is_empty())
    }
}

/// Reason why the synthesis of a memory is not compared with it.
const MEMORIES_LEFT_OUT: &str =
    "they are taken out before synthesis; block RAM with the logic that yosys puts around it has \
     other state than the memory of the Verilog, and its words cannot be matched by name; unpacked \
     images are simulated (`cargo sim board::`)";

/// Number of differing signals that are printed by name. Further ones are only counted.
const SIGNALS_PRINTED: usize = 5;

impl fmt::Display for EquivalenceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.proofs.iter().map(|proof| proof.name.chars().count());
        let width = names.max().unwrap_or(0).max(4);
        writeln!(
            f,
            "{:width$}  registers  flip-flops  memories   cones    time  verdict",
            "name"
        )?;
        for proof in &self.proofs {
            let EquivalenceRecord {
                name,
                registers,
                flip_flops,
                memories,
                cones,
                seconds,
                ..
            } = proof;
            let verdict = match (proof.proved, proof.differs.is_empty()) {
                (true, _) => "same",
                (false, false) => "DIFFERS",
                (false, true) => "out of reach",
            };
            writeln!(
                f,
                "{name:width$}  {registers:>9}  {flip_flops:>10}  {memories:>8}  {cones:>6}  \
                 {seconds:>4.0} s  {verdict}"
            )?;
            proof.explain(self.forms, f)?;
        }
        if !self.out_of_reach.is_empty() {
            writeln!(f, "\nOut of reach:")?;
            for (name, reason) in &self.out_of_reach {
                f.write_str(&indented(&format!("{name}: {reason}.")))?;
            }
        }
        writeln!(f, "\nMade with {}.", self.tools.join(", "))
    }
}

impl EquivalenceRecord {
    /// Prints the differences below the line of the table.
    fn explain(&self, forms: Forms, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.differs.iter().chain(&self.unmatched);
        for signal in named.clone().take(SIGNALS_PRINTED) {
            f.write_str(&indented(signal))?;
        }
        if let Some(more @ 1..) = named.count().checked_sub(SIGNALS_PRINTED) {
            writeln!(f, "    and {more} more")?;
        }
        let Some(SignalDifference { values, inputs }) = &self.example else {
            return Ok(());
        };
        let inputs = inputs
            .iter()
            .map(|(name, value)| format!("{name} = {value}"));
        let mut inputs: Vec<String> = inputs.collect();
        inputs.push("all else 0".into());
        let [verilog, other] = values;
        let form = match forms {
            Forms::NetlistAndVerilog => "in the netlist",
            Forms::VerilogAndSynthesis => "as synthesised",
        };
        f.write_str(&indented(&format!(
            "The first is {verilog} in the Verilog, {other} {form}, with {}.",
            inputs.join(", ")
        )))
    }
}

/// Wraps and indents a text.
fn indented(text: &str) -> String {
    let lines = wrapped(text, WIDTH - 4);
    lines.lines().map(|line| format!("    {line}\n")).collect()
}
