//! The value of expressions and statements that depend on constants only.

use lockstep::design::{BinaryOp, ExprId, Module, Op, SignalId, SignalKind, Stmt, UnaryOp};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::HashMap;

/// All bits of a word set.
pub fn ones(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

/// The value of an expression, if it reads constants only.
pub fn value(module: &Module, id: ExprId) -> Option<BigUint> {
    evaluate(module, id, None)
}

/// The value of an expression if everything but constants is zero.
pub fn with_zeros(module: &Module, id: ExprId) -> BigUint {
    value_in(module, id, &HashMap::new())
}

/// The values that statements leave behind if all that they take from outside
/// is zero.
pub fn run(module: &Module, stmts: &[Stmt]) -> HashMap<SignalId, BigUint> {
    let mut state = HashMap::new();
    execute(module, stmts, &mut state);
    state
}

/// Without a state, only constants have a value.
fn evaluate(
    module: &Module,
    id: ExprId,
    state: Option<&HashMap<SignalId, BigUint>>,
) -> Option<BigUint> {
    let expr = module.expr(id);
    let mask = ones(expr.width());
    let of = |id: ExprId| evaluate(module, id, state);
    let bit = |b: bool| BigUint::from(b as u8);
    Some(match &expr.op {
        Op::Const(value) => value.clone(),
        Op::Read(signal) => match &module.signal(*signal).kind {
            SignalKind::Constant(value) => value.clone(),
            _ => state?.get(signal).cloned().unwrap_or_default(),
        },
        Op::Unary(op, a) => {
            let all = ones(module.expr(*a).width());
            let a = of(*a)?;
            match op {
                UnaryOp::Not => a ^ all,
                UnaryOp::All => bit(a == all),
                UnaryOp::Any => bit(!a.is_zero()),
                UnaryOp::Parity => bit(a.count_ones() % 2 == 1),
            }
        }
        Op::Binary(op, a, b) => {
            let (a, b) = (of(*a)?, of(*b)?);
            // A shift that far leaves nothing, however far it is.
            let far = b.to_u32().unwrap_or(u32::MAX).min(expr.width());
            match op {
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Add => (a + b) & mask,
                BinaryOp::Sub => (a + &mask + 1u32 - b) & mask,
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
        Op::Mux {
            cond,
            then,
            otherwise,
        } => of(if of(*cond)?.is_zero() {
            *otherwise
        } else {
            *then
        })?,
        Op::Resize(a) => of(*a)? & mask,
        Op::Slice { value, offset } => (of(*value)? >> *offset) & mask,
        Op::BitAt { value, index } => bit(of(*value)?.bit(of(*index)?.to_u64()?)),
        Op::ReplaceBit { value, index, bit } => {
            let mut value = of(*value)?;
            value.set_bit(of(*index)?.to_u64()?, !of(*bit)?.is_zero());
            value
        }
    })
}

fn value_in(module: &Module, id: ExprId, state: &HashMap<SignalId, BigUint>) -> BigUint {
    evaluate(module, id, Some(state)).unwrap_or_default()
}

fn execute(module: &Module, stmts: &[Stmt], state: &mut HashMap<SignalId, BigUint>) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign {
                target,
                slice,
                value,
                ..
            } => {
                let value = value_in(module, *value, state);
                let word = state.entry(*target).or_default();
                match slice {
                    None => *word = value,
                    Some(s) => {
                        let hole = ones(s.width) << s.offset;
                        *word = (&*word | &hole) ^ hole | (value << s.offset);
                    }
                }
            }
            Stmt::If {
                cond,
                then,
                otherwise,
            } => {
                let taken = !value_in(module, *cond, state).is_zero();
                execute(module, if taken { then } else { otherwise }, state);
            }
            Stmt::Case(case) => {
                let subject = value_in(module, case.subject, state);
                let arm = case.arms.iter().find(|a| a.values.contains(&subject));
                execute(module, arm.map_or(&case.default, |a| &a.body), state);
            }
        }
    }
}
