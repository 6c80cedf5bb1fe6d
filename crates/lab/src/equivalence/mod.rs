//! Proves that the forms of a circuit are equivalent: the netlist that is simulated, the emitted
//! Verilog, and the result of its synthesis.
//!
//! Registers and memories are matched by name and removed. Their contents become inputs of the
//! remaining logic, and their next values become outputs. Two circuits are equal for all time under
//! two conditions. Both circuits start with the same state, and each output and each next state is
//! the same function of inputs and state. Yosys therefore needs to compare combinational cones
//! only. `docs/proofs.md` has the details.

mod cut;
mod json;
mod rtlil;
mod synthesis;

use crate::kit::publication;
use board::manifest::Manifest;
use board::{BoardDesignError, BoardDesignName};
use cut::StatelessVerilog;
use hdl::lower::LowerErrors;
use hdl::verilog::{self, publish, VerilogFiles};
use lockstep::design::Design;
use lockstep::netlist::{flatten, FlattenError, Netlist};
use machine::catalog::{CatalogEntry, CatalogGroup, DesignDimsError, CATALOG};
use machine::text::{indented, text_width, write_paragraph, MarkdownTable};
use rtlil::SharedNames;
use serde::Serialize;
use std::fmt::{self, Write};
use std::path::Path;
use synthesis::{MatchError, Narrowed};
use thiserror::Error;
use toolchain::{CircuitComparison, Equivalence, Side, SignalDifference, ToolError, Toolchain};

// Forms of a circuit that are compared.

/// Reason why a circuit could not be checked.
#[derive(Debug, Error)]
pub enum EquivalenceError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Flatten(#[from] FlattenError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Design(Box<BoardDesignError>),
}

/// Result of a proof.
#[derive(Clone, Debug, PartialEq)]
pub enum EquivalenceVerdict {
    Compared(CircuitComparison),
    /// Registers and memories differ in these items.
    StateDiffers(Vec<String>),
    /// No result is possible, because these flip-flops have no names for matching.
    Unmatched(Vec<String>),
}

impl EquivalenceVerdict {
    fn is_same(&self) -> bool {
        matches!(self, EquivalenceVerdict::Compared(compared) if compared.equivalence == Equivalence::Same)
    }
}

/// Circuit as netlist and as Verilog.
pub struct ComparedCircuit {
    /// Simulated netlist.
    pub netlist: Netlist,
    /// Printed Verilog.
    pub verilog: String,
    top: String,
    clock: Option<String>,
    names: SharedNames,
}

impl ComparedCircuit {
    /// Makes the forms of a design that `phasecube verilog` publishes.
    ///
    /// # Errors
    /// If it cannot be lowered.
    pub fn published(entry: &CatalogEntry, dims: u32) -> Result<ComparedCircuit, EquivalenceError> {
        let design = entry.design(dims)?;
        let published = publish(&design, &publication());
        ComparedCircuit::of(&design, &published.circuit, &published.verilog)
    }

    /// Makes the forms of a design as in an image, without the board's top module.
    ///
    /// # Errors
    /// If it is not well formed.
    pub fn emitted(design: &Design) -> Result<ComparedCircuit, EquivalenceError> {
        ComparedCircuit::of(design, design, &verilog::emit(design))
    }

    /// `printed` is the printed design: the same, or with vectors.
    fn of(
        design: &Design,
        printed: &Design,
        verilog: &VerilogFiles,
    ) -> Result<ComparedCircuit, EquivalenceError> {
        let netlist = flatten(design)?;
        let top = verilog.top_module();
        Ok(ComparedCircuit {
            names: SharedNames::new(design, &netlist, printed, &top.ports),
            netlist,
            verilog: verilog.to_string(),
            top: top.name.clone(),
            clock: top.clock.clone(),
        })
    }

    /// Register bits, including the output registers of memories.
    pub fn flip_flops(&self) -> u32 {
        let registers = self.netlist.registers.iter();
        let bits: u32 = registers.map(|r| self.netlist.width(r.q)).sum();
        bits + self.netlist.memories.iter().map(|m| m.width).sum::<u32>()
    }

