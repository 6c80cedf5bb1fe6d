//! Encodes instructions for AArch64, with vectors of 128 bits (NEON).
//!
//! An instruction is a word: a fixed pattern with the numbers of its registers. The patterns are in
//! the Arm Architecture Reference Manual, DDI 0487, sections C6.2 and C7.2.

use super::super::gates::{permuted, GateOp, CHOICE, CLEAR_AND_XOR, ORDERS, PARITY};
use super::super::segments::Flag;
use super::registers::{VectorInstruction, VectorOperand, VectorReg};
use super::{CodeSection, Emitted};
use crate::lanes::LanesError;

/// Number of vectors that the offset of a load or store reaches.
const BLOCK: u32 = 4096;

/// General registers. Arguments are the addresses of the frame and of two masks.
const FRAME: u32 = 0;
const MASKS: u32 = 1;
/// Mask of the parts to perform.
const NOW: u32 = 2;
/// Mask for the next clock cycle.
const NEXT: u32 = 3;
const SCRATCH: u32 = 4;
/// Registers that point to the second and later blocks of the frame. Vectors of other blocks are
/// addressed by their number.
const BLOCKS: [u32; 8] = [5, 6, 7, 9, 10, 11, 12, 13];

/// Number of vector registers for values. The last one is needed for tests.
pub const REGISTERS: usize = 31;

const TEST: u32 = 31;

/// Patterns of the instructions.
mod pattern {
    pub const AND: u32 = 0x4E20_1C00;
    pub const BIC: u32 = 0x4E60_1C00;
    pub const ORR: u32 = 0x4EA0_1C00;
    pub const ORN: u32 = 0x4EE0_1C00;
    pub const EOR: u32 = 0x6E20_1C00;
    pub const BSL: u32 = 0x6E60_1C00;
    pub const BIT: u32 = 0x6EA0_1C00;
    pub const BIF: u32 = 0x6EE0_1C00;
    pub const MVN: u32 = 0x6E20_5800;
    pub const EOR3: u32 = 0xCE00_0000;
    pub const BCAX: u32 = 0xCE20_0000;
    pub const MOVI_ZERO: u32 = 0x6F00_E400;
    pub const UMAXP: u32 = 0x6EA0_A400;
    pub const FMOV_TO_GENERAL: u32 = 0x9E66_0000;
    /// Offset in vectors.
    pub const LDR: u32 = 0x3DC0_0000;
    pub const STR: u32 = 0x3D80_0000;
    /// Index register, counted in vectors.
    pub const LDR_INDEX: u32 = 0x3CE0_7800;
    pub const STR_INDEX: u32 = 0x3CA0_7800;
    pub const LDP_GENERAL: u32 = 0xA940_0000;
    pub const STP_GENERAL: u32 = 0xA900_0000;
    /// `stp d, d, [sp, #-64]!` and `ldp d, d, [sp], #64`, without their registers.
    pub const PUSH_64: u32 = 0x6DBC_03E0;
    pub const POP_64: u32 = 0x6CC4_03E0;
    /// `stp` and `ldp` of halves of vectors, relative to `sp`.
    pub const STP_HALVES: u32 = 0x6D00_03E0;
    pub const LDP_HALVES: u32 = 0x6D40_03E0;
    pub const MOVZ: u32 = 0xD280_0000;
    pub const MOVK: u32 = 0xF280_0000;
    pub const ORR_GENERAL: u32 = 0xAA00_0000;
    /// The immediate value is shifted by 12.
    pub const ADD_PAGES: u32 = 0x9140_0000;
    pub const CBZ: u32 = 0xB400_0000;
    pub const TBNZ: u32 = 0x3700_0000;
    pub const BRANCH: u32 = 0x1400_0000;
    pub const RET: u32 = 0xD65F_03C0;
}

/// Emits a function that performs all parts. Its arguments are the addresses of a frame and of two
/// masks, in `x0` and `x1`. The x86-64 code has the same masks.
pub fn emit(parts: &[CodeSection]) -> Result<Emitted, LanesError> {
    let mut emitter = Emitter { words: vec![], vectors: 0 };
    emitter.prologue(parts);
    for part in parts {
        emitter.part(part)?;
    }
    emitter.epilogue();
    Ok(Emitted {
        bytes: emitter.words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        vectors: emitter.vectors as usize,
    })
}

