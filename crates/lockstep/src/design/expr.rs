//! The expressions of the word-level description.

use super::{SignalId, Type};
use num_bigint::BigUint;

/// Points into [`Module::exprs`](super::Module::exprs).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

impl ExprId {
    /// The position in the list of expressions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operation and the type of its result.
///
/// An expression belongs to the statement that uses it and is evaluated there.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub op: Op,
    pub ty: Type,
}

impl Expr {
    /// Width of the result in bits.
    pub fn width(&self) -> u32 {
        self.ty.width()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Fits the width of the expression.
    Const(BigUint),
    /// The value of a signal at this point of the body.
    Read(SignalId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `cond` has one bit, `then` and `otherwise` the width of the result.
    Mux {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// Zero-extended or truncated to the width of the result.
    Resize(ExprId),
    /// The bits from `offset` up, as many as the result is wide; all of them exist.
    Slice {
        value: ExprId,
        offset: u32,
    },
    /// One bit; every value of `index` is below the width of `value`.
    BitAt {
        value: ExprId,
        index: ExprId,
    },
    /// `value` with one bit replaced; every value of `index` is below its width.
    ReplaceBit {
        value: ExprId,
        index: ExprId,
        bit: ExprId,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Every bit inverted; as wide as the operand.
    Not,
    /// One bit: all bits are set.
    All,
    /// One bit: some bit is set.
    Any,
    /// One bit: an odd number of bits is set.
    Parity,
}

/// Both operands and, for the first five, the result are equally wide;
/// comparisons are unsigned and give one bit. Sums and differences wrap.
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
    /// As wide as the left operand; the right one is an unsigned number of any
    /// width. Bits pushed over the edge are lost.
    Shl,
    Shr,
}

impl BinaryOp {
    /// The result is one bit, whatever the operands.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// The right operand may have another width than the left.
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }
}

impl Op {
    /// The operands, in order.
    pub fn operands(&self) -> Vec<ExprId> {
        match *self {
            Op::Const(_) | Op::Read(_) => vec![],
            Op::Unary(_, a) | Op::Resize(a) | Op::Slice { value: a, .. } => vec![a],
            Op::Binary(_, a, b) => vec![a, b],
            Op::BitAt { value, index } => vec![value, index],
            Op::Mux {
                cond,
                then,
                otherwise,
            } => vec![cond, then, otherwise],
            Op::ReplaceBit { value, index, bit } => vec![value, index, bit],
        }
    }

    /// The same operation on other operands: each is replaced by what `new` says of
    /// it.
    #[must_use]
    pub fn map_operands(self, new: impl Fn(ExprId) -> ExprId) -> Op {
        match self {
            Op::Const(_) | Op::Read(_) => self,
            Op::Unary(op, a) => Op::Unary(op, new(a)),
            Op::Binary(op, a, b) => Op::Binary(op, new(a), new(b)),
            Op::Mux {
                cond,
                then,
                otherwise,
            } => Op::Mux {
                cond: new(cond),
                then: new(then),
                otherwise: new(otherwise),
            },
            Op::Resize(a) => Op::Resize(new(a)),
            Op::Slice { value, offset } => Op::Slice {
                value: new(value),
                offset,
            },
            Op::BitAt { value, index } => Op::BitAt {
                value: new(value),
                index: new(index),
            },
            Op::ReplaceBit { value, index, bit } => Op::ReplaceBit {
                value: new(value),
                index: new(index),
                bit: new(bit),
            },
        }
    }
}
