//! Machine code for x86-64 and AArch64, generated at run time.
//!
//! * `registers`: assigns vector registers to the values of a schedule, and slots of the frame
//!   where registers do not suffice.
//! * `x86`, `aarch64`: encode the instructions. Both work on any processor.
//! * `code`: holds and calls the machine code. This module also calls compiled code for the
//!   processor's instruction set, and contains the only unsafe code of the crate.

mod aarch64;
mod code;
mod registers;
mod x86;

use super::gates::{GateList, GateSet};
use super::schedule::schedule;
use super::segments::{Flag, Segments};
use super::{InstructionCounts, LanesError};
pub use code::{MachineCode, Simd};
use registers::VectorInstruction;

/// Instruction set and vector length of the generated code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isa {
    /// 256-bit vectors.
    Avx2,
    /// 128-bit vectors with AVX-512 instructions.
    Avx512Quarter,
    /// 256-bit vectors with AVX-512 instructions.
    Avx512Half,
    /// 512-bit vectors.
    Avx512,
    /// 128-bit vectors of AArch64.
    Neon,
    /// 128-bit vectors of AArch64, with the instructions of SHA3.
    NeonSha3,
}

impl Isa {
    /// Returns the number of words in a vector.
    pub fn width(self) -> usize {
        match self {
            Isa::Avx512Quarter | Isa::Neon | Isa::NeonSha3 => 2,
            Isa::Avx2 | Isa::Avx512Half => 4,
            Isa::Avx512 => 8,
        }
    }

    /// Returns the functions that are one instruction.
    pub fn gate_set(self) -> GateSet {
        match self {
            Isa::Avx2 => GateSet::Pairs,
            Isa::Avx512Quarter | Isa::Avx512Half | Isa::Avx512 => GateSet::Luts,
            Isa::Neon => GateSet::Neon { sha3: false },
            Isa::NeonSha3 => GateSet::Neon { sha3: true },
        }
    }

    /// Returns the number of registers for values. AVX2 reserves one of its sixteen for all ones.
    fn registers(self) -> usize {
        match self {
            Isa::Avx2 => 15,
            Isa::Avx512Quarter | Isa::Avx512Half | Isa::Avx512 => 32,
            Isa::Neon | Isa::NeonSha3 => aarch64::REGISTERS,
        }
    }

    /// Returns true if an instruction can read an operand from the frame.
    fn has_memory_operands(self) -> bool {
        !matches!(self, Isa::Neon | Isa::NeonSha3)
    }

    /// Returns true if the instruction for this function of three operands overwrites one of them.
    fn is_destructive(self, table: u8) -> bool {
        self.has_memory_operands() || aarch64::is_choice(table)
    }
}

/// Compiles code that computes all roots and stores them in their slots.
pub fn compile(gates: &GateList, isa: Isa) -> Result<MachineCode, LanesError> {
    MachineCode::new(&emit(&[part(gates, gates.slots, isa)], isa)?, isa)
}

/// Compiles code that skips segments that are not marked.
pub fn compile_segments(segments: &Segments, isa: Isa) -> Result<MachineCode, LanesError> {
    let parts = segments.blocks.iter().map(|block| CodeSection {
        guard: block.guard,
        flags: block.flags.clone(),
        ..part(&block.gates, block.first_flag, isa)
    });
    MachineCode::new(&emit(&parts.collect::<Vec<_>>(), isa)?, isa)
}

struct CodeSection {
    /// The section is skipped unless this bit of the mask is set.
    guard: Option<usize>,
    instructions: Vec<VectorInstruction>,
    /// Flags by their number in [`VectorInstruction::Flag`].
    flags: Vec<Flag>,
}

fn part(gates: &GateList, first_flag: u32, isa: Isa) -> CodeSection {
    CodeSection {
        guard: None,
        instructions: registers::assign(&schedule(gates), gates, first_flag, isa),
        flags: vec![],
    }
}

/// Encoded instructions.
struct Emitted {
    bytes: Vec<u8>,
    /// Number of the first vector of the frame that the code does not touch.
    vectors: usize,
}

fn emit(parts: &[CodeSection], isa: Isa) -> Result<Emitted, LanesError> {
    match isa {
        Isa::Neon | Isa::NeonSha3 => aarch64::emit(parts),
        _ => x86::emit(parts, isa).map_err(|error| LanesError::Encoding(error.to_string())),
    }
}

/// Counts the instructions for all roots. The processor need not have the instruction set.
pub fn count(gates: &GateList, isa: Isa) -> Result<InstructionCounts, LanesError> {
    let part = part(gates, gates.slots, isa);
    let mut counts = InstructionCounts { lanes: 64 * isa.width(), ..InstructionCounts::default() };
    for instruction in &part.instructions {
        let count = match instruction {
            VectorInstruction::Load { .. } => &mut counts.loads,
            VectorInstruction::Store { .. } => &mut counts.stores,
            VectorInstruction::Move { .. } => &mut counts.moves,
            other => {
                counts.memory_operands += usize::from(other.vector().is_some());
                &mut counts.logic
            }
        };
        *count += 1;
    }
    counts.bytes = emit(&[part], isa)?.bytes.len();
    Ok(counts)
}

// Vectors of 64-bit words in processor registers, for work on the bits of memories and links. The
// compiler does not select these instructions by itself.

/// Vector of `W` 64-bit words. An existing vector proves that the processor supports the type.
pub trait Vector<const W: usize>: Copy {
    fn load(self, words: &[u64; W]) -> Self;
    fn store(self, words: &mut [u64; W]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Shifts each word to the left by less than 64 bits.
    fn up(self, by: u32) -> Self;
    /// Shifts each word to the right by less than 64 bits.
    fn down(self, by: u32) -> Self;

    /// Repeats a word in all positions.
    #[inline(always)]
    fn splat(self, word: u64) -> Self {
        self.load(&[word; W])
    }

    /// Takes bits from `other` where `mask` is one, and from `self` elsewhere.
    #[inline(always)]
    fn blend(self, other: Self, mask: Self) -> Self {
        self.xor(self.xor(other).and(mask))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.and(other.xor(self.splat(u64::MAX)))
    }

    #[inline(always)]
    fn words(self) -> [u64; W] {
        let mut words = [0; W];
        self.store(&mut words);
        words
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.words().iter().fold(0, |all, word| all | word) == 0
    }

    /// Returns the number of set bits.
    #[inline(always)]
    fn count(self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }
}

/// Work that is generic over the vector length.
pub trait Work {
    type Result;

    fn run<V: Vector<W>, const W: usize>(self, zero: V) -> Self::Result;
}

/// Vector that every processor supports.
#[derive(Clone, Copy)]
pub struct PortableVector<const W: usize>(pub [u64; W]);

impl<const W: usize> Vector<W> for PortableVector<W> {
    #[inline(always)]
    fn load(self, words: &[u64; W]) -> Self {
        PortableVector(*words)
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; W]) {
        *words = self.0;
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        PortableVector(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        PortableVector(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        PortableVector(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }

    #[inline(always)]
    fn up(self, by: u32) -> Self {
        PortableVector(self.0.map(|word| word << by))
    }

    #[inline(always)]
    fn down(self, by: u32) -> Self {
        PortableVector(self.0.map(|word| word >> by))
    }
}
