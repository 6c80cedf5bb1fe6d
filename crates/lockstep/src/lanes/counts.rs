//! Counts the instructions of a clock cycle, for any backend on any processor.

use super::engine::LaneEngine;
use super::jit::count;
use super::tape::GateTape;
use super::{LaneOptions, LaneWiring, LanesError};
use crate::netlist::Netlist;

/// Number of instructions that compute all gates of a clock cycle in one chunk of lanes. Memories,
/// links and changed inputs take further time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InstructionCounts {
    /// Lanes that an instruction computes.
    pub lanes: usize,
    /// Functions of one to three operands. On x86-64 one operand can be in memory. The interpreter
    /// has only these.
    pub logic: usize,
    /// Operands of `logic` in memory.
    pub memory_operands: usize,
    pub loads: usize,
    pub stores: usize,
    /// Copies between registers.
    pub moves: usize,
    /// Size of the code in bytes. Zero for the interpreter.
    pub bytes: usize,
    /// Jumps of the interpreter. Zero for machine code.
    pub jumps: usize,
}

impl InstructionCounts {
    /// Counts the instructions of a machine. The processor need not have the instruction set of the
    /// backend.
    ///
    /// # Errors
    /// If the wiring does not fit the circuit.
    pub fn of(
        netlist: &Netlist,
        lanes: usize,
        wiring: &LaneWiring,
        options: &LaneOptions,
    ) -> Result<Self, LanesError> {
        let backend = match options.backend {
            super::Backend::Auto => options.backend.resolve()?,
            other => other,
        };
        let (width, gates) = LaneEngine::gates(netlist, lanes, wiring, &options.keep, backend)?;
        match backend.isa(width) {
            Some(isa) => count(&gates, isa),
            None => {
                let (steps, jumps) = GateTape::new(&gates).counts();
                Ok(InstructionCounts {
                    lanes: 64 * width,
                    logic: steps,
                    jumps,
                    ..InstructionCounts::default()
                })
            }
        }
    }

    /// Returns the number of all instructions.
    pub fn all(&self) -> usize {
        self.logic + self.loads + self.stores + self.moves
    }
}
