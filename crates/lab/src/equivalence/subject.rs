//! Forms of a circuit that are compared.

use super::cut::{self, cut, StatelessVerilog};
use super::rtlil;
use super::state::SharedNames;
use super::synthesis::{self, MatchError, Narrowed};
use crate::kit::{publication, CatalogEntry};
use board::BoardDesignError;
use hdl::lower::LowerErrors;
use hdl::verilog::{self, publish, VerilogFiles};
use lockstep::design::Design;
use lockstep::netlist::{flatten, FlattenError, Netlist};
use std::path::Path;
use thiserror::Error;
use toolchain::{CircuitComparison, Equivalence, Side, ToolError, Toolchain};

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
        matches!(self, EquivalenceVerdict::Compared(compared) if compared.sameness == Equivalence::Same)
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
    pub fn published(entry: CatalogEntry, dims: u32) -> Result<ComparedCircuit, EquivalenceError> {
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
        let sides = [
            (cut::MODULE, &Side::Json(verilog.json)),
            (rtlil::MODULE, &Side::Rtlil(netlist)),
        ];
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
        Ok(cut(&mut flat, clocked, &self.netlist, &self.names))
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
            let sides = [
                (cut::MODULE, &Side::Json(emitted)),
                (synthesis::MODULE, &Side::Json(gates)),
            ];
            let compared = tools.compare(&self.top, sides, &outputs, work_dir)?;
            Ok(EquivalenceVerdict::Compared(compared))
        };
        match compare(Narrowed::Constant)? {
            same if same.is_same() => Ok(same),
            _ => compare(Narrowed::Removed),
        }
    }
}
