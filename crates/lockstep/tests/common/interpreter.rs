//! Executes a module without instances and cells on numbers. The interpreter follows the
//! documentation of `design` directly, in contrast to the flattened netlist.

use lockstep::design::*;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// Returns the values of the signals at the end of the body.
pub fn run(module: &DesignModule, inputs: &[(SignalId, BigUint)]) -> Vec<BigUint> {
    let mut env = vec![BigUint::zero(); module.signals.len()];
    for (id, value) in inputs {
        env[id.index()] = value.clone();
    }
    block(module, &module.body, &mut env);
    env
}

fn block(m: &DesignModule, stmts: &[Stmt], env: &mut Vec<BigUint>) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign { target, slice, value, .. } => {
                let value = eval(m, *value, env);
                let old = &mut env[target.index()];
                match slice {
                    None => *old = value,
                    Some(Slice { offset, width }) => {
                        for i in 0..u64::from(*width) {
                            old.set_bit(u64::from(*offset) + i, value.bit(i));
                        }
                    }
                }
            }
            Stmt::If { cond, then, otherwise } => match eval(m, *cond, env).is_one() {
                true => block(m, then, env),
                false => block(m, otherwise, env),
            },
            Stmt::Case(case) => {
                let subject = eval(m, case.subject, env);
                let arm = case.arms.iter().find(|arm| arm.values.contains(&subject));
                block(m, arm.map_or(&case.default, |arm| &arm.body), env);
            }
        }
    }
}

fn eval(m: &DesignModule, id: ExprId, env: &[BigUint]) -> BigUint {
    let expr = m.expr(id);
    let modulus = BigUint::one() << expr.width();
    let value = |id| eval(m, id, env);
    let flag = |flag: bool| BigUint::from(u8::from(flag));
    match &expr.op {
        ExprOp::Const(value) => value.clone(),
        ExprOp::Read(signal) => env[signal.index()].clone(),
        ExprOp::Unary(op, a) => {
            let ones = value(*a).count_ones();
            match op {
                UnaryOp::Not => modulus - 1u8 - value(*a),
                UnaryOp::All => flag(ones == m.expr(*a).width().into()),
                UnaryOp::Any => flag(ones > 0),
                UnaryOp::Parity => flag(ones % 2 == 1),
            }
        }
        ExprOp::Binary(op, a, b) => {
            let (a, b) = (value(*a), value(*b));
            match op {
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Add => (a + b) % modulus,
                BinaryOp::Sub => (a + &modulus - b) % modulus,
                BinaryOp::Mul => (a * b) % modulus,
                BinaryOp::Eq => flag(a == b),
                BinaryOp::Ne => flag(a != b),
                BinaryOp::Lt => flag(a < b),
                BinaryOp::Le => flag(a <= b),
                BinaryOp::Gt => flag(a > b),
                BinaryOp::Ge => flag(a >= b),
                BinaryOp::Shl => match b.to_u32().filter(|&b| b < expr.width()) {
                    Some(b) => (a << b) % modulus,
                    None => BigUint::zero(),
                },
                BinaryOp::Shr => match b.to_u32() {
                    Some(b) => a >> b,
                    None => BigUint::zero(),
                },
            }
        }
        ExprOp::Mux { cond, then, otherwise } => match value(*cond).is_one() {
            true => value(*then),
            false => value(*otherwise),
        },
        ExprOp::Resize(a) => value(*a) % modulus,
        ExprOp::Slice { value: a, offset } => (value(*a) >> offset) % modulus,
        ExprOp::BitAt { value: a, index } => flag(value(*a).bit(value(*index).to_u64().unwrap())),
        ExprOp::ReplaceBit { value: a, index, bit } => {
            let mut word = value(*a);
            word.set_bit(value(*index).to_u64().unwrap(), value(*bit).is_one());
            word
        }
    }
}
