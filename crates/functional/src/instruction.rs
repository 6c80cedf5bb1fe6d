//! Instructions of RV32IM, decoded.

/// Operation on two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Sub,
    ShiftLeft,
    Less,
    LessUnsigned,
    Xor,
    ShiftRight,
    ShiftRightArithmetic,
    Or,
    And,
    Multiply,
    MultiplyHigh,
    MultiplyHighSignedUnsigned,
    MultiplyHighUnsigned,
    Divide,
    DivideUnsigned,
    Remainder,
    RemainderUnsigned,
}

/// Condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    NotLess,
    LessUnsigned,
    NotLessUnsigned,
}

/// Kind of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Operation with the immediate.
    Immediate(Operation),
    /// Operation with the second register.
    Register(Operation),
    Lui,
    Auipc,
    Load,
    Store,
    Branch(Condition),
    Jal,
    Jalr,
    /// `fence` or `fence.i`, without effect.
    Fence,
    Wfi,
    EnvironmentCall,
    Breakpoint,
    Illegal,
}

/// Decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub kind: Kind,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    /// `funct3`, the size of a load or store: 0 byte, 1 halfword, 2 word; bit 2 set: unsigned.
    pub size: u8,
    /// Immediate, extended to 32 bits.
    pub immediate: u32,
    pub word: u32,
}

impl Instruction {
    /// Decodes a word. `multiplies` is true for a core with the M extension.
    pub fn decode(word: u32, multiplies: bool) -> Self {
        let field = |low: u32, width: u32| (word >> low & ((1 << width) - 1)) as u8;
        let (kind, immediate) = kind_of(word, multiplies);
        Instruction {
            kind,
            rd: field(7, 5),
            rs1: field(15, 5),
            rs2: field(20, 5),
            size: field(12, 3),
            immediate,
            word,
        }
    }
}

/// Returns the kind of a word and its immediate.
fn kind_of(word: u32, multiplies: bool) -> (Kind, u32) {
    let signed = word as i32;
    let i = (signed >> 20) as u32;
    let s = (signed >> 25 << 5) as u32 | word >> 7 & 0x1F;
    let b = (signed >> 31 << 12) as u32
        | (word >> 7 & 1) << 11
        | (word >> 25 & 0x3F) << 5
        | (word >> 8 & 0xF) << 1;
    let u = word & 0xFFFF_F000;
    let j = (signed >> 31 << 20) as u32
        | word & 0xF_F000
        | (word >> 20 & 1) << 11
        | (word >> 21 & 0x3FF) << 1;
    let funct3 = word >> 12 & 7;
    let illegal = (Kind::Illegal, 0);
    match word & 0x7F {
        0b000_0011 if matches!(funct3, 0 | 1 | 2 | 4 | 5) => (Kind::Load, i),
        0b000_1111 if funct3 < 2 => (Kind::Fence, 0),
        0b001_0011 => match immediate_operation(word) {
            Some(operation) => (Kind::Immediate(operation), i),
            None => illegal,
        },
        0b001_0111 => (Kind::Auipc, u),
        0b010_0011 if funct3 < 3 => (Kind::Store, s),
        0b011_0011 => match register_operation(word, multiplies) {
            Some(operation) => (Kind::Register(operation), 0),
            None => illegal,
        },
        0b011_0111 => (Kind::Lui, u),
        0b110_0011 => match condition(funct3) {
            Some(condition) => (Kind::Branch(condition), b),
            None => illegal,
        },
        0b110_0111 if funct3 == 0 => (Kind::Jalr, i),
        0b110_1111 => (Kind::Jal, j),
        0b111_0011 => match word {
            0x0000_0073 => (Kind::EnvironmentCall, 0),
            0x0010_0073 => (Kind::Breakpoint, 0),
            0x1050_0073 => (Kind::Wfi, 0),
            _ => illegal,
        },
        _ => illegal,
    }
}

/// Returns the condition of a branch with this `funct3`.
fn condition(funct3: u32) -> Option<Condition> {
    Some(match funct3 {
        0 => Condition::Equal,
        1 => Condition::NotEqual,
        4 => Condition::Less,
        5 => Condition::NotLess,
        6 => Condition::LessUnsigned,
        7 => Condition::NotLessUnsigned,
        _ => return None,
    })
}

