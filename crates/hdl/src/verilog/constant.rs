//! Evaluates expressions and statements that depend on constants only.

use crate::fold;
pub use crate::fold::ones;
use lockstep::design::{DesignModule, ExprId, ExprOp, SignalId, SignalKind, Stmt};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::HashMap;

/// Returns the value of an expression; `None` if it reads anything but constants.
pub fn value(module: &DesignModule, id: ExprId) -> Option<BigUint> {
    evaluate(module, id, None)
}

/// Returns the value of an expression if all signals except constants are zero.
pub fn with_zeros(module: &DesignModule, id: ExprId) -> BigUint {
    value_in(module, id, &HashMap::new())
}

/// Returns the values that statements assign if all their external signals are zero.
pub fn run(module: &DesignModule, stmts: &[Stmt]) -> HashMap<SignalId, BigUint> {
    let mut state = HashMap::new();
    execute(module, stmts, &mut state);
    state
}

/// Evaluates an expression. Without a state, only constants have a value.
fn evaluate(
    module: &DesignModule,
    id: ExprId,
    state: Option<&HashMap<SignalId, BigUint>>,
) -> Option<BigUint> {
    let expr = module.expr(id);
    match &expr.op {
        ExprOp::Read(signal) => match &module.signal(*signal).kind {
            SignalKind::Constant(value) => Some(value.clone()),
            _ => Some(state?.get(signal).cloned().unwrap_or_default()),
        },
        op => fold::value(
            op,
            expr.width(),
            |id| module.expr(id).width(),
            |id| evaluate(module, id, state),
        ),
    }
}

fn value_in(module: &DesignModule, id: ExprId, state: &HashMap<SignalId, BigUint>) -> BigUint {
    evaluate(module, id, Some(state)).unwrap_or_default()
}

fn execute(module: &DesignModule, stmts: &[Stmt], state: &mut HashMap<SignalId, BigUint>) {
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