    /// Compares netlist and Verilog. An earlier result in `work_dir` is reused.
    ///
    /// # Errors
    /// If yosys is unavailable, or cannot read the printed Verilog.
    pub fn netlist_and_verilog(
        &self,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<EquivalenceVerdict, EquivalenceError> {
        let verilog = match self.cut(&self.verilog, tools, work_dir)? {
            Ok(verilog) => verilog,
            Err(unlike) => return Ok(EquivalenceVerdict::StateDiffers(unlike)),
        };
        let netlist = rtlil::print(&self.netlist, &self.names, verilog.free);
        let sides =
            [(cut::MODULE, &Side::Json(verilog.json)), (rtlil::MODULE, &Side::Rtlil(netlist))];
        let outputs = self.names.outputs();
        let compared = tools.compare(&self.top, sides, &outputs, work_dir)?;
        Ok(EquivalenceVerdict::Compared(compared))
    }

    /// Verilog without its state. The error lists differences of its state from the netlist's.
    fn cut(
        &self,
        verilog: &str,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Result<StatelessVerilog, Vec<String>>, ToolError> {
        let mut flat = tools.flatten_to_json(verilog, &self.top, work_dir)?;
        let clocked = (&*self.top, self.clock.as_deref());
        Ok(cut::cut(&mut flat, clocked, &self.netlist, &self.names))
    }

    /// Compares the Verilog with the iCE40 synthesis of `source`, without memories. An earlier
    /// result in `work_dir` is reused. The source is the Verilog, or a faulty variant of it.
    ///
    /// # Errors
    /// If yosys is unavailable, or cannot read the printed Verilog.
    pub fn verilog_and_synthesis_of(
        &self,
        source: &str,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<EquivalenceVerdict, EquivalenceError> {
        let verilog = match self.cut(&self.verilog, tools, work_dir)? {
            Ok(verilog) => verilog,
            Err(unlike) => return Ok(EquivalenceVerdict::StateDiffers(unlike)),
        };
        let starts = synthesis::initial_values(&self.netlist, &self.names);
        let (source, top, clock) = match self.netlist.memories.is_empty() {
            true => {
                let source = Side::Verilog(source.to_owned());
                (source, &*self.top, self.clock.as_deref())
            }
            false => {
                let source = match self.cut(source, tools, work_dir)? {
                    Ok(source) => synthesis::without_memories(&source.json, &starts),
                    Err(unlike) => return Ok(EquivalenceVerdict::StateDiffers(unlike)),
                };
                let clock = Some(synthesis::CLOCK);
                (Side::Json(source), synthesis::MODULE, clock)
            }
        };
        let [mapped, done] = tools.synthesize_to_json(&source, top, work_dir)?;
        let compare = |narrowed| {
            let registers = (&*starts, narrowed);
            let sides = synthesis::sides(&verilog.json, [&mapped, &done], clock, registers);
            let [emitted, gates] = match sides {
                Ok(sides) => sides,
                Err(MatchError::Differs(unlike)) => {
                    return Ok(EquivalenceVerdict::StateDiffers(unlike))
                }
                Err(MatchError::Unnamed(flip_flops)) => {
                    return Ok(EquivalenceVerdict::Unmatched(flip_flops))
                }
            };
            let outputs = synthesis::outputs(&gates);
            let sides =
                [(cut::MODULE, &Side::Json(emitted)), (synthesis::MODULE, &Side::Json(gates))];
            let compared = tools.compare(&self.top, sides, &outputs, work_dir)?;
            Ok(EquivalenceVerdict::Compared(compared))
        };
        match compare(Narrowed::Constant)? {
            same if same.is_same() => Ok(same),
            _ => compare(Narrowed::Removed),
        }
    }
}

// Circuits whose forms are compared.

/// Circuit that is published as Verilog or in an image.
#[derive(Clone, Debug)]
pub struct PublishedCircuit {
    pub name: String,
    source: PublishedSource,
}

#[derive(Clone, Copy, Debug)]
enum PublishedSource {
    /// Circuit of the catalogue with this number of dimensions.
    Catalogued(&'static CatalogEntry, u32),
    /// Design of an image in `bitstreams`, and its dimensions.
    Image(BoardDesignName, u32),
}

/// Returns every block, machine and image design that `equivalence --all` tries.
pub fn circuits() -> Vec<PublishedCircuit> {
    let catalogued = CATALOG.iter().map(|entry| PublishedCircuit {
        name: entry.name.into(),
        source: PublishedSource::Catalogued(entry, entry.default_dims),
    });
    let images = Manifest::published().images.into_iter();
    let images = images.filter_map(|entry| {
        let (design, dims) = BoardDesignName::from_image_name(&entry.design)?;
        Some(PublishedCircuit { name: entry.file, source: PublishedSource::Image(design, dims) })
    });
    catalogued.chain(images).collect()
}

/// Objects without a proof, with the reasons.
pub const UNPROVED: &[(&str, &str)] = &[
    (
        "the files of the kit pin-mux",
        "they are written by hand, with a parameter for the size and other registers than the block; \
         `cargo sim kit` runs both for 10,000 clock cycles, and what is proved here is the \
         Verilog of the block",
    ),
    (
        "the board around the design of an image",
        "its clock, pins and start-up are written as Verilog and have no netlist; the unpacked images are \
         simulated (`cargo sim board::`)",
    ),
];

impl PublishedCircuit {
    /// True if `phasecube verilog` has a name for the design.
    pub fn is_named_design(&self) -> bool {
        let entry = CatalogEntry::named(&self.name);
        entry.is_some_and(|entry| entry.group == CatalogGroup::Design)
    }

    /// Returns the same design for other dimensions.
    ///
    /// # Errors
    /// If the design has no dimensions to choose, or not this number.
    pub fn for_dims(&self, dims: u32) -> Result<PublishedCircuit, DesignDimsError> {
        let PublishedSource::Catalogued(entry, _) = self.source else {
            return Err(DesignDimsError::None(self.name.clone()));
        };
        Ok(PublishedCircuit {
            source: PublishedSource::Catalogued(entry, entry.check_dims(dims)?),
            name: format!("{} --dims {dims}", self.name),
        })
    }

    /// Makes the forms of the circuit. `tools` compiles programs of an image below the folder
    /// `builds`.
    ///
    /// # Errors
    /// If a tool is missing.
    pub fn subject(
        &self,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<ComparedCircuit, EquivalenceError> {
        match &self.source {
            PublishedSource::Catalogued(entry, _) if entry.group == CatalogGroup::Machine => {
                ComparedCircuit::emitted(&entry.default_design()?)
            }
            PublishedSource::Catalogued(entry, dims) => ComparedCircuit::published(entry, *dims),
            PublishedSource::Image(design, dims) => {
                // Published images are built with the pinned tools.
                let design = design.design(*dims, &tools.pinned(), builds);
                ComparedCircuit::emitted(design.map_err(Box::new)?.circuit())
            }
        }
    }
}

impl From<Box<BoardDesignError>> for EquivalenceError {
    fn from(error: Box<BoardDesignError>) -> Self {
        match *error {
            BoardDesignError::Tool(error) => error.into(),
            BoardDesignError::Lower(error) => error.into(),
            other => EquivalenceError::Design(Box::new(other)),
        }
    }
}

// Results of equivalence proofs, as a table and as JSON.

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
            EquivalenceVerdict::Compared(CircuitComparison { equivalence, bits, seconds }) => {
                match equivalence {
                    Equivalence::Same => (bits, seconds, vec![], None),
                    Equivalence::Differs { signals, example } => {
                        let signals = signals.iter().map(|signal| describe_signal(signal));
                        (bits, seconds, signals.collect(), example)
                    }
                }
            }
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

/// Column of the texts below a line of the table.
const INDENT: usize = 4;

impl fmt::Display for EquivalenceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = ["name", "registers", "flip-flops", "memories", "cones", "time", "verdict"];
        let mut table =
            MarkdownTable::new(1, headings).ranked(1, &["verdict", "cones", "time"], "--json");
        let mut details = vec![];
        for proof in &self.proofs {
            let verdict = match (proof.proved, proof.differs.is_empty()) {
                (true, _) => "same",
                (false, false) => "DIFFERS",
                (false, true) => "out of reach",
            };
            table.row([
                proof.name.clone(),
                proof.registers.to_string(),
                proof.flip_flops.to_string(),
                proof.memories.to_string(),
                proof.cones.to_string(),
                format!("{:.0} s", proof.seconds),
                verdict.to_owned(),
            ]);
            details.push(proof.explanation(self.forms, text_width(f)));
        }
        table.write(f, &details)?;
        if !self.out_of_reach.is_empty() {
            writeln!(f, "\nOut of reach:")?;
            for (name, reason) in &self.out_of_reach {
                let line = format!("{name}: {reason}.");
                f.write_str(&indented(&line, INDENT, text_width(f)))?;
            }
        }
        f.write_char('\n')?;
        write_paragraph(f, &format!("Made with {}.", self.tools.join(", ")))
    }
}

impl EquivalenceRecord {
    /// Formats the differences as lines below the line of the table.
    fn explanation(&self, forms: Forms, width: usize) -> String {
        let named = self.differs.iter().chain(&self.unmatched);
        let lines = named.clone().take(SIGNALS_PRINTED);
        let mut text: String = lines.map(|line| indented(line, INDENT, width)).collect();
        if let Some(more @ 1..) = named.count().checked_sub(SIGNALS_PRINTED) {
            text += &format!("    and {more} more\n");
        }
        let Some(SignalDifference { values, inputs }) = &self.example else {
            return text;
        };
        let inputs = inputs.iter().map(|(name, value)| format!("{name} = {value}"));
        let mut inputs: Vec<String> = inputs.collect();
        inputs.push("all else 0".into());
        let [verilog, other] = values;
        let form = match forms {
            Forms::NetlistAndVerilog => "in the netlist",
            Forms::VerilogAndSynthesis => "as synthesised",
        };
        let first = format!(
            "The first is {verilog} in the Verilog, {other} {form}, with {}.",
            inputs.join(", ")
        );
        text + &indented(&first, INDENT, width)
    }
}