struct Emitter {
    words: Vec<u32>,
    vectors: u32,
}

/// Returns an instruction with three registers.
fn three(pattern: u32, to: VectorReg, a: VectorReg, b: VectorReg) -> u32 {
    pattern | u32::from(b) << 16 | u32::from(a) << 5 | u32::from(to)
}

fn four(pattern: u32, to: VectorReg, [a, b, c]: [VectorReg; 3]) -> u32 {
    three(pattern, to, a, b) | u32::from(c) << 10
}

/// Returns a load or store of two registers. The offset is in units of their size.
fn pair(pattern: u32, first: u32, second: u32, base: u32, offset: u32) -> u32 {
    pattern | offset << 15 | second << 10 | base << 5 | first
}

impl Emitter {
    /// Saves the halves of vector registers that belong to the caller, and loads masks and blocks.
    fn prologue(&mut self, parts: &[CodeSection]) {
        self.words.push(pair(pattern::PUSH_64, 8, 9, 0, 0));
        for (offset, register) in [(2, 10), (4, 12), (6, 14)] {
            self.words.push(pair(pattern::STP_HALVES, register, register + 1, 0, offset));
        }
        self.words.push(pair(pattern::LDP_GENERAL, NOW, NEXT, MASKS, 0));
        let vectors = parts.iter().flat_map(|part| &part.instructions);
        let highest = vectors.filter_map(VectorInstruction::vector).max().unwrap_or(0);
        let pages_per_block = BLOCK * 16 / 4096;
        for (block, register) in (1..=highest / BLOCK).zip(BLOCKS) {
            let pages = block * pages_per_block;
            self.words.push(pattern::ADD_PAGES | pages << 10 | FRAME << 5 | register);
        }
    }

    fn epilogue(&mut self) {
        self.words.push(pair(pattern::STP_GENERAL, NOW, NEXT, MASKS, 0));
        for (offset, register) in [(2, 10), (4, 12), (6, 14)] {
            self.words.push(pair(pattern::LDP_HALVES, register, register + 1, 0, offset));
        }
        self.words.push(pair(pattern::POP_64, 8, 9, 0, 0));
        self.words.push(pattern::RET);
    }

    fn part(&mut self, part: &CodeSection) -> Result<(), LanesError> {
        let jump = part.guard.map(|bit| {
            let bit = bit as u32;
            // Jumps over the branch if the bit is set.
            let test = pattern::TBNZ | (bit >> 5) << 31 | (bit & 31) << 19 | 2 << 5 | NOW;
            self.words.extend([test, pattern::BRANCH]);
            self.words.len() - 1
        });
        for instruction in &part.instructions {
            match *instruction {
                VectorInstruction::Flag { flag, from } => {
                    self.flag(part.flags[flag as usize], from)
                }
                other => self.one(other)?,
            }
        }
        if let Some(jump) = jump {
            let distance = (self.words.len() - jump) as u32;
            if distance >= 1 << 25 {
                return Err(LanesError::Encoding(format!("a jump over {distance} instructions")));
            }
            self.words[jump] |= distance;
        }
        Ok(())
    }

    /// Sets mask bits if a vector has a bit set.
    fn flag(&mut self, flag: Flag, from: VectorReg) {
        // The lower half of the result holds the maximum of each two neighbours.
        self.words.push(three(pattern::UMAXP, TEST as VectorReg, from, from));
        self.words.push(pattern::FMOV_TO_GENERAL | TEST << 5 | SCRATCH);
        let jump = self.words.len();
        self.words.push(0);
        for (mask, bits) in [(NOW, flag.now), (NEXT, flag.next)] {
            if bits != 0 {
                self.constant(bits);
                self.words.push(pattern::ORR_GENERAL | SCRATCH << 16 | mask << 5 | mask);
            }
        }
        let distance = (self.words.len() - jump) as u32;
        self.words[jump] = pattern::CBZ | distance << 5 | SCRATCH;
    }