/// Returns the operation of an instruction with an immediate. The distance of a shift has five bits.
fn immediate_operation(word: u32) -> Option<Operation> {
    let upper = word >> 25;
    Some(match (word >> 12 & 7, upper) {
        (0, _) => Operation::Add,
        (1, 0) => Operation::ShiftLeft,
        (2, _) => Operation::Less,
        (3, _) => Operation::LessUnsigned,
        (4, _) => Operation::Xor,
        (5, 0) => Operation::ShiftRight,
        (5, 0x20) => Operation::ShiftRightArithmetic,
        (6, _) => Operation::Or,
        (7, _) => Operation::And,
        _ => return None,
    })
}

/// Returns the operation of an instruction with two registers.
fn register_operation(word: u32, multiplies: bool) -> Option<Operation> {
    Some(match (word >> 12 & 7, word >> 25) {
        (0, 0) => Operation::Add,
        (0, 0x20) => Operation::Sub,
        (1, 0) => Operation::ShiftLeft,
        (2, 0) => Operation::Less,
        (3, 0) => Operation::LessUnsigned,
        (4, 0) => Operation::Xor,
        (5, 0) => Operation::ShiftRight,
        (5, 0x20) => Operation::ShiftRightArithmetic,
        (6, 0) => Operation::Or,
        (7, 0) => Operation::And,
        (funct3, 1) if multiplies => match funct3 {
            0 => Operation::Multiply,
            1 => Operation::MultiplyHigh,
            2 => Operation::MultiplyHighSignedUnsigned,
            3 => Operation::MultiplyHighUnsigned,
            4 => Operation::Divide,
            5 => Operation::DivideUnsigned,
            6 => Operation::Remainder,
            _ => Operation::RemainderUnsigned,
        },
        _ => return None,
    })
}

impl Operation {
    /// Returns the result.
    #[inline(always)]
    pub fn apply(self, a: u32, b: u32) -> u32 {
        let (signed_a, signed_b) = (a as i32, b as i32);
        match self {
            Operation::Add => a.wrapping_add(b),
            Operation::Sub => a.wrapping_sub(b),
            Operation::ShiftLeft => a << (b & 31),
            Operation::Less => (signed_a < signed_b).into(),
            Operation::LessUnsigned => (a < b).into(),
            Operation::Xor => a ^ b,
            Operation::ShiftRight => a >> (b & 31),
            Operation::ShiftRightArithmetic => (signed_a >> (b & 31)) as u32,
            Operation::Or => a | b,
            Operation::And => a & b,
            Operation::Multiply => a.wrapping_mul(b),
            Operation::MultiplyHigh => high(i64::from(signed_a) * i64::from(signed_b)),
            Operation::MultiplyHighSignedUnsigned => high(i64::from(signed_a) * i64::from(b)),
            Operation::MultiplyHighUnsigned => high((u64::from(a) * u64::from(b)) as i64),
            Operation::Divide if b == 0 => u32::MAX,
            Operation::Divide => signed_a.wrapping_div(signed_b) as u32,
            Operation::DivideUnsigned => a.checked_div(b).unwrap_or(u32::MAX),
            Operation::Remainder if b == 0 => a,
            Operation::Remainder => signed_a.wrapping_rem(signed_b) as u32,
            Operation::RemainderUnsigned => a.checked_rem(b).unwrap_or(a),
        }
    }

    /// Returns the clock cycles of the core from the execution of the instruction to its end. Shifts
    /// are serial, and the M extension works bit by bit.
    #[inline(always)]
    pub fn clock_cycles(self, b: u32) -> u64 {
        use Operation::*;
        match self {
            ShiftLeft | ShiftRight | ShiftRightArithmetic => 2 + u64::from(b & 31),
            Add | Sub | Less | LessUnsigned | Xor | Or | And => 1,
            _ => 33,
        }
    }
}

/// Upper word of a product.
fn high(product: i64) -> u32 {
    (product >> 32) as u32
}

impl Condition {
    /// True if the branch is taken.
    #[inline(always)]
    pub fn holds(self, a: u32, b: u32) -> bool {
        match self {
            Condition::Equal => a == b,
            Condition::NotEqual => a != b,
            Condition::Less => (a as i32) < b as i32,
            Condition::NotLess => a as i32 >= b as i32,
            Condition::LessUnsigned => a < b,
            Condition::NotLessUnsigned => a >= b,
        }
    }
}
