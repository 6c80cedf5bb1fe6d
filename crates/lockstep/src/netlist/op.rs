//! The word operations of a netlist, and what exactly they mean.

use super::NetId;
use num_bigint::BigUint;

/// What gives a net its value. "The result" is the value of the net.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// The value set from outside; the position in [`Netlist::inputs`](super::Netlist::inputs).
    Input(u32),
    /// What the register holds; the position in [`Netlist::registers`](super::Netlist::registers).
    Register(u32),
    /// What the memory read at the last clock edge; the position in
    /// [`Netlist::memories`](super::Netlist::memories).
    Memory(u32),
    /// Fits the width of the net.
    Const(BigUint),

    /// Every bit inverted; operand and result are equally wide.
    Not(NetId),
    /// Bit by bit; operands and result are equally wide.
    And(NetId, NetId),
    /// Bit by bit; operands and result are equally wide.
    Or(NetId, NetId),
    /// Bit by bit; operands and result are equally wide.
    Xor(NetId, NetId),
    /// Wraps; operands and result are equally wide.
    Add(NetId, NetId),
    /// Left minus right, wraps; operands and result are equally wide.
    Sub(NetId, NetId),

    /// One bit; the operands are equally wide.
    Eq(NetId, NetId),
    /// One bit: left below right, unsigned; the operands are equally wide.
    Lt(NetId, NetId),
    /// One bit: all bits of the operand are set.
    All(NetId),
    /// One bit: some bit of the operand is set.
    Any(NetId),
    /// One bit: an odd number of bits of the operand is set.
    Parity(NetId),

    /// `cond` has one bit; `then`, `otherwise` and result are equally wide.
    Mux {
        cond: NetId,
        then: NetId,
        otherwise: NetId,
    },

    /// The bits of the left operand moved up by the number in the right one,
    /// which may have any width. Left operand and result are equally wide, what
    /// is pushed over the edge is lost, zeros follow. Shifts by a constant are
    /// expressed by [`Op::Slice`] and [`Op::Concat`].
    Shl(NetId, NetId),
    /// Like [`Op::Shl`], downwards.
    Shr(NetId, NetId),

    /// The bits of `value` from `offset` up, as many as the result is wide; all
    /// of them exist.
    Slice { value: NetId, offset: u32 },
    /// At least two words, the least significant first; the result is as wide
    /// as all of them together. Zero extension is a `Concat` with a zero.
    Concat(Vec<NetId>),

    /// One bit of `value`, number `index`. The index can't reach the width of
    /// `value`, for its own width forbids it, and it isn't constant.
    BitAt { value: NetId, index: NetId },
    /// `value` with bit number `index` replaced by the one bit `bit`; `value`
    /// and result are equally wide. For the index see [`Op::BitAt`].
    ReplaceBit {
        value: NetId,
        index: NetId,
        bit: NetId,
    },
}

impl Op {
    /// The operands, in order.
    pub fn operands(&self) -> Vec<NetId> {
        use Op::*;
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

    /// The same operation on other operands.
    pub fn map(self, mut f: impl FnMut(NetId) -> NetId) -> Op {
        use Op::*;
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
