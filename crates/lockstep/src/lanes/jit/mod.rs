//! Machine code for x86-64, made at run time.
//!
//! * `registers`: gives the values of a schedule vector registers, and slots of
//!   the frame where registers do not suffice;
//! * `emit`: encodes the instructions;
//! * `code`: holds the code and calls it, and calls code that the compiler made for
//!   the processor; the only unsafe code of the crate.

mod code;
mod emit;
mod registers;
mod vector;

pub use code::{Code, Simd};
pub use vector::{Plain, Vector, Work};

use super::gates::Gates;
use super::schedule::schedule;
use super::segments::{Flag, Segments};
use super::LanesError;
use registers::Instruction;

/// What the code is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isa {
    /// Vectors of 256 bits.
    Avx2,
    /// Vectors of 128 bits, with the instructions of AVX-512.
    Avx512Quarter,
    /// Vectors of 256 bits, with the instructions of AVX-512.
    Avx512Half,
    /// Vectors of 512 bits.
    Avx512,
}

impl Isa {
    /// Words in a vector.
    pub fn width(self) -> usize {
        match self {
            Isa::Avx512Quarter => 2,
            Isa::Avx2 | Isa::Avx512Half => 4,
            Isa::Avx512 => 8,
        }
    }

    /// Whether any function of three operands is one instruction.
    pub fn has_luts(self) -> bool {
        self != Isa::Avx2
    }

    /// Registers for values. AVX2 needs one of its sixteen for all ones.
    fn registers(self) -> usize {
        match self {
            Isa::Avx2 => 15,
            Isa::Avx512Quarter | Isa::Avx512Half | Isa::Avx512 => 32,
        }
    }
}

/// Code that computes all roots and stores them in their slots.
pub fn compile(gates: &Gates, isa: Isa) -> Result<Code, LanesError> {
    assemble(&[part(gates, gates.slots, isa)], isa)
}

/// Code that skips segments that are not marked.
pub fn compile_segments(segments: &Segments, isa: Isa) -> Result<Code, LanesError> {
    let parts = segments.blocks.iter().map(|block| Part {
        guard: block.guard,
        flags: block.flags.clone(),
        ..part(&block.gates, block.first_flag, isa)
    });
    assemble(&parts.collect::<Vec<_>>(), isa)
}

/// A stretch of code.
struct Part {
    /// It is skipped unless this bit of the mask is set.
    guard: Option<usize>,
    instructions: Vec<Instruction>,
    /// What the numbers of [`Instruction::Flag`] mean.
    flags: Vec<Flag>,
}

fn part(gates: &Gates, first_flag: u32, isa: Isa) -> Part {
    Part {
        guard: None,
        instructions: registers::assign(&schedule(gates), gates, first_flag, isa),
        flags: vec![],
    }
}

fn assemble(parts: &[Part], isa: Isa) -> Result<Code, LanesError> {
    let emitted = emit::emit(parts, isa);
    let emitted = emitted.map_err(|error| LanesError::Encoding(error.to_string()))?;
    Code::new(&emitted, isa)
}
