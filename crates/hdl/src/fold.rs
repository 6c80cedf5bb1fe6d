//! Evaluates operations on known values.

use lockstep::design::{BinaryOp, ExprId, ExprOp, UnaryOp};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// Returns a word with all bits set.
pub fn ones(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

/// Returns the value of an operation with a result of `width` bits, from the widths and values of
/// its operands. Returns `None` if a required operand has no value, or the operation reads a
/// signal.
pub fn value(
    op: &ExprOp,
    width: u32,
    width_of: impl Fn(ExprId) -> u32,
    of: impl Fn(ExprId) -> Option<BigUint>,
) -> Option<BigUint> {
    let mask = ones(width);
    let bit = |b: bool| BigUint::from(b as u8);
    Some(match op {
        ExprOp::Const(value) => value.clone(),
        ExprOp::Read(_) => return None,
        ExprOp::Unary(op, a) => {
            let all = ones(width_of(*a));
            let a = of(*a)?;
            match op {
                UnaryOp::Not => a ^ all,
                UnaryOp::All => bit(a == all),
                UnaryOp::Any => bit(!a.is_zero()),
                UnaryOp::Parity => bit(a.count_ones() % 2 == 1),
            }
        }
        ExprOp::Binary(op, a, b) => {
            let (a, b) = (of(*a)?, of(*b)?);
            // A shift by the width or more gives zero, so larger amounts are equivalent.
            let far = b.to_u32().unwrap_or(u32::MAX).min(width);
            match op {
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Add => (a + b) & mask,
                BinaryOp::Sub => (a + &mask + 1u32 - b) & mask,
                BinaryOp::Mul => (a * b) & mask,
                BinaryOp::Eq => bit(a == b),
                BinaryOp::Ne => bit(a != b),
                BinaryOp::Lt => bit(a < b),
                BinaryOp::Le => bit(a <= b),
                BinaryOp::Gt => bit(a > b),
                BinaryOp::Ge => bit(a >= b),
                BinaryOp::Shl => (a << far) & mask,
                BinaryOp::Shr => a >> far,
            }
        }
        ExprOp::Mux { cond, then, otherwise } => match of(*cond)?.is_zero() {
            true => of(*otherwise)?,
            false => of(*then)?,
        },
        ExprOp::Resize(a) => of(*a)? & mask,
        ExprOp::Slice { value, offset } => (of(*value)? >> *offset) & mask,
        ExprOp::BitAt { value, index } => bit(of(*value)?.bit(of(*index)?.to_u64()?)),
        ExprOp::ReplaceBit { value, index, bit } => {
            let mut value = of(*value)?;
            value.set_bit(of(*index)?.to_u64()?, !of(*bit)?.is_zero());
            value
        }
    })
}
