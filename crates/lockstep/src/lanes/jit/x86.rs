//! Emits machine code for gates, with the vectors of AVX2 or AVX-512.

use super::super::gates::GateOp;
use super::super::segments::Flag;
use super::registers::{VectorInstruction, VectorOperand, VectorReg};
use super::{CodeSection, Emitted, Isa};
use iced_x86::{Code, Encoder, IcedError, Instruction as X86, MemoryOperand, Register};
use std::cell::Cell;

/// Registers that point into the frame. Each points to the middle of a block of vectors that a
/// one-byte displacement can reach. Only AVX-512 counts that displacement in vectors, so that it
/// covers the block. The shorter code avoids fetch stalls in the processor.
const BASES: [Register; 5] =
    [Register::RDI, Register::RCX, Register::RDX, Register::R10, Register::R11];

/// Number of vectors in a block.
const BLOCK: usize = 256;

/// Emits a function that performs all parts. Its arguments are the addresses of a frame and of two
/// masks (System V: in `rdi` and `rsi`). The first mask selects the parts to perform. Flags set
/// bits in it for the same clock cycle and in the second mask for the next.
pub fn emit(parts: &[CodeSection], isa: Isa) -> Result<Emitted, IcedError> {
    let mut emitter = Emitter {
        encoder: Encoder::new(64),
        codes: Codes::of(isa),
        vector_bytes: 8 * isa.width() as i64,
        first: match isa {
            Isa::Avx512Quarter => Register::XMM0,
            Isa::Avx2 | Isa::Avx512Half => Register::YMM0,
            _ => Register::ZMM0,
        },
        bytes: vec![],
        vectors: Cell::new(0),
        blocks: most_used_blocks(parts),
    };
    emitter.all(parts, isa)?;
    Ok(Emitted { bytes: emitter.bytes, vectors: emitter.vectors.get() })
}

/// Encodings of one instruction set.
struct Codes {
    load: Code,
    store: Code,
    and: Code,
    and_not: Code,
    or: Code,
    xor: Code,
    /// Absent from AVX2.
    lut: Option<Code>,
    /// Tests whether a vector has a bit set. AVX-512 puts the result in `k1`.
    test: Code,
}

impl Codes {
    fn of(isa: Isa) -> Self {
        use Code::*;
        match isa {
            Isa::Avx2 => Codes {
                load: VEX_Vmovdqu_ymm_ymmm256,
                store: VEX_Vmovdqu_ymmm256_ymm,
                and: VEX_Vpand_ymm_ymm_ymmm256,
                and_not: VEX_Vpandn_ymm_ymm_ymmm256,
                or: VEX_Vpor_ymm_ymm_ymmm256,
                xor: VEX_Vpxor_ymm_ymm_ymmm256,
                lut: None,
                test: VEX_Vptest_ymm_ymmm256,
            },
            Isa::Avx512Quarter => Codes {
                load: EVEX_Vmovdqu64_xmm_k1z_xmmm128,
                store: EVEX_Vmovdqu64_xmmm128_k1z_xmm,
                and: EVEX_Vpandq_xmm_k1z_xmm_xmmm128b64,
                and_not: EVEX_Vpandnq_xmm_k1z_xmm_xmmm128b64,
                or: EVEX_Vporq_xmm_k1z_xmm_xmmm128b64,
                xor: EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64,
                lut: Some(EVEX_Vpternlogq_xmm_k1z_xmm_xmmm128b64_imm8),
                test: EVEX_Vptestmq_kr_k1_xmm_xmmm128b64,
            },
            Isa::Avx512Half => Codes {
                load: EVEX_Vmovdqu64_ymm_k1z_ymmm256,
                store: EVEX_Vmovdqu64_ymmm256_k1z_ymm,
                and: EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
                and_not: EVEX_Vpandnq_ymm_k1z_ymm_ymmm256b64,
                or: EVEX_Vporq_ymm_k1z_ymm_ymmm256b64,
                xor: EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
                lut: Some(EVEX_Vpternlogq_ymm_k1z_ymm_ymmm256b64_imm8),
                test: EVEX_Vptestmq_kr_k1_ymm_ymmm256b64,
            },
            _ => Codes {
                load: EVEX_Vmovdqu64_zmm_k1z_zmmm512,
                store: EVEX_Vmovdqu64_zmmm512_k1z_zmm,
                and: EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
                and_not: EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
                or: EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
                xor: EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
                lut: Some(EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8),
                test: EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
            },
        }
    }
}

