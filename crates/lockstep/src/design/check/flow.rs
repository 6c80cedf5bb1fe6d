//! Checks that bits are assigned before they are read, and that no signal keeps its old value on
//! some path.

use super::{walk, Checker};
use crate::design::{
    CaseStmt, DesignModule, ExprId, ExprOp, SignalId, SignalKind, Slice, SourceLocation, Stmt,
};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::{BTreeMap, HashSet};

/// For each signal, the bits that are assigned on every path so far.
type Assigned = Vec<BigUint>;

impl Checker<'_> {
    pub(super) fn flow(&mut self) {
        let module = self.module;
        let mut flow = FlowChecker {
            checker: self,
            assignments: vec![vec![]; module.signals.len()],
            reported: HashSet::new(),
        };
        let mut assigned = module
            .signals
            .iter()
            .map(|signal| match signal.kind {
                SignalKind::Input | SignalKind::PinOut | SignalKind::Constant(_) => {
                    ones(0, signal.width())
                }
                _ => BigUint::zero(),
            })
            .collect();
        flow.block(&module.body, &mut assigned);
        flow.end(&assigned);
    }
}

/// Returns a mask of `width` bits from `offset` up.
fn ones(offset: u32, width: u32) -> BigUint {
    ((BigUint::one() << width) - 1u8) << offset
}

struct FlowChecker<'a, 'b> {
    checker: &'a mut Checker<'b>,
    /// Assignments of each signal.
    assignments: Vec<Vec<SourceLocation>>,
    /// Signals already reported as read too early.
    reported: HashSet<SignalId>,
}

impl<'b> FlowChecker<'_, 'b> {
    fn module(&self) -> &'b DesignModule {
        self.checker.module
    }

    fn block(&mut self, stmts: &[Stmt], assigned: &mut Assigned) {
        for stmt in stmts {
            self.reads(walk::expr(stmt), walk::origin(stmt), assigned);
            match stmt {
                Stmt::Assign {
                    target,
                    slice,
                    origin,
                    ..
                } => {
                    let whole = Slice {
                        offset: 0,
                        width: self.module().signal(*target).width(),
                    };
                    let Slice { offset, width } = slice.unwrap_or(whole);
                    assigned[target.index()] |= ones(offset, width);
                    self.assignments[target.index()].push(*origin);
                }
                Stmt::If {
                    then, otherwise, ..
                } => {
                    let mut then_assigned = assigned.clone();
                    self.block(then, &mut then_assigned);
                    self.block(otherwise, assigned);
                    intersect(assigned, &then_assigned);
                }
                Stmt::Case(case) => self.case(case, assigned),
            }
        }
    }

    fn case(&mut self, case: &CaseStmt, assigned: &mut Assigned) {
        let before = assigned.clone();
        self.block(&case.default, assigned);
        for arm in &case.arms {
            let mut arm_assigned = before.clone();
            self.block(&arm.body, &mut arm_assigned);
            intersect(assigned, &arm_assigned);
        }
    }

    /// Checks that all bits that an expression depends on are assigned. Only the selected bits of a
    /// slice count.
    fn reads(&mut self, root: ExprId, origin: Option<SourceLocation>, assigned: &Assigned) {
        let module = self.module();
        // Required bits of each expression. Users come after their operands.
        let mut needed = BTreeMap::from([(root, ones(0, module.expr(root).width()))]);
        while let Some((id, bits)) = needed.pop_last() {
            let expr = module.expr(id);
            if let ExprOp::Read(signal) = expr.op {
                self.read(signal, &bits, origin, assigned);
            }
            for operand in expr.op.operands() {
                let all = ones(0, module.expr(operand).width());
                let bits = match expr.op {
                    ExprOp::Slice { offset, .. } => &bits << offset,
                    ExprOp::Resize(_) => &bits & all,
                    ExprOp::BitAt { value, index } if operand == value => {
                        match &module.expr(index).op {
                            ExprOp::Const(index) => BigUint::one() << index.to_u32().unwrap_or(0),
                            _ => all,
                        }
                    }
                    _ => all,
                };
                *needed.entry(operand).or_default() |= bits;
            }
        }
    }

    fn read(
        &mut self,
        id: SignalId,
        bits: &BigUint,
        origin: Option<SourceLocation>,
        assigned: &Assigned,
    ) {
        let missing = without(bits, &assigned[id.index()]);
        if missing.is_zero() || !self.reported.insert(id) {
            return;
        }
        let signal = self.module().signal(id);
        let which = match missing == ones(0, signal.width()) {
            true => "is read".into(),
            false => format!("bit {} is read", missing.trailing_zeros().unwrap_or(0)),
        };
        let what = format!(
            "{which} before it has been assigned on every path; assign it further up, for \
             instance a default value at the top"
        );
        self.checker.fault(Some(signal), origin, what);
    }

    /// Checks the conditions at the end of the body.
    fn end(&mut self, assigned: &Assigned) {
        for (i, signal) in self.module().signals.iter().enumerate() {
            let origins = &self.assignments[i];
            let missing = without(&ones(0, signal.width()), &assigned[i]);
            let (first, last) = (origins.first().copied(), origins.last().copied());
            let needs_driver = match signal.kind {
                SignalKind::Output | SignalKind::PinIn => true,
                // A read of an undriven local has already been reported.
                SignalKind::Local => false,
                SignalKind::Let => {
                    if origins.len() > 1 {
                        let what = format!(
                            "is a let and assigned {} times; a let is assigned once",
                            origins.len()
                        );
                        self.checker.fault(Some(signal), last, what);
                    }
                    continue;
                }
                _ => continue,
            };
            let what = match origins.len() {
                0 if needs_driver => "is never assigned: undriven".into(),
                0 => continue,
                _ if missing.is_zero() => continue,
                _ => format!(
                    "bit {} isn't assigned on every path, so it keeps its old value: a latch; \
                     assign it on the other paths too, or a default value at the top",
                    missing.trailing_zeros().unwrap_or(0)
                ),
            };
            self.checker.fault(Some(signal), first, what);
        }
    }
}

/// Returns the bits of `a` that are not in `b`.
fn without(a: &BigUint, b: &BigUint) -> BigUint {
    a ^ (a & b)
}

fn intersect(assigned: &mut Assigned, other: &Assigned) {
    for (a, b) in assigned.iter_mut().zip(other) {
        *a &= b;
    }
}
