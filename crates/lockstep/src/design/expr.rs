//! Expressions of the word-level description.

use super::{SignalId, Type};
use num_bigint::BigUint;

/// Position in [`DesignModule::exprs`](super::DesignModule::exprs).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

impl ExprId {
    /// Returns the position in the list of expressions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operation and the type of its result.
///
/// An expression belongs to the statement that uses it and is evaluated there.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub op: ExprOp,
    pub ty: Type,
}

impl Expr {
    /// Returns the width of the result in bits.
    pub fn width(&self) -> u32 {
        self.ty.width()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprOp {
    /// Constant that fits the width of the expression.
    Const(BigUint),
    /// Value of a signal at this point of the body.
    Read(SignalId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `cond` has one bit. `then` and `otherwise` have the width of the result.
    Mux {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// Operand zero-extended or truncated to the width of the result.
    Resize(ExprId),
    /// Bits from `offset` up, as many as the result is wide. All of them exist.
    Slice {
        value: ExprId,
        offset: u32,
    },
    /// One bit of `value`. Every value of `index` is below the width of `value`.
    BitAt {
        value: ExprId,
        index: ExprId,
    },
    /// `value` with one bit replaced. Every value of `index` is below its width.
    ReplaceBit {
        value: ExprId,
        index: ExprId,
        bit: ExprId,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Inverts every bit. The result is as wide as the operand.
    Not,
    /// One bit: all bits are set.
    All,
    /// One bit: some bit is set.
    Any,
    /// One bit: an odd number of bits is set.
    Parity,
}

/// Binary operation. Both operands are equally wide, except for shifts. The result of the first
/// five is also as wide. Comparisons are unsigned and their result is one bit. Sums and differences
/// wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Left shift. The result is as wide as the left operand. The right operand is an unsigned
    /// number of any width. Bits shifted out are lost.
    Shl,
    Shr,
}

impl BinaryOp {
    /// Returns true if the result is one bit for operands of any width.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// Returns true if the right operand may differ in width from the left one.
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }
}

impl ExprOp {
    /// Returns the operands, in order.
    pub fn operands(&self) -> Vec<ExprId> {
        match *self {
            ExprOp::Const(_) | ExprOp::Read(_) => vec![],
            ExprOp::Unary(_, a) | ExprOp::Resize(a) | ExprOp::Slice { value: a, .. } => vec![a],
            ExprOp::Binary(_, a, b) => vec![a, b],
            ExprOp::BitAt { value, index } => vec![value, index],
            ExprOp::Mux {
                cond,
                then,
                otherwise,
            } => vec![cond, then, otherwise],
            ExprOp::ReplaceBit { value, index, bit } => vec![value, index, bit],
        }
    }

    /// Returns the same operation with each operand replaced by `new`.
    #[must_use]
    pub fn map_operands(self, new: impl Fn(ExprId) -> ExprId) -> ExprOp {
        match self {
            ExprOp::Const(_) | ExprOp::Read(_) => self,
            ExprOp::Unary(op, a) => ExprOp::Unary(op, new(a)),
            ExprOp::Binary(op, a, b) => ExprOp::Binary(op, new(a), new(b)),
            ExprOp::Mux {
                cond,
                then,
                otherwise,
            } => ExprOp::Mux {
                cond: new(cond),
                then: new(then),
                otherwise: new(otherwise),
            },
            ExprOp::Resize(a) => ExprOp::Resize(new(a)),
            ExprOp::Slice { value, offset } => ExprOp::Slice {
                value: new(value),
                offset,
            },
            ExprOp::BitAt { value, index } => ExprOp::BitAt {
                value: new(value),
                index: new(index),
            },
            ExprOp::ReplaceBit { value, index, bit } => ExprOp::ReplaceBit {
                value: new(value),
                index: new(index),
                bit: new(bit),
            },
        }
    }
}
