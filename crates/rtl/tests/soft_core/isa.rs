//! The instructions of RV32I, from the tables of the RISC-V Unprivileged ISA. Decodes and encodes
//! words independently of the core.

/// Fields of an instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionFormat {
    /// Fields rd, rs1, rs2.
    R,
    /// Fields rd, rs1, 12-bit immediate.
    I,
    /// Fields rd, rs1, 5-bit shift amount.
    Shift,
    /// Fields rd, 12-bit offset, rs1.
    Load,
    /// Fields rs2, 12-bit offset, rs1.
    Store,
    /// Fields rs1, rs2, 13-bit offset.
    Branch,
    /// Fields rd, upper 20 bits.
    Upper,
    /// Fields rd, 21-bit offset.
    Jal,
    /// Fields rd, rs1, 12-bit offset.
    Jalr,
    Fence,
    System,
}

/// An instruction. A word encodes it if `word & mask == bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSpec {
    pub name: &'static str,
    pub kind: InstructionFormat,
    pub mask: u32,
    pub bits: u32,
}

const fn instruction(
    name: &'static str,
    kind: InstructionFormat,
    mask: u32,
    bits: u32,
) -> InstructionSpec {
    InstructionSpec { name, kind, mask, bits }
}

const OPCODE: u32 = 0x0000_007F;
const FUNCT3: u32 = 0x0000_707F;
const FUNCT7: u32 = 0xFE00_707F;
const ALL: u32 = 0xFFFF_FFFF;

/// All of RV32I, `fence.i` and `wfi`.
pub const INSTRUCTIONS: [InstructionSpec; 42] = [
    instruction("lui", InstructionFormat::Upper, OPCODE, 0x37),
    instruction("auipc", InstructionFormat::Upper, OPCODE, 0x17),
    instruction("jal", InstructionFormat::Jal, OPCODE, 0x6F),
    instruction("jalr", InstructionFormat::Jalr, FUNCT3, 0x0067),
    instruction("beq", InstructionFormat::Branch, FUNCT3, 0x0063),
    instruction("bne", InstructionFormat::Branch, FUNCT3, 0x1063),
    instruction("blt", InstructionFormat::Branch, FUNCT3, 0x4063),
    instruction("bge", InstructionFormat::Branch, FUNCT3, 0x5063),
    instruction("bltu", InstructionFormat::Branch, FUNCT3, 0x6063),
    instruction("bgeu", InstructionFormat::Branch, FUNCT3, 0x7063),
    instruction("lb", InstructionFormat::Load, FUNCT3, 0x0003),
    instruction("lh", InstructionFormat::Load, FUNCT3, 0x1003),
    instruction("lw", InstructionFormat::Load, FUNCT3, 0x2003),
    instruction("lbu", InstructionFormat::Load, FUNCT3, 0x4003),
    instruction("lhu", InstructionFormat::Load, FUNCT3, 0x5003),
    instruction("sb", InstructionFormat::Store, FUNCT3, 0x0023),
    instruction("sh", InstructionFormat::Store, FUNCT3, 0x1023),
    instruction("sw", InstructionFormat::Store, FUNCT3, 0x2023),
    instruction("addi", InstructionFormat::I, FUNCT3, 0x0013),
    instruction("slti", InstructionFormat::I, FUNCT3, 0x2013),
    instruction("sltiu", InstructionFormat::I, FUNCT3, 0x3013),
    instruction("xori", InstructionFormat::I, FUNCT3, 0x4013),
    instruction("ori", InstructionFormat::I, FUNCT3, 0x6013),
    instruction("andi", InstructionFormat::I, FUNCT3, 0x7013),
    instruction("slli", InstructionFormat::Shift, FUNCT7, 0x0000_1013),
    instruction("srli", InstructionFormat::Shift, FUNCT7, 0x0000_5013),
    instruction("srai", InstructionFormat::Shift, FUNCT7, 0x4000_5013),
    instruction("add", InstructionFormat::R, FUNCT7, 0x0000_0033),
    instruction("sub", InstructionFormat::R, FUNCT7, 0x4000_0033),
    instruction("sll", InstructionFormat::R, FUNCT7, 0x0000_1033),
    instruction("slt", InstructionFormat::R, FUNCT7, 0x0000_2033),
    instruction("sltu", InstructionFormat::R, FUNCT7, 0x0000_3033),
    instruction("xor", InstructionFormat::R, FUNCT7, 0x0000_4033),
    instruction("srl", InstructionFormat::R, FUNCT7, 0x0000_5033),
    instruction("sra", InstructionFormat::R, FUNCT7, 0x4000_5033),
    instruction("or", InstructionFormat::R, FUNCT7, 0x0000_6033),
    instruction("and", InstructionFormat::R, FUNCT7, 0x0000_7033),
    instruction("fence", InstructionFormat::Fence, FUNCT3, 0x000F),
    instruction("fence.i", InstructionFormat::Fence, FUNCT3, 0x100F),
    instruction("ecall", InstructionFormat::System, ALL, 0x0000_0073),
    instruction("ebreak", InstructionFormat::System, ALL, 0x0010_0073),
    instruction("wfi", InstructionFormat::System, ALL, 0x1050_0073),
];

