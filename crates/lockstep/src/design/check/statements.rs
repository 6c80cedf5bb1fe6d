//! Checks types and widths of expressions and statements, and which signals may be assigned and
//! read. Also checks that bits are assigned before they are read.

use super::super::check;
use super::{parts, Checker};
use crate::design::{
    BinaryOp, CaseStmt, DesignModule, Expr, ExprId, ExprOp, SignalId, SignalKind, Slice,
    SourceLocation, Stmt, UnaryOp,
};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::{BTreeMap, HashSet};

impl Checker<'_> {
    pub(super) fn widths(&mut self) {
        let origins = check::origins(self.module);
        for (expr, origin) in self.module.exprs.iter().zip(origins) {
            if let Some(what) = self.fault_of_expr(expr) {
                let signal = match expr.op {
                    ExprOp::Read(signal) => Some(self.module.signal(signal)),
                    _ => None,
                };
                self.fault(signal, origin, what);
            }
        }
        for stmt in check::stmts(&self.module.body) {
            self.stmt(stmt);
        }
    }

    fn width(&self, id: ExprId) -> u32 {
        self.module.expr(id).width()
    }

    fn fault_of_expr(&self, expr: &Expr) -> Option<String> {
        if let Some(what) = parts::fault_of_type(&expr.ty) {
            return Some(format!("an expression {what}"));
        }
        let width = expr.width();
        match &expr.op {
            ExprOp::Const(value) => (value.bits() > width.into())
                .then(|| format!("the constant {value} doesn't fit into {width} bits")),
            ExprOp::Read(id) => self.fault_of_read(*id, width),
            ExprOp::Unary(UnaryOp::Not, a) => {
                width_mismatch("the operand and result of Not", self.width(*a), width)
            }
            ExprOp::Unary(op, _) => {
                width_mismatch(&format!("the result of {op:?} and one bit"), width, 1)
            }
            ExprOp::Binary(op, a, b) => self.fault_of_binary(*op, *a, *b, width),
            ExprOp::Mux { cond, then, otherwise } => {
                width_mismatch("the condition of a Mux and one bit", self.width(*cond), 1)
                    .or_else(|| {
                        width_mismatch(
                            "the first choice and the result of a Mux",
                            self.width(*then),
                            width,
                        )
                    })
                    .or_else(|| {
                        width_mismatch(
                            "the second choice and the result of a Mux",
                            self.width(*otherwise),
                            width,
                        )
                    })
            }
            ExprOp::Resize(_) => None,
            ExprOp::Slice { value, offset } => {
                let slice = Slice { offset: *offset, width };
                slice_fault(slice, self.width(*value))
            }
            ExprOp::BitAt { value, index } => {
                width_mismatch("the result of BitAt and one bit", width, 1)
                    .or_else(|| self.fault_of_index(*value, *index))
            }
            ExprOp::ReplaceBit { value, index, bit } => {
                width_mismatch("the word and the result of ReplaceBit", self.width(*value), width)
                    .or_else(|| {
                        width_mismatch("the new bit of ReplaceBit and one bit", self.width(*bit), 1)
                    })
                    .or_else(|| self.fault_of_index(*value, *index))
            }
        }
    }

    fn fault_of_read(&self, id: SignalId, width: u32) -> Option<String> {
        let signal = self.module.signal(id);
        if signal.kind == SignalKind::PinIn {
            return Some(
                "is an input of a cell or child and can't be read; read what is assigned to it"
                    .into(),
            );
        }
        width_mismatch("the signal and the expression that reads it", signal.width(), width)
    }

    fn fault_of_binary(&self, op: BinaryOp, a: ExprId, b: ExprId, width: u32) -> Option<String> {
        let (a, b) = (self.width(a), self.width(b));
        let operands = match op.is_shift() {
            true => None,
            false => width_mismatch(&format!("the operands of {op:?}"), a, b),
        };
        operands.or_else(|| match op.is_comparison() {
            true => width_mismatch(&format!("the result of {op:?} and one bit"), width, 1),
            false => {
                width_mismatch(&format!("the left operand and the result of {op:?}"), a, width)
            }
        })
    }

    fn fault_of_index(&self, value: ExprId, index: ExprId) -> Option<String> {
        let (width, highest) = (self.width(value), self.highest(index));
        (highest >= BigUint::from(width)).then(|| {
            format!(
                "a bit number of up to {highest} in a word of {width} bits; the highest value of \
                 the index must be {} (make the index narrower or the word wider)",
                width - 1
            )
        })
    }

    /// Returns the highest possible value of an index.
    fn highest(&self, index: ExprId) -> BigUint {
        match &self.module.expr(index).op {
            ExprOp::Const(value) => value.clone(),
            ExprOp::Read(id) => match &self.module.signal(*id).kind {
                SignalKind::Constant(value) => value.clone(),
                _ => self.module.expr(index).ty.mask(),
            },
            _ => self.module.expr(index).ty.mask(),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let origin = check::origin(stmt);
        match stmt {
            Stmt::Assign { target, slice, value, .. } => {
                self.assign(*target, *slice, *value, origin)
            }
            Stmt::If { cond, .. } => {
                if let Some(what) =
                    width_mismatch("the condition of an if and one bit", self.width(*cond), 1)
                {
                    self.fault(None, origin, what);
                }
            }
            Stmt::Case(case) => {
                let width = self.width(case.subject);
                let arms = case.arms.iter().flat_map(|arm| &arm.values);
                for value in arms.chain(&case.default_values) {
                    if value.bits() > width.into() {
                        let what = format!(
                            "a case has the value {value}, which doesn't fit the {width} bits of \
                             its subject"
                        );
                        self.fault(None, origin, what);
                    }
                }
            }
        }
    }

    fn assign(
        &mut self,
        target: SignalId,
        slice: Option<Slice>,
        value: ExprId,
        origin: Option<SourceLocation>,
    ) {
        let (signal, value) = (self.module.signal(target), self.width(value));
        let (width, kind) = (signal.width(), &signal.kind);
        let what = match (kind, slice) {
            (SignalKind::Input, _) => Some("is an input port and can't be assigned".into()),
            (SignalKind::PinOut, _) => {
                Some("is an output of a cell or child and can't be assigned".into())
            }
            (SignalKind::Constant(_), _) => Some("is a constant and can't be assigned".into()),
            (SignalKind::Let, Some(_)) => {
                Some("is a let and must be assigned as a whole, not a part of it".into())
            }
            (_, None) => width_mismatch("the signal and the value assigned to it", width, value),
            (_, Some(slice)) => slice_fault(slice, width).or_else(|| {
                width_mismatch(
                    "the part of the signal and the value assigned to it",
                    slice.width,
                    value,
                )
            }),
        };
        if let Some(what) = what {
            self.fault(Some(signal), origin, what);
        }
    }
}

fn width_mismatch(what: &str, a: u32, b: u32) -> Option<String> {
    (a != b).then(|| format!("{what} must be equally wide but have {a} and {b} bits"))
}

fn slice_fault(slice: Slice, width: u32) -> Option<String> {
    if slice.width == 0 {
        return Some("a part of zero bits; a word has at least one bit".into());
    }
    let end = u64::from(slice.offset) + u64::from(slice.width);
    (end > width.into()).then(|| {
        format!(
            "the {} bits from {} up are not all in a word of {width} bits",
            slice.width, slice.offset
        )
    })
}

// Checks that bits are assigned before they are read, and that no signal keeps its old value on
// some path.

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
            self.reads(check::expr(stmt), check::origin(stmt), assigned);
            match stmt {
                Stmt::Assign { target, slice, origin, .. } => {
                    let whole = Slice { offset: 0, width: self.module().signal(*target).width() };
                    let Slice { offset, width } = slice.unwrap_or(whole);
                    assigned[target.index()] |= ones(offset, width);
                    self.assignments[target.index()].push(*origin);
                }
                Stmt::If { then, otherwise, .. } => {
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
                0 if needs_driver => super::UNDRIVEN.into(),
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
