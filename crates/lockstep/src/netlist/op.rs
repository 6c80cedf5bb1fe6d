//! Word operations of a netlist and their exact meaning.

use super::NetId;
use num_bigint::BigUint;

/// Operation that determines the value of a net. "The result" is the value of the net.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetOp {
    /// Value set from outside, by its position in [`Netlist::inputs`](super::Netlist::inputs).
    Input(u32),
    /// Value of a register, by its position in [`Netlist::registers`](super::Netlist::registers).
    Register(u32),
    /// Word that a memory read at the last clock edge, by its position in
    /// [`Netlist::memories`](super::Netlist::memories).
    Memory(u32),
    /// Constant that fits the width of the net.
    Const(BigUint),

    /// Inverts every bit. Operand and result are equally wide.
    Not(NetId),
    /// Bitwise AND. Operands and result are equally wide.
    And(NetId, NetId),
    /// Bitwise OR. Operands and result are equally wide.
    Or(NetId, NetId),
    /// Bitwise XOR. Operands and result are equally wide.
    Xor(NetId, NetId),
    /// Sum, which wraps. Operands and result are equally wide.
    Add(NetId, NetId),
    /// Left minus right, which wraps. Operands and result are equally wide.
    Sub(NetId, NetId),

    /// One bit: the operands are equal. They are equally wide.
    Eq(NetId, NetId),
    /// One bit: left is below right, unsigned. The operands are equally wide.
    Lt(NetId, NetId),
    /// One bit: all bits of the operand are set.
    All(NetId),
    /// One bit: some bit of the operand is set.
    Any(NetId),
    /// One bit: an odd number of bits of the operand is set.
    Parity(NetId),

    /// `cond` has one bit. `then`, `otherwise` and the result are equally wide.
    Mux {
        cond: NetId,
        then: NetId,
        otherwise: NetId,
    },

    /// Left operand shifted to the left by the right operand, which may have any width. Left
    /// operand and result are equally wide. Bits shifted out are lost, and zeros are shifted in.
    /// [`NetOp::Slice`] and [`NetOp::Concat`] express shifts by a constant.
    Shl(NetId, NetId),
    /// Like [`NetOp::Shl`], but shifted to the right.
    Shr(NetId, NetId),

    /// Bits of `value` from `offset` up, as many as the result is wide. All of them exist.
    Slice { value: NetId, offset: u32 },
    /// At least two words, the least significant first. The width of the result is the sum of
    /// theirs. Zero extension is a `Concat` with a zero.
    Concat(Vec<NetId>),

    /// Bit `index` of `value`. The index is too narrow to reach the width of `value`, and it is not
    /// constant.
    BitAt { value: NetId, index: NetId },
    /// `value` with bit `index` replaced by the one-bit `bit`. `value` and the result are equally
    /// wide. [`NetOp::BitAt`] describes the index.
    ReplaceBit {
        value: NetId,
        index: NetId,
        bit: NetId,
    },
}

impl NetOp {
    /// Returns the operands, in order.
    pub fn operands(&self) -> Vec<NetId> {
        use NetOp::*;
        match self {
            Input(_) | Register(_) | Memory(_) | Const(_) => vec![],
            Not(a) | All(a) | Any(a) | Parity(a) | Slice { value: a, .. } => vec![*a],
            And(a, b) | Or(a, b) | Xor(a, b) | Add(a, b) | Sub(a, b) => vec![*a, *b],
            Eq(a, b) | Lt(a, b) | Shl(a, b) | Shr(a, b) => vec![*a, *b],
            BitAt { value, index } => vec![*value, *index],
            Mux {
                cond,
                then,
                otherwise,
            } => vec![*cond, *then, *otherwise],
            ReplaceBit { value, index, bit } => vec![*value, *index, *bit],
            Concat(parts) => parts.clone(),
        }
    }

    /// Returns the same operation on other operands.
    pub fn map(self, mut f: impl FnMut(NetId) -> NetId) -> NetOp {
        use NetOp::*;
        match self {
            Input(_) | Register(_) | Memory(_) | Const(_) => self,
            Not(a) => Not(f(a)),
            All(a) => All(f(a)),
            Any(a) => Any(f(a)),
            Parity(a) => Parity(f(a)),
            And(a, b) => And(f(a), f(b)),
            Or(a, b) => Or(f(a), f(b)),
            Xor(a, b) => Xor(f(a), f(b)),
            Add(a, b) => Add(f(a), f(b)),
            Sub(a, b) => Sub(f(a), f(b)),
            Eq(a, b) => Eq(f(a), f(b)),
            Lt(a, b) => Lt(f(a), f(b)),
            Shl(a, b) => Shl(f(a), f(b)),
            Shr(a, b) => Shr(f(a), f(b)),
            Mux {
                cond,
                then,
                otherwise,
            } => Mux {
                cond: f(cond),
                then: f(then),
                otherwise: f(otherwise),
            },
            Slice { value, offset } => Slice {
                value: f(value),
                offset,
            },
            Concat(parts) => Concat(parts.into_iter().map(f).collect()),
            BitAt { value, index } => BitAt {
                value: f(value),
                index: f(index),
            },
            ReplaceBit { value, index, bit } => ReplaceBit {
                value: f(value),
                index: f(index),
                bit: f(bit),
            },
        }
    }
}
