//! Signature programs, one for each instruction. Each stores the results of the instruction's edge
//! cases, and its memory is compared with the model's. riscv-arch-test uses the same method, and
//! `core-test` runs its programs.

use crate::soft_core::bench::SoftCoreBench;
use crate::soft_core::isa::{encode, InstructionFormat, InstructionSpec, INSTRUCTIONS};
use crate::soft_core::model::{CoreModel, TurnEnd, WORDS};
use engine::EvaluatorEngine;
use hdl::lower::lower;
use rtl::core::SoftCore;

/// Operands: zero, ones, signed and unsigned minimum and maximum, alternating bits.
const EDGES: [u32; 8] =
    [0, 1, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0x5555_5555, 0xAAAA_AAAA, 0x8000_0001];
const IMMEDIATES: [i32; 7] = [0, 1, -1, 2047, -2048, 0x555, -0x556];
const UPPERS: [i32; 6] = [0, 1, 0x7_FFFF, 0x8_0000, 0xF_FFFF, 0x5_5555];

/// Addresses of the loaded data, of the signature and of its end. The program is below them.
const DATA: i32 = 0x3000;
const SIGNATURE: i32 = 0x3100;
const END: i32 = 4 * WORDS as i32;

/// Registers for operands, result, and the address of the next result.
const A: u32 = 5;
const B: u32 = 6;
const D: u32 = 7;
const AT: u32 = 30;

#[derive(Default)]
struct SignatureProgram {
    words: Vec<u32>,
    /// Words in the signature.
    results: i32,
}

impl SignatureProgram {
    fn emit(&mut self, name: &str, d: u32, s1: u32, s2: u32, value: i32) {
        self.words.push(encode(name, d, s1, s2, value));
    }

    fn set(&mut self, register: u32, value: u32) {
        let upper = value.wrapping_add(0x800) >> 12;
        self.emit("lui", register, 0, 0, upper as i32);
        self.emit("addi", register, register, 0, value as i32);
    }

    /// Stores a register as the next word of the signature.
    fn keep(&mut self, register: u32) {
        self.emit("sw", 0, AT, register, 0);
        self.emit("addi", AT, AT, 0, 4);
        self.results += 1;
    }

    /// Adds an operation on registers that hold its operands. The result goes to a separate
    /// register, to each operand register and to register 0.
    fn operate(&mut self, name: &str, a: u32, b: u32, value: i32) {
        self.emit(name, D, A, B, value);
        self.keep(D);
        self.emit(name, 0, A, B, value);
        self.keep(0);
        for d in [A, B] {
            self.emit(name, d, A, B, value);
            self.keep(d);
            self.set(A, a);
            self.set(B, b);
        }
    }

    /// Adds a jump or branch forward over one instruction, and one backward. `D` shows which
    /// instructions were executed, and `link` the return address.
    fn go(&mut self, name: &str, link: u32) {
        self.emit("addi", D, 0, 0, 1);
        self.emit(name, link, A, B, 8);
        self.emit("addi", D, D, 0, 2);
        self.keep(D);
        self.keep(link);
        self.emit("jal", 0, 0, 0, 12);
        self.emit("addi", D, D, 0, 4);
        self.emit("jal", 0, 0, 0, 8);
        self.emit(name, link, A, B, -8);
        self.keep(D);
        self.keep(link);
    }

