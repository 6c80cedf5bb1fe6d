//! Executes the statements of a module symbolically, with nets instead of values.

use super::super::{NetId, NetOp};
use super::draft::NetDraft;
use crate::design::{BinaryOp, CaseStmt, DesignModule, Expr, ExprId, ExprOp, Slice, Stmt, UnaryOp};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::BTreeSet;

/// Net with the value of each signal at some point of a body. `None` if no bit of the signal is
/// assigned on every path to this point. Unassigned bits are arbitrary because a checked design
/// does not read them.
pub(super) type Env = Vec<Option<NetId>>;

/// Executes the body of a module. `env` is the initial state and becomes the final one.
pub(super) fn run(module: &DesignModule, draft: &mut NetDraft, env: &mut Env) {
    let memo = vec![None; module.exprs.len()];
    BodyFlattener {
        module,
        draft,
        memo,
    }
    .block(&module.body, env);
}

struct BodyFlattener<'a> {
    module: &'a DesignModule,
    draft: &'a mut NetDraft,
    /// Nets of the expressions at their last evaluation. Only those of the current statement are
    /// valid.
    memo: Vec<Option<NetId>>,
}

impl BodyFlattener<'_> {
    fn block(&mut self, stmts: &[Stmt], env: &mut Env) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign {
                    target,
                    slice,
                    value,
                    ..
                } => {
                    let value = self.value(*value, env);
                    let old = env[target.index()];
                    let width = self.module.signal(*target).width();
                    env[target.index()] = Some(self.assigned(old, width, *slice, value));
                }
                Stmt::If {
                    cond,
                    then,
                    otherwise,
                } => {
                    let cond = self.value(*cond, env);
                    let mut then_env = env.clone();
                    self.block(then, &mut then_env);
                    self.block(otherwise, env);
                    self.merge(cond, &then_env, env);
                }
                Stmt::Case(case) => self.case(case, env),
            }
        }
    }

    /// Returns the value of a signal after an assignment.
    fn assigned(
        &mut self,
        old: Option<NetId>,
        width: u32,
        slice: Option<Slice>,
        value: NetId,
    ) -> NetId {
        match slice {
            None => value,
            Some(slice) => {
                let base = old.unwrap_or_else(|| self.draft.constant(BigUint::zero(), width));
                self.draft.splice(base, slice.offset, value)
            }
        }
    }

    fn case(&mut self, case: &CaseStmt, env: &mut Env) {
        let subject = self.value(case.subject, env);
        let arms: Vec<(NetId, Env)> = case
            .arms
            .iter()
            .map(|arm| {
                let mut env = env.clone();
                self.block(&arm.body, &mut env);
                (self.is_one_of(subject, &arm.values), env)
            })
            .collect();
        self.block(&case.default, env);
        // Merging starts from the last arm, so that the first matching arm wins.
        for (cond, arm) in arms.iter().rev() {
            self.merge(*cond, arm, env);
        }
    }

    fn is_one_of(&mut self, subject: NetId, values: &[BigUint]) -> NetId {
        let width = self.draft.width(subject);
        let mut any = None;
        for value in values {
            let value = self.draft.constant(value.clone(), width);
            let eq = self.draft.net(NetOp::Eq(subject, value), 1);
            any = Some(match any {
                None => eq,
                Some(any) => self.draft.net(NetOp::Or(any, eq), 1),
            });
        }
        any.unwrap_or_else(|| self.draft.constant(BigUint::zero(), 1))
    }

    /// Merges two paths. `env` takes the value of `then` where `cond` is one.
    fn merge(&mut self, cond: NetId, then: &Env, env: &mut Env) {
        for (then, net) in then.iter().zip(env) {
            *net = match (*then, *net) {
                (Some(then), Some(otherwise)) => Some(self.draft.mux(cond, then, otherwise)),
                _ => None,
            };
        }
    }

    /// Returns the net of an expression at this point of the body.
    fn value(&mut self, root: ExprId, env: &Env) -> NetId {
        for id in self.reachable(root) {
            let net = self.expr(self.module.expr(id), env);
            self.memo[id.index()] = Some(net);
        }
        self.memoised(root)
    }

    /// Returns this expression and all its operands, operands before their users.
    fn reachable(&self, root: ExprId) -> BTreeSet<ExprId> {
        let (mut found, mut open) = (BTreeSet::new(), vec![root]);
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(self.module.expr(id).op.operands());
            }
        }
        found
    }

    fn memoised(&self, id: ExprId) -> NetId {
        self.memo[id.index()].expect("operands stand before their users")
    }

    fn expr(&mut self, expr: &Expr, env: &Env) -> NetId {
        let width = expr.width();
        match &expr.op {
            ExprOp::Const(value) => self.draft.constant(value.clone(), width),
            ExprOp::Read(signal) => {
                env[signal.index()].expect("checked: assigned before it is read")
            }
            ExprOp::Unary(op, a) => {
                let a = self.memoised(*a);
                let op = match op {
                    UnaryOp::Not => NetOp::Not(a),
                    UnaryOp::All => NetOp::All(a),
                    UnaryOp::Any => NetOp::Any(a),
                    UnaryOp::Parity => NetOp::Parity(a),
                };
                self.draft.net(op, width)
            }
            ExprOp::Binary(op, a, b) => {
                self.binary(*op, self.memoised(*a), self.memoised(*b), width)
            }
            ExprOp::Mux {
                cond,
                then,
                otherwise,
            } => {
                let (cond, then) = (self.memoised(*cond), self.memoised(*then));
                self.draft.mux(cond, then, self.memoised(*otherwise))
            }
            ExprOp::Resize(a) => self.draft.resize(self.memoised(*a), width),
            ExprOp::Slice { value, offset } => {
                self.draft.slice(self.memoised(*value), *offset, width)
            }
            ExprOp::BitAt { value, index } => {
                let (value, index) = (self.memoised(*value), self.memoised(*index));
                self.draft.bit_at(value, index)
            }
            ExprOp::ReplaceBit { value, index, bit } => {
                let (value, index) = (self.memoised(*value), self.memoised(*index));
                self.draft.replace_bit(value, index, self.memoised(*bit))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: NetId, b: NetId, width: u32) -> NetId {
        let op = match op {
            BinaryOp::And => NetOp::And(a, b),
            BinaryOp::Or => NetOp::Or(a, b),
            BinaryOp::Xor => NetOp::Xor(a, b),
            BinaryOp::Add => NetOp::Add(a, b),
            BinaryOp::Sub => NetOp::Sub(a, b),
            BinaryOp::Eq => NetOp::Eq(a, b),
            BinaryOp::Ne => NetOp::Not(self.draft.net(NetOp::Eq(a, b), 1)),
            BinaryOp::Lt => NetOp::Lt(a, b),
            BinaryOp::Gt => NetOp::Lt(b, a),
            BinaryOp::Le => NetOp::Not(self.draft.net(NetOp::Lt(b, a), 1)),
            BinaryOp::Ge => NetOp::Not(self.draft.net(NetOp::Lt(a, b), 1)),
            BinaryOp::Shl => return self.draft.shl(a, b),
            BinaryOp::Shr => return self.draft.shr(a, b),
        };
        self.draft.net(op, width)
    }
}
