use super::frame::Frame;
use super::gates::{cover_with_pairs, Graph, Lit};
use super::options::Backend;
use super::tape::Tape;
use super::LanesError;

/// Something that computes roots and stores them in the slots of a frame.
#[derive(Debug)]
pub enum Program {
    Tape(Tape),
}

impl Program {
    pub fn new(
        graph: &Graph,
        slots: u32,
        roots: &[(Lit, u32)],
        _backend: Backend,
        _width: usize,
    ) -> Result<Self, LanesError> {
        Ok(Program::Tape(Tape::new(&cover_with_pairs(
            graph, slots, roots,
        ))))
    }

    /// Vectors that the frame must have at least.
    pub fn vectors(&self) -> usize {
        match self {
            Program::Tape(tape) => tape.vectors(),
        }
    }

    pub fn run(&self, frame: &mut Frame) {
        match (self, frame.width()) {
            (Program::Tape(tape), 4) => tape.run(frame.words_mut().as_chunks_mut::<4>().0),
            (Program::Tape(tape), _) => tape.run(frame.words_mut().as_chunks_mut::<8>().0),
        }
    }
}
