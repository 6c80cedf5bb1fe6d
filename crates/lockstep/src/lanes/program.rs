//! Gates in the form that a backend runs: machine code or a tape.

use super::frame::ChunkFrame;
use super::gates::{cover, GateGraph, GateList, Lit};
use super::jit::{compile, Isa, MachineCode};
use super::options::Backend;
use super::tape::GateTape;
use super::LanesError;

/// Program that computes roots and stores them in the slots of a frame.
#[derive(Debug)]
pub enum FrameProgram {
    Tape(GateTape),
    Code(MachineCode),
}

impl FrameProgram {
    pub fn new(gates: &GateList, backend: Backend, width: usize) -> Result<Self, LanesError> {
        match backend.isa(width) {
            Some(isa) => compile(gates, isa).map(FrameProgram::Code),
            None => Ok(FrameProgram::Tape(GateTape::new(gates))),
        }
    }

    /// Creates a program for roots of a graph. The first `slots` vectors of the frame are reserved.
    pub fn for_roots(
        graph: &GateGraph,
        slots: u32,
        roots: &[(Lit, u32)],
        backend: Backend,
        width: usize,
    ) -> Result<Self, LanesError> {
        let luts = backend.isa(width).is_some_and(Isa::has_luts);
        FrameProgram::new(&cover(graph, slots, roots, luts), backend, width)
    }

    /// Returns the minimum number of vectors in the frame.
    pub fn vectors(&self) -> usize {
        match self {
            FrameProgram::Tape(tape) => tape.vectors(),
            FrameProgram::Code(code) => code.vectors(),
        }
    }

    #[inline]
    pub fn run(&self, frame: &mut ChunkFrame) {
        match (self, frame.width()) {
            (FrameProgram::Code(code), _) => code.run(frame, &mut [0; 2]),
            (FrameProgram::Tape(tape), 4) => tape.run(frame.words_mut().as_chunks_mut::<4>().0),
            (FrameProgram::Tape(tape), _) => tape.run(frame.words_mut().as_chunks_mut::<8>().0),
        }
    }
}