    /// Loads a constant into the scratch register.
    fn constant(&mut self, value: u64) {
        let mut pattern = pattern::MOVZ;
        for part in 0..4 {
            let bits = (value >> (16 * part)) as u32 & 0xFFFF;
            if bits != 0 {
                self.words.push(pattern | part << 21 | bits << 5 | SCRATCH);
                pattern = pattern::MOVK;
            }
        }
    }

    fn one(&mut self, instruction: VectorInstruction) -> Result<(), LanesError> {
        let word = match instruction {
            VectorInstruction::Flag { .. } => unreachable!("its meaning is the part's"),
            VectorInstruction::Load { to, from } => {
                self.memory(pattern::LDR, pattern::LDR_INDEX, to, from)
            }
            VectorInstruction::Store { to, from } => {
                self.memory(pattern::STR, pattern::STR_INDEX, from, to)
            }
            VectorInstruction::Move { to, from } => three(pattern::ORR, to, from, from),
            VectorInstruction::Zero { to } => pattern::MOVI_ZERO | u32::from(to),
            VectorInstruction::Not { to, from } => three(pattern::MVN, to, register(from), 0),
            VectorInstruction::Pair { op, to, a, b } => {
                let b = register(b);
                match op {
                    GateOp::And => three(pattern::AND, to, a, b),
                    GateOp::Or => three(pattern::ORR, to, a, b),
                    GateOp::Xor => three(pattern::EOR, to, a, b),
                    // `a` is the inverted operand.
                    GateOp::AndNot => three(pattern::BIC, to, b, a),
                    GateOp::OrNot => three(pattern::ORN, to, b, a),
                    _ => unreachable!("{op:?} has other operands"),
                }
            }
            VectorInstruction::Lut { table, to, a, b, c } => {
                let operands = [a, b, register(c)];
                let word = lut(table, to, operands);
                word.ok_or_else(|| {
                    LanesError::Encoding(format!("function {table:#04x} of {operands:?}"))
                })?
            }
        };
        self.words.push(word);
        Ok(())
    }

    /// Returns a load or store. All accesses to vectors of the frame go through this function.
    fn memory(&mut self, offset: u32, index: u32, register: VectorReg, vector: u32) -> u32 {
        self.vectors = self.vectors.max(vector + 1);
        let register = u32::from(register);
        let near = |base: u32| offset | (vector % BLOCK) << 10 | base << 5 | register;
        match vector / BLOCK {
            0 => near(FRAME),
            block if block as usize <= BLOCKS.len() => near(BLOCKS[block as usize - 1]),
            _ => {
                self.constant(vector.into());
                index | SCRATCH << 16 | FRAME << 5 | register
            }
        }
    }
}

/// Returns the register of an operand. This instruction set has no operands in memory.
fn register(operand: VectorOperand) -> VectorReg {
    match operand {
        VectorOperand::Reg(register) => register,
        VectorOperand::Vector(_) => unreachable!("`registers` loads every operand"),
    }
}

/// Returns the order of the operands with which `known` computes a function, if there is one.
fn order_of(known: u8, table: u8) -> Option<[usize; 3]> {
    let is = |order: &[usize; 3]| {
        permuted(known, &[0, 1, 2], |variable| order[variable as usize]) == table
    };
    ORDERS.into_iter().find(is)
}

/// Returns true if `bsl`, `bit` or `bif` computes the function. They overwrite an operand.
pub fn is_choice(table: u8) -> bool {
    order_of(CHOICE, table).is_some()
}

/// Returns the instruction for a function of three registers, if there is one.
fn lut(table: u8, to: VectorReg, operands: [VectorReg; 3]) -> Option<u32> {
    let ordered = |known| Some(order_of(known, table)?.map(|i: usize| operands[i]));
    if let Some(operands) = ordered(PARITY) {
        return Some(four(pattern::EOR3, to, operands));
    }
    if let Some(operands) = ordered(CLEAR_AND_XOR) {
        return Some(four(pattern::BCAX, to, operands));
    }
    let [condition, then, otherwise] = ordered(CHOICE)?;
    match to {
        _ if to == condition => Some(three(pattern::BSL, to, then, otherwise)),
        _ if to == otherwise => Some(three(pattern::BIT, to, then, condition)),
        _ if to == then => Some(three(pattern::BIF, to, otherwise, condition)),
        _ => None,
    }
}