/// Mask of the parts to perform.
const NOW: Register = Register::R8;

/// Mask for the next clock cycle.
const NEXT: Register = Register::R9;

struct Emitter {
    encoder: Encoder,
    codes: Codes,
    vector_bytes: i64,
    first: Register,
    bytes: Vec<u8>,
    vectors: Cell<usize>,
    /// Block of each base, by position in [`BASES`].
    blocks: Vec<usize>,
}

/// Returns the most used blocks of vectors, one for each base. The first is the start of the frame.
fn most_used_blocks(parts: &[CodeSection]) -> Vec<usize> {
    let mut uses: Vec<usize> = vec![];
    for instruction in parts.iter().flat_map(|part| &part.instructions) {
        if let Some(vector) = instruction.vector() {
            let block = vector as usize / BLOCK;
            uses.resize(uses.len().max(block + 1), 0);
            uses[block] += 1;
        }
    }
    let mut others: Vec<usize> = (1..uses.len()).collect();
    others.sort_by_key(|block| std::cmp::Reverse(uses[*block]));
    others.truncate(BASES.len() - 1);
    [vec![0], others].concat()
}

impl Emitter {
    fn all(&mut self, parts: &[CodeSection], isa: Isa) -> Result<(), IcedError> {
        for (base, &block) in BASES.into_iter().zip(&self.blocks.clone()).rev() {
            let middle = self.middle(block) * self.vector_bytes;
            let middle = MemoryOperand::with_base_displ(Register::RDI, middle);
            self.push(X86::with2(Code::Lea_r64_m, base, middle)?)?;
        }
        let masks = [(NOW, 0), (NEXT, 8)];
        let at = |offset: i64| MemoryOperand::with_base_displ(Register::RSI, offset);
        for (mask, offset) in masks {
            self.push(X86::with2(Code::Mov_r64_rm64, mask, at(offset))?)?;
        }
        if isa == Isa::Avx2 {
            let ones = self.ones();
            self.push(X86::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ones, ones, ones)?)?;
        }
        for part in parts {
            let skip = match part.guard {
                Some(bit) => {
                    self.push(X86::with2(Code::Bt_rm64_imm8, NOW, bit as u32)?)?;
                    // `bt` copies the bit to the carry flag.
                    Some(self.jump(Code::Jae_rel32_64)?)
                }
                None => None,
            };
            for instruction in &part.instructions {
                match *instruction {
                    VectorInstruction::Flag { flag, from } => {
                        self.flag(part.flags[flag as usize], from)?
                    }
                    other => self.one(other)?,
                }
            }
            skip.into_iter().for_each(|jump| self.land(jump));
        }
        for (mask, offset) in masks {
            self.push(X86::with2(Code::Mov_rm64_r64, at(offset), mask)?)?;
        }
        self.push(X86::with(Code::VEX_Vzeroupper))?;
        self.push(X86::with(Code::Retnq))
    }

    /// Emits a forward jump without a target. Returns the position after it.
    fn jump(&mut self, code: Code) -> Result<usize, IcedError> {
        self.push(X86::with_branch(code, 0)?)?;
        Ok(self.bytes.len())
    }

    /// Sets the target of a jump to the current position.
    fn land(&mut self, jump: usize) {
        let distance = (self.bytes.len() - jump) as u32;
        self.bytes[jump - 4..jump].copy_from_slice(&distance.to_le_bytes());
    }

    /// Sets mask bits if a vector has a bit set.
    fn flag(&mut self, flag: Flag, from: VectorReg) -> Result<(), IcedError> {
        let (reg, test) = (self.reg(from), self.codes.test);
        if self.codes.lut.is_some() {
            let k = Register::K1;
            self.push(X86::with3(test, k, reg, reg)?)?;
            self.push(X86::with2(Code::VEX_Kortestw_kr_kr, k, k)?)?;
        } else {
            self.push(X86::with2(test, reg, reg)?)?;
        }
        let skip = self.jump(Code::Je_rel32_64)?;
        for (mask, bits) in [(NOW, flag.now), (NEXT, flag.next)] {
            if bits != 0 {
                self.push(X86::with2(Code::Mov_r64_imm64, Register::RAX, bits)?)?;
                self.push(X86::with2(Code::Or_rm64_r64, mask, Register::RAX)?)?;
            }
        }
        self.land(skip);
        Ok(())
    }

    fn one(&mut self, instruction: VectorInstruction) -> Result<(), IcedError> {
        let codes = &self.codes;
        let x86 = match instruction {
            VectorInstruction::Flag { .. } => unreachable!("its meaning is the part's"),
            VectorInstruction::Load { to, from } => {
                X86::with2(codes.load, self.reg(to), self.memory(from))?
            }
            VectorInstruction::Store { to, from } => {
                X86::with2(codes.store, self.memory(to), self.reg(from))?
            }
            VectorInstruction::Move { to, from } => {
                X86::with2(codes.load, self.reg(to), self.reg(from))?
            }
            VectorInstruction::Zero { to } => {
                let to = self.reg(to);
                X86::with3(codes.xor, to, to, to)?
            }
            VectorInstruction::Not { to, from } => match codes.lut {
                // The table inverts the third operand.
                Some(_) => self.lut(0x55, to, to, from)?,
                None => self.three(codes.xor, to, self.ones(), from)?,
            },
            VectorInstruction::Pair { op, to, a, b } => {
                let code = match op {
                    GateOp::And => codes.and,
                    GateOp::AndNot => codes.and_not,
                    GateOp::Or => codes.or,
                    _ => codes.xor,
                };
                self.three(code, to, self.reg(a), b)?
            }
            // The instruction overwrites its first operand.
            VectorInstruction::Lut { table, to, b, c, .. } => self.lut(table, to, b, c)?,
        };
        self.push(x86)
    }

    fn three(
        &self,
        code: Code,
        to: VectorReg,
        a: Register,
        b: VectorOperand,
    ) -> Result<X86, IcedError> {
        let to = self.reg(to);
        match b {
            VectorOperand::Reg(b) => X86::with3(code, to, a, self.reg(b)),
            VectorOperand::Vector(b) => X86::with3(code, to, a, self.memory(b)),
        }
    }

    fn lut(
        &self,
        table: u8,
        to: VectorReg,
        b: VectorReg,
        c: VectorOperand,
    ) -> Result<X86, IcedError> {
        let code = self.codes.lut.expect("tables are for AVX-512 only");
        let (to, b, table) = (self.reg(to), self.reg(b), u32::from(table));
        match c {
            VectorOperand::Reg(c) => X86::with4(code, to, b, self.reg(c), table),
            VectorOperand::Vector(c) => X86::with4(code, to, b, self.memory(c), table),
        }
    }

    fn push(&mut self, x86: X86) -> Result<(), IcedError> {
        // The address matters only to jumps, and `land` writes their distances.
        self.encoder.encode(&x86, 0)?;
        self.bytes.append(&mut self.encoder.take_buffer());
        Ok(())
    }

    fn reg(&self, reg: VectorReg) -> Register {
        self.first + u32::from(reg)
    }

    /// Register of all ones for AVX2.
    fn ones(&self) -> Register {
        Register::YMM15
    }

    /// Makes a memory operand. All accesses to vectors of the frame go through this function.
    fn memory(&self, vector: u32) -> MemoryOperand {
        self.vectors.set(self.vectors.get().max(vector as usize + 1));
        let block = vector as usize / BLOCK;
        let base = self.blocks.iter().position(|known| *known == block);
        let base = base.unwrap_or(0);
        let from_middle = i64::from(vector) - self.middle(self.blocks[base]);
        MemoryOperand::with_base_displ(BASES[base], from_middle * self.vector_bytes)
    }

    /// Returns the vector that the base of a block points to.
    fn middle(&self, block: usize) -> i64 {
        (BLOCK * block + BLOCK / 2) as i64
    }
}
