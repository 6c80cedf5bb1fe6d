//! Gates in the form that a backend runs: machine code or a tape.

use super::frame::Frame;
use super::gates::{cover, Gates, Graph, Lit};
use super::jit::{compile, Code, Isa};
use super::options::Backend;
use super::tape::Tape;
use super::LanesError;

/// Program that computes roots and stores them in the slots of a frame.
#[derive(Debug)]
pub enum Program {
    Tape(Tape),
    Code(Code),
}

impl Program {
    pub fn new(gates: &Gates, backend: Backend, width: usize) -> Result<Self, LanesError> {
        match backend.isa(width) {
            Some(isa) => compile(gates, isa).map(Program::Code),
            None => Ok(Program::Tape(Tape::new(gates))),
        }
    }

    /// Creates a program for roots of a graph. The first `slots` vectors of the frame are reserved.
    pub fn of_roots(
        graph: &Graph,
        slots: u32,
        roots: &[(Lit, u32)],
        backend: Backend,
        width: usize,
    ) -> Result<Self, LanesError> {
        let luts = backend.isa(width).is_some_and(Isa::has_luts);
        Program::new(&cover(graph, slots, roots, luts), backend, width)
    }

    /// Returns the minimum number of vectors in the frame.
    pub fn vectors(&self) -> usize {
        match self {
            Program::Tape(tape) => tape.vectors(),
            Program::Code(code) => code.vectors(),
        }
    }

    #[inline]
    pub fn run(&self, frame: &mut Frame) {
        match (self, frame.width()) {
            (Program::Code(code), _) => code.run(frame, &mut [0; 2]),
            (Program::Tape(tape), 4) => tape.run(frame.words_mut().as_chunks_mut::<4>().0),
            (Program::Tape(tape), _) => tape.run(frame.words_mut().as_chunks_mut::<8>().0),
        }
    }
}
