//! Each instruction takes the clock cycles that the core's documentation states.

use crate::soft_core::bench::Bench;
use crate::soft_core::isa::{encode, Kind, INSTRUCTIONS};
use crate::soft_core::model::{End, WORDS};
use hdl::lower::lower;
use phasecube::engine::EvaluatorEngine;
use phasecube::rtl::core::SoftCore;

/// Returns the clock cycles of the second instruction of a program, on a memory that answers one
/// clock cycle after the request.
fn clocks(word: u32) -> u64 {
    let design = lower(&SoftCore::<1, 6>::default()).unwrap();
    let mut memory = vec![encode("addi", 1, 0, 0, 0x100), word];
    memory.resize(WORDS, 0);
    let mut bench = Bench::new(EvaluatorEngine::new(&design).unwrap(), vec![memory]);
    assert_eq!(bench.turn(0).end, End::Retired);
    let turn = bench.turn(0);
    assert_eq!(turn.end, End::Retired, "{word:08X}");
    turn.clocks
}

#[test]
fn every_instruction_takes_the_time_that_is_documented() {
    for instruction in INSTRUCTIONS {
        // Operands are x1 = 0x100 and x0. A register equals itself, and the address is valid.
        let word = encode(instruction.name, 5, 1, 0, 8);
        let expected = match (instruction.kind, instruction.name) {
            (_, "ecall" | "ebreak") => continue,
            (Kind::Load | Kind::Store, _) => 5,
            (Kind::Jal | Kind::Jalr, _) => 6,
            // Shifts by 8, or by the value of x0.
            (Kind::Shift, _) => 5 + 8,
            (_, "sll" | "srl" | "sra") => 5,
            // 0x100 is neither equal to 0 nor less than it, signed or unsigned.
            (_, "beq" | "blt" | "bltu") => 5,
            (Kind::Branch, _) => 8,
            _ => 4,
        };
        assert_eq!(clocks(word), expected, "{}", instruction.name);
    }
    for distance in 0..32 {
        let word = encode("srai", 5, 1, 0, distance);
        assert_eq!(clocks(word), 5 + distance as u64);
    }
}