    fn edges(&mut self, i: &InstructionSpec) {
        let shifts = matches!(i.name, "sll" | "srl" | "sra");
        match i.kind {
            InstructionFormat::R => {
                for a in EDGES {
                    self.set(A, a);
                    let distances: Vec<u32> = (0..=32).chain([0xFFFF_FFFF]).collect();
                    for &b in if shifts { &distances[..] } else { &EDGES } {
                        self.set(B, b);
                        self.emit(i.name, D, A, B, 0);
                        self.keep(D);
                    }
                    self.emit(i.name, D, A, A, 0);
                    self.keep(D);
                    self.emit(i.name, D, A, 0, 0);
                    self.keep(D);
                    self.emit(i.name, D, 0, A, 0);
                    self.keep(D);
                    self.set(B, 3);
                    self.operate(i.name, a, 3, 0);
                }
            }
            InstructionFormat::I | InstructionFormat::Shift => {
                let distances: Vec<i32> = (0..32).collect();
                for a in EDGES {
                    self.set(A, a);
                    let shifts = i.kind == InstructionFormat::Shift;
                    for &value in if shifts { &distances[..] } else { &IMMEDIATES } {
                        self.emit(i.name, D, A, 0, value);
                        self.keep(D);
                    }
                    self.operate(i.name, a, 0, 5);
                }
            }
            InstructionFormat::Upper => {
                for value in UPPERS {
                    self.operate(i.name, 0, 0, value);
                }
            }
            InstructionFormat::Branch => {
                for a in EDGES {
                    for b in EDGES {
                        self.set(A, a);
                        self.set(B, b);
                        self.go(i.name, 0);
                    }
                }
            }
            InstructionFormat::Jal => [0, 8].into_iter().for_each(|link| self.go(i.name, link)),
            InstructionFormat::Jalr => {
                // The target is the address of `auipc` plus 12, past one instruction. Its bit 0 is
                // ignored.
                for (link, base, value) in [(8, A, 12), (A, A, 13), (0, B, 12)] {
                    self.emit("auipc", base, 0, 0, 0);
                    self.emit(i.name, link, base, 0, value);
                    self.emit("addi", D, D, 0, 2);
                    self.keep(D);
                    self.keep(link);
                    // Backward: jumps past itself, back to `auipc` plus 8, and continues from
                    // there.
                    self.emit("auipc", base, 0, 0, 0);
                    self.emit("jal", 0, 0, 0, 12);
                    self.emit("addi", D, D, 0, 4);
                    self.emit("jal", 0, 0, 0, 8);
                    self.emit(i.name, link, base, 0, 8);
                    self.keep(D);
                    self.keep(link);
                }
            }
            InstructionFormat::Load => {
                self.set(A, DATA as u32 + 16);
                for value in (-16..16).filter(|value| value % size(i) == 0) {
                    self.emit(i.name, D, A, 0, value);
                    self.keep(D);
                }
                self.operate(i.name, DATA as u32 + 16, 0, 4);
            }
            InstructionFormat::Store => {
                for value in EDGES {
                    self.set(B, value);
                    for offset in (-4..4).filter(|offset| offset % size(i) == 0) {
                        for source in [B, 0] {
                            self.emit("sw", 0, AT, AT, 0);
                            self.emit("addi", A, AT, 0, 4 * i32::from(offset < 0));
                            self.emit(i.name, 0, A, source, offset);
                            self.emit("addi", AT, AT, 0, 4);
                            self.results += 1;
                        }
                    }
                }
            }
            // `ecall` and `ebreak` stop wherever they are.
            InstructionFormat::Fence | InstructionFormat::System => self.operate(i.name, 0, 0, 0),
        }
    }
}

/// Returns the bytes of an access.
fn size(i: &InstructionSpec) -> i32 {
    1 << (i.bits >> 12 & 3)
}

/// Returns the memory with a program for all edge cases of an instruction, and the number of
/// signature words.
fn program(i: &InstructionSpec) -> (Vec<u32>, i32) {
    let mut program = SignatureProgram::default();
    program.set(AT, SIGNATURE as u32);
    // The core reads register 1 in place of register 0 as the second operand and must discard it.
    program.set(1, 0xC0DE_C0DE);
    program.edges(i);
    program.emit("ecall", 0, 0, 0, 0);
    let SignatureProgram { mut words, results } = program;
    assert!(words.len() < DATA as usize / 4, "{}: {}", i.name, words.len());
    assert!(SIGNATURE + 4 * results <= END, "{}: {results}", i.name);
    words.resize(WORDS, 0);
    // All bytes differ, and every second one has its sign bit set.
    for (at, word) in words[DATA as usize / 4..][..8].iter_mut().enumerate() {
        *word = 0x83_02_81_00 + 0x0404_0404 * at as u32;
    }
    (words, results)
}

#[test]
fn each_instruction_has_the_signature_of_the_model() {
    let design = lower(&SoftCore::<1, 6>::default()).unwrap();
    for i in &INSTRUCTIONS {
        let (words, results) = program(i);
        let mut model = CoreModel::new(words.clone());
        let mut bench =
            SoftCoreBench::new(EvaluatorEngine::new(&design).unwrap(), vec![words.clone()]);
        // No other instruction may put the core to sleep.
        let wake = i.name == "wfi";
        bench.wake[0] = wake;
        let mut done = 0;
        let end = loop {
            let (expected, found) = (model.turn(wake), bench.turn(0).end);
            assert_eq!(found, expected, "{} at {:08X}", i.name, model.pc());
            done += usize::from(model.last.is_some_and(|last| last.name == i.name));
            if expected != TurnEnd::Retired {
                break expected;
            }
        };
        assert_eq!(end, TurnEnd::Halted(if i.name == "ebreak" { 3 } else { 11 }));
        assert!(done > 0, "{}", i.name);
        let signature = SIGNATURE as usize / 4..SIGNATURE as usize / 4 + results as usize;
        for at in 0..WORDS {
            let (found, expected) = (bench.memories[0][at], model.memory.words[at]);
            let place = match signature.contains(&at) {
                true => format!("result {}", at - signature.start),
                false => format!("word {at}"),
            };
            assert_eq!(found, expected, "{}: {place}: {found:08X} {expected:08X}", i.name);
        }
    }
}
