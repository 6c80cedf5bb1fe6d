//! Expressions of a module under construction.

use super::*;

impl Builder {
    fn expr(&mut self, op: ExprOp, ty: Type) -> ExprId {
        self.module.exprs.push(Expr { op, ty });
        ExprId(self.module.exprs.len() as u32 - 1)
    }

    fn ty(&self, id: ExprId) -> Type {
        self.module.expr(id).ty.clone()
    }

    /// Makes a constant. The value must fit the width.
    pub fn constant(&mut self, value: impl Into<BigUint>, width: u32) -> ExprId {
        self.expr(ExprOp::Const(value.into()), Type::Bits(width))
    }

    /// Reads a signal. The value is taken at the statement that uses the expression.
    pub fn read(&mut self, signal: SignalId) -> ExprId {
        let ty = self.module.signal(signal).ty.clone();
        self.expr(ExprOp::Read(signal), ty)
    }

    /// Selects one bit of a word. The bit must exist.
    pub fn bit(&mut self, value: ExprId, offset: u32) -> ExprId {
        match self.module.expr(value).width() {
            1 => value,
            _ => self.slice(value, offset, 1),
        }
    }

    /// Selects `width` bits of a word from `offset` up. The bits must exist.
    pub fn slice(&mut self, value: ExprId, offset: u32, width: u32) -> ExprId {
        self.expr(ExprOp::Slice { value, offset }, Type::Bits(width))
    }

    /// Selects one bit of a word. Every value of `index` must be below the width of `value`.
    pub fn bit_at(&mut self, value: ExprId, index: ExprId) -> ExprId {
        self.expr(ExprOp::BitAt { value, index }, Type::BIT)
    }

    /// Replaces one bit of `value`. Every value of `index` must be below its width.
    pub fn replace_bit(&mut self, value: ExprId, index: ExprId, bit: ExprId) -> ExprId {
        let ty = self.ty(value);
        self.expr(ExprOp::ReplaceBit { value, index, bit }, ty)
    }

    /// Zero-extends or truncates a word to this width.
    pub fn resize(&mut self, value: ExprId, width: u32) -> ExprId {
        self.expr(ExprOp::Resize(value), Type::Bits(width))
    }

    /// Inverts every bit.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Not, a)
    }

    /// Applies a unary operation. The result is as wide as the operand for [`UnaryOp::Not`], one
    /// bit for the others.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let ty = match op {
            UnaryOp::Not => self.ty(a),
            UnaryOp::All | UnaryOp::Any | UnaryOp::Parity => Type::BIT,
        };
        self.expr(ExprOp::Unary(op, a), ty)
    }

    /// Applies a binary operation. The operands must have the widths that the operation requires.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = match op.is_comparison() {
            true => Type::BIT,
            false => self.ty(a),
        };
        self.expr(ExprOp::Binary(op, a, b), ty)
    }

    /// Selects one of two words of the same width. `cond` must have one bit.
    pub fn mux(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.ty(then);
        let op = ExprOp::Mux {
            cond,
            then,
            otherwise,
        };
        self.expr(op, ty)
    }
}
