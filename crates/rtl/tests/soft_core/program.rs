//! Random programs: memories full of instructions, with corner cases as operands.

use crate::soft_core::isa::{encode, InstructionFormat, INSTRUCTIONS};
use crate::soft_core::model::WORDS;
use interconnect::traffic::SplitMix64;

const CORNERS: [u32; 12] =
    [0, 1, 2, 3, 31, 32, 0x7FF, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF];

/// Returns a corner case or any word.
fn word(random: &mut SplitMix64) -> u32 {
    match random.below(3) {
        0 => random.next_u64() as u32,
        _ => CORNERS[random.below(CORNERS.len() as u64) as usize],
    }
}

/// Returns a register. The choice is small, so that results are reused, and often register 0.
fn register(random: &mut SplitMix64) -> u32 {
    match random.below(8) {
        0 => 0,
        1 => random.below(32) as u32,
        _ => 1 + random.below(6) as u32,
    }
}

fn immediate(random: &mut SplitMix64) -> i32 {
    match random.below(4) {
        0 => [0, 1, -1, 2047, -2048, 31, 4][random.below(7) as usize],
        1 => random.below(32) as i32,
        _ => random.below(4096) as i32 - 2048,
    }
}

/// Returns a forward or backward offset, mostly short. One in 64 leads to an odd half-word address.
fn offset(random: &mut SplitMix64) -> i32 {
    let words = match random.below(8) {
        0 => random.below(256) as i32 - 128,
        _ => 1 + random.below(6) as i32 - 3 * i32::from(random.below(8) == 0),
    };
    4 * words + 2 * i32::from(random.below(64) == 0)
}

/// Returns any instruction. Those that stop the program are rare.
pub fn instruction(random: &mut SplitMix64) -> u32 {
    let [d, s1, s2] = [(); 3].map(|()| register(random));
    let i = INSTRUCTIONS[random.below(INSTRUCTIONS.len() as u64) as usize];
    let value = match i.kind {
        InstructionFormat::Branch | InstructionFormat::Jal => offset(random),
        InstructionFormat::Upper => word(random) as i32,
        _ => immediate(random),
    };
    if matches!(i.name, "ecall" | "ebreak") && random.below(6) > 0 {
        return encode("addi", d, s1, s2, value);
    }
    encode(i.name, d, s1, s2, value)
}

/// Returns a program. It begins by loading corner cases into its registers. Instructions follow.
/// Most loads, stores and register jumps are preceded by instructions that load a good address.
/// Some words are arbitrary.
pub fn random(random: &mut SplitMix64) -> Vec<u32> {
    let mut words = vec![];
    for r in 1..32 {
        let value = word(random);
        words.push(encode("lui", r, 0, 0, (value >> 12) as i32));
        words.push(encode("addi", r, r, 0, (value & 0xFFF) as i32));
    }
    while words.len() < WORDS {
        if random.below(500) == 0 {
            words.push(random.next_u64() as u32);
            continue;
        }
        let word = instruction(random);
        let kind = crate::soft_core::isa::find(word).expect("it is legal").kind;
        let leads = matches!(
            kind,
            InstructionFormat::Load | InstructionFormat::Store | InstructionFormat::Jalr
        ) && random.below(16) > 0;
        if leads {
            lead(random, &mut words, word, kind);
        } else {
            words.push(word);
        }
    }
    words.truncate(WORDS);
    words
}

/// Adds an access or a jump with an aligned address. Accesses go near the program's end. Jumps go
/// near the current position, with any value in bit 0.
fn lead(random: &mut SplitMix64, words: &mut Vec<u32>, word: u32, kind: InstructionFormat) {
    let base = 1 + random.below(31) as u32;
    let size = match (word >> 12) & 3 {
        0 => 1,
        1 => 2,
        _ => 4,
    };
    let here = 4 * words.len() as u32;
    let target = match kind {
        InstructionFormat::Jalr => here + 12 + 4 * random.below(4) as u32 + random.below(2) as u32,
        _ => 4 * (WORDS as u32 - 512) + (random.below(2048) as u32) / size * size,
    };
    let value = immediate(random);
    let start = target.wrapping_sub(value as u32);
    let upper = start.wrapping_add(0x800) >> 12;
    words.push(encode("lui", base, 0, 0, upper as i32));
    words.push(encode("addi", base, base, 0, start as i32 & 0xFFF));
    let fields = word & !(0x1F << 15);
    let fields = match kind {
        InstructionFormat::Store => {
            fields & !0xFE00_0F80 | encode("sb", 0, 0, 0, value) & 0xFE00_0F80
        }
        _ => fields & !0xFFF0_0000 | encode("lb", 0, 0, 0, value) & 0xFFF0_0000,
    };
    words.push(fields | base << 15);
}
