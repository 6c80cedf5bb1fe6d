//! Each instruction takes the clock cycles that the core's documentation states.

use crate::soft_core::bench::SoftCoreBench;
use crate::soft_core::isa::{encode, InstructionFormat, INSTRUCTIONS};
use crate::soft_core::model::{TurnEnd, WORDS};
use engine::EvaluatorEngine;
use hdl::lower::lower;
use rtl::core::SoftCore;

/// Returns the clock cycles of the second instruction of a program, on a memory that answers one
/// clock cycle after the request.
fn clocks(word: u32) -> u64 {
    let design = lower(&SoftCore::<1, 6>::default()).unwrap();
    let mut memory = vec![encode("addi", 1, 0, 0, 0x100), word];
    memory.resize(WORDS, 0);
    let mut bench = SoftCoreBench::new(EvaluatorEngine::new(&design).unwrap(), vec![memory]);
    assert_eq!(bench.turn(0).end, TurnEnd::Retired);
    let turn = bench.turn(0);
    assert_eq!(turn.end, TurnEnd::Retired, "{word:08X}");
    turn.clocks
}

#[test]
fn every_instruction_takes_the_time_that_is_documented() {
    for instruction in INSTRUCTIONS {
        // Operands are x1 = 0x100 and x0. A register equals itself, and the address is valid.
        let word = encode(instruction.name, 5, 1, 0, 8);
        let expected = match (instruction.kind, instruction.name) {
            (_, "ecall" | "ebreak") => continue,
            (InstructionFormat::Load | InstructionFormat::Store, _) => 5,
            (InstructionFormat::Jal | InstructionFormat::Jalr, _) => 6,
            // Shifts by 8, or by the value of x0.
            (InstructionFormat::Shift, _) => 5 + 8,
            (_, "sll" | "srl" | "sra") => 5,
            // 0x100 is neither equal to 0 nor less than it, signed or unsigned.
            (_, "beq" | "blt" | "bltu") => 5,
            (InstructionFormat::Branch, _) => 8,
            _ => 4,
        };
        assert_eq!(clocks(word), expected, "{}", instruction.name);
    }
    for distance in 0..32 {
        let word = encode("srai", 5, 1, 0, distance);
        assert_eq!(clocks(word), 5 + distance as u64);
    }
}