/// The M extension.
pub const MULTIPLICATIONS: [InstructionSpec; 8] = [
    instruction("mul", InstructionFormat::R, FUNCT7, 0x0200_0033),
    instruction("mulh", InstructionFormat::R, FUNCT7, 0x0200_1033),
    instruction("mulhsu", InstructionFormat::R, FUNCT7, 0x0200_2033),
    instruction("mulhu", InstructionFormat::R, FUNCT7, 0x0200_3033),
    instruction("div", InstructionFormat::R, FUNCT7, 0x0200_4033),
    instruction("divu", InstructionFormat::R, FUNCT7, 0x0200_5033),
    instruction("rem", InstructionFormat::R, FUNCT7, 0x0200_6033),
    instruction("remu", InstructionFormat::R, FUNCT7, 0x0200_7033),
];

/// Returns the instruction that a word encodes, if it is legal in RV32I.
pub fn find(word: u32) -> Option<&'static InstructionSpec> {
    INSTRUCTIONS.iter().find(|i| word & i.mask == i.bits)
}

/// Returns the instruction of the M extension that a word encodes.
pub fn find_multiplication(word: u32) -> Option<&'static InstructionSpec> {
    MULTIPLICATIONS.iter().find(|i| word & i.mask == i.bits)
}

/// Returns the instruction with this name.
pub fn named(name: &str) -> &'static InstructionSpec {
    let mut all = INSTRUCTIONS.iter().chain(&MULTIPLICATIONS);
    let found = all.find(|i| i.name == name);
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

fn rd(r: u32) -> u32 {
    (r & 31) << 7
}

fn rs1(r: u32) -> u32 {
    (r & 31) << 15
}

fn rs2(r: u32) -> u32 {
    (r & 31) << 20
}

fn bits(value: i32, from: u32, count: u32) -> u32 {
    (value as u32 >> from) & ((1 << count) - 1)
}

/// Returns a word with these fields. Fields that the instruction lacks are ignored. `value` is the
/// immediate, and for `Upper` its upper 20 bits.
pub fn encode(name: &str, d: u32, s1: u32, s2: u32, value: i32) -> u32 {
    let i = named(name);
    i.bits
        | match i.kind {
            InstructionFormat::R => rd(d) | rs1(s1) | rs2(s2),
            InstructionFormat::I | InstructionFormat::Load | InstructionFormat::Jalr => {
                rd(d) | rs1(s1) | bits(value, 0, 12) << 20
            }
            InstructionFormat::Shift => rd(d) | rs1(s1) | bits(value, 0, 5) << 20,
            InstructionFormat::Store => {
                rs1(s1) | rs2(s2) | bits(value, 5, 7) << 25 | bits(value, 0, 5) << 7
            }
            InstructionFormat::Branch => {
                let sign = bits(value, 12, 1) << 31 | bits(value, 5, 6) << 25;
                rs1(s1) | rs2(s2) | sign | bits(value, 1, 4) << 8 | bits(value, 11, 1) << 7
            }
            InstructionFormat::Upper => rd(d) | bits(value, 0, 20) << 12,
            InstructionFormat::Jal => {
                let high = bits(value, 20, 1) << 31 | bits(value, 1, 10) << 21;
                rd(d) | high | bits(value, 11, 1) << 20 | bits(value, 12, 8) << 12
            }
            InstructionFormat::Fence => rd(d) | rs1(s1) | bits(value, 0, 12) << 20,
            InstructionFormat::System => 0,
        }
}

/// `rrs-lib` decodes the words of the encoder.
#[test]
fn an_independent_decoder_reads_encoded_instructions() {
    use rrs_lib::instruction_string_outputter::InstructionStringOutputter;
    for (word, text) in [
        (encode("addi", 1, 0, 0, -1), "addi x1, x0, -1"),
        (encode("lui", 2, 0, 0, 0x12345), "lui x2, 0x12345000"),
        (encode("sw", 0, 2, 3, -4), "sw x3, -4(x2)"),
        (encode("sb", 0, 2, 3, 2047), "sb x3, 2047(x2)"),
        (encode("lhu", 4, 3, 0, 6), "lhu x4, 6(x3)"),
        (encode("beq", 0, 1, 2, -8), "beq x1, x2, 0x0000fff8"),
        (encode("bgeu", 0, 5, 6, 4094), "bgeu x5, x6, 0x00010ffe"),
        (encode("jal", 1, 0, 0, -20), "jal x1, 0x0000ffec"),
        (encode("jal", 1, 0, 0, 0xFFFFE), "jal x1, 0x0010fffe"),
        (encode("jalr", 0, 1, 0, 5), "jalr x0, 0x005(x1)"),
        (encode("srai", 10, 11, 0, 31), "srai x10, x11, 31"),
        (encode("sub", 3, 1, 2, 0), "sub x3, x1, x2"),
    ] {
        let mut outputter = InstructionStringOutputter { insn_pc: 0x10000 };
        let read = rrs_lib::process_instruction(&mut outputter, word);
        assert_eq!(read.as_deref(), Some(text), "{word:08X}");
    }
}
