//! Machine code for x86-64, made at run time.
//!
//! * `registers`: gives the values of a schedule vector registers, and slots of
//!   the frame where registers do not suffice;
//! * `emit`: encodes the instructions;
//! * `code`: holds the code and calls it; the only unsafe code of the crate.

mod code;
mod emit;
mod registers;

pub use code::Code;

use super::gates::{cover_with_luts, cover_with_pairs, Graph, Lit};
use super::schedule::schedule;
use super::LanesError;

/// What the code is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isa {
    /// Vectors of 256 bits.
    Avx2,
    /// Vectors of 256 bits, with the instructions of AVX-512.
    Avx512Half,
    /// Vectors of 512 bits.
    Avx512,
}

impl Isa {
    /// Words in a vector.
    pub fn width(self) -> usize {
        match self {
            Isa::Avx2 | Isa::Avx512Half => 4,
            Isa::Avx512 => 8,
        }
    }

    fn has_luts(self) -> bool {
        self != Isa::Avx2
    }

    /// Registers for values. AVX2 needs one of its sixteen for all ones.
    fn registers(self) -> usize {
        match self {
            Isa::Avx2 => 15,
            Isa::Avx512Half | Isa::Avx512 => 32,
        }
    }
}

/// Code that computes the roots and stores them in their slots.
pub fn compile(
    graph: &Graph,
    slots: u32,
    roots: &[(Lit, u32)],
    isa: Isa,
) -> Result<Code, LanesError> {
    let gates = match isa.has_luts() {
        true => cover_with_luts(graph, slots, roots),
        false => cover_with_pairs(graph, slots, roots),
    };
    let assigned = registers::assign(&schedule(&gates), &gates, isa);
    let bytes = emit::emit(&assigned.instructions, isa);
    let bytes = bytes.map_err(|error| LanesError::Encoding(error.to_string()))?;
    Code::new(&bytes, assigned.vectors, isa)
}
