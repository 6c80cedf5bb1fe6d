//! Expressions of a module in the making.

use super::*;

impl Builder {
    fn expr(&mut self, op: Op, ty: Type) -> ExprId {
        self.module.exprs.push(Expr { op, ty });
        ExprId(self.module.exprs.len() as u32 - 1)
    }

    fn ty(&self, id: ExprId) -> Type {
        self.module.expr(id).ty.clone()
    }

    /// A number that fits the width.
    pub fn constant(&mut self, value: impl Into<BigUint>, width: u32) -> ExprId {
        self.expr(Op::Const(value.into()), Type::Bits(width))
    }

    /// The value of a signal at the statement that uses the expression.
    pub fn read(&mut self, signal: SignalId) -> ExprId {
        let ty = self.module.signal(signal).ty.clone();
        self.expr(Op::Read(signal), ty)
    }

    /// One bit of a word; it must exist.
    pub fn bit(&mut self, value: ExprId, offset: u32) -> ExprId {
        match self.module.expr(value).width() {
            1 => value,
            _ => self.slice(value, offset, 1),
        }
    }

    /// `width` bits of a word from `offset` up; they must exist.
    pub fn slice(&mut self, value: ExprId, offset: u32, width: u32) -> ExprId {
        self.expr(Op::Slice { value, offset }, Type::Bits(width))
    }

    /// One bit of a word; every value of `index` is below the width of `value`.
    pub fn bit_at(&mut self, value: ExprId, index: ExprId) -> ExprId {
        self.expr(Op::BitAt { value, index }, Type::BIT)
    }

    /// `value` with one bit replaced; every value of `index` is below its width.
    pub fn replace_bit(&mut self, value: ExprId, index: ExprId, bit: ExprId) -> ExprId {
        let ty = self.ty(value);
        self.expr(Op::ReplaceBit { value, index, bit }, ty)
    }

    /// A word with zeros on top of it, or without its upper bits, so that it has
    /// this width.
    pub fn resize(&mut self, value: ExprId, width: u32) -> ExprId {
        self.expr(Op::Resize(value), Type::Bits(width))
    }

    /// Every bit inverted.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Not, a)
    }

    /// As wide as the operand for [`UnaryOp::Not`], one bit for the others.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let ty = match op {
            UnaryOp::Not => self.ty(a),
            UnaryOp::All | UnaryOp::Any | UnaryOp::Parity => Type::BIT,
        };
        self.expr(Op::Unary(op, a), ty)
    }

    /// The operands have the widths that the operation asks for.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = match op.is_comparison() {
            true => Type::BIT,
            false => self.ty(a),
        };
        self.expr(Op::Binary(op, a, b), ty)
    }

    /// One of two words of the same width; `cond` has one bit.
    pub fn mux(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.ty(then);
        let op = Op::Mux {
            cond,
            then,
            otherwise,
        };
        self.expr(op, ty)
    }
}
