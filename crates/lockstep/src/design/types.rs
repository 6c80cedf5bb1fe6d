//! Types of words: plain bits, enums and structs.

use num_bigint::BigUint;
use std::sync::Arc;

/// Width of a word and its representation for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Unsigned number of this many bits, at least one.
    Bits(u32),
    Enum(Arc<EnumType>),
    Struct(Arc<StructType>),
}

/// Named values. The encoding of a variant is its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    pub name: String,
    pub width: u32,
    pub variants: Vec<String>,
}

/// Fields packed from the least significant bit up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructType {
    pub name: String,
    pub fields: Vec<FieldType>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldType {
    pub name: String,
    /// Position of the least significant bit.
    pub offset: u32,
    pub ty: Type,
}

impl Type {
    /// One bit.
    pub const BIT: Type = Type::Bits(1);

    /// Returns the width in bits.
    pub fn width(&self) -> u32 {
        match self {
            Type::Bits(width) => *width,
            Type::Enum(e) => e.width,
            Type::Struct(s) => s.fields.iter().map(|f| f.ty.width()).sum(),
        }
    }

    /// Returns the highest value, with all bits set.
    pub fn mask(&self) -> BigUint {
        (BigUint::from(1u8) << self.width()) - 1u8
    }
}
