//! Single faults of a circuit, similar to mistakes of its author: their list, and their injection.
//!
//! The module depends only on the circuit's description. It can therefore be compiled into the
//! engine of a copy of the tree ([`super::tree`]) and into a test.

use lockstep::design::{
    check, BinaryOp, CellKind, Design, DesignModule, Expr, ExprId, ExprOp, ModuleId, SignalId,
    Stmt, UnaryOp,
};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// A change to a module.
enum CircuitFault {
    /// Replaces an operation.
    Op(ExprId, ExprOp),
    /// Changes the statement with this number in reading order.
    Stmt(usize, StmtFault),
    /// Inverts the lowest bit of the initial value of a register, or of the first word of a memory.
    Init(usize),
}

#[derive(Clone, Copy)]
enum StmtFault {
    /// Swaps the two branches of an `if`.
    SwapBranches,
    RemoveAssignment,
    /// Swaps the bodies of this arm of a `case` and of the next one.
    SwapArms(usize),
}

/// Returns the name of a block without the number that distinguishes its sizes (`uart_2`).
fn block(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((block, number)) if number.bytes().all(|b| b.is_ascii_digit()) => block,
        _ => name,
    }
}

/// Returns the names of all faults of a block of a design: `block:signal:kind:number`.
pub fn faults(design: &Design, block: usize) -> BTreeSet<String> {
    let module = &design.modules[block];
    let mut names = BTreeSet::new();
    for (name, change) in changes(module) {
        if change.is_always_valid() {
            names.insert(name);
            continue;
        }
        let mut changed = module.clone();
        change.put(&mut changed);
        let mut modules = design.modules[..block].to_vec();
        modules.push(changed);
        let top = ModuleId(block as u32);
        if check::check(&Design { modules, top }).is_ok() {
            names.insert(name);
        }
    }
    names
}

/// Injects the fault with this name into every matching block. Returns whether there was one.
pub fn put(design: &mut Design, name: &str) -> bool {
    let mut found = false;
    for at in 0..design.modules.len() {
        let module = &design.modules[at];
        if Some(block(&module.name)) != name.split(':').next() {
            continue;
        }
        let Some((_, change)) = changes(module).into_iter().find(|(n, _)| n == name) else {
            continue;
        };
        let mut changed = module.clone();
        change.put(&mut changed);
        let before = std::mem::replace(&mut design.modules[at], changed);
        match check::check(design) {
            Ok(()) => found = true,
            Err(_) => design.modules[at] = before,
        }
    }
    found
}

impl CircuitFault {
    /// Returns true if the change always leaves a valid circuit. In such a circuit every index is
    /// within its word, and no latch exists.
    fn is_always_valid(&self) -> bool {
        match self {
            CircuitFault::Op(_, ExprOp::Const(_) | ExprOp::Slice { .. }) => false,
            CircuitFault::Op(..)
            | CircuitFault::Init(_)
            | CircuitFault::Stmt(_, StmtFault::SwapBranches) => true,
            CircuitFault::Stmt(_, StmtFault::RemoveAssignment | StmtFault::SwapArms(_)) => false,
        }
    }

    fn put(self, module: &mut DesignModule) {
        match self {
            CircuitFault::Op(id, op) => module.exprs[id.index()].op = op,
            CircuitFault::Stmt(number, turn) => {
                let done = apply_to_stmt(&mut module.body, &mut 0, number, turn);
                assert!(done, "the statements were numbered in the same order");
            }
            CircuitFault::Init(cell) => match &mut module.cells[cell].kind {
                CellKind::Register { init, .. } => *init ^= BigUint::from(1u32),
                CellKind::Memory { init, .. } => init[0] ^= BigUint::from(1u32),
                _ => unreachable!("only state has an initial value"),
            },
        }
    }
}

/// Changes the statement with this number, if it is in this body. Returns whether it is.
fn apply_to_stmt(body: &mut Vec<Stmt>, next: &mut usize, number: usize, turn: StmtFault) -> bool {
    for i in 0..body.len() {
        let here = *next == number;
        *next += 1;
        match (&mut body[i], turn) {
            (Stmt::If { then, otherwise, .. }, StmtFault::SwapBranches) if here => {
                std::mem::swap(then, otherwise);
                return true;
            }
            (Stmt::Case(case), StmtFault::SwapArms(arm)) if here => {
                let (first, rest) = case.arms[arm..].split_first_mut().expect("it is an arm");
                let second = rest.first_mut().map_or(&mut case.default, |arm| &mut arm.body);
                std::mem::swap(&mut first.body, second);
                return true;
            }
            (Stmt::Assign { .. }, StmtFault::RemoveAssignment) if here => {
                body.remove(i);
                return true;
            }
            (Stmt::If { then, otherwise, .. }, _) => {
                if apply_to_stmt(then, next, number, turn)
                    || apply_to_stmt(otherwise, next, number, turn)
                {
                    return true;
                }
            }
            (Stmt::Case(case), _) => {
                let bodies = case.arms.iter_mut().map(|arm| &mut arm.body);
                for body in bodies.chain([&mut case.default]) {
                    if apply_to_stmt(body, next, number, turn) {
                        return true;
                    }
                }
            }
            (Stmt::Assign { .. }, _) => {}
        }
    }
    false
}

/// Returns all changes to a module, with their names.
fn changes(module: &DesignModule) -> Vec<(String, CircuitFault)> {
    let mut list = FaultList { module, numbers: BTreeMap::new(), next: 0, changes: vec![] };
    list.body(&module.body);
    for (i, cell) in module.cells.iter().enumerate() {
        let starts = match &cell.kind {
            CellKind::Register { .. } => true,
            CellKind::Memory { init, .. } => !init.is_empty(),
            CellKind::Check { .. } | CellKind::Print { .. } => false,
        };
        if starts {
            list.add(&cell.name, "start", CircuitFault::Init(i));
        }
    }
    list.changes
}

struct FaultList<'a> {
    module: &'a DesignModule,
    /// Number of faults of each kind so far, by signal.
    numbers: BTreeMap<(String, &'static str), usize>,
    /// Number of the next statement.
    next: usize,
    changes: Vec<(String, CircuitFault)>,
}

impl FaultList<'_> {
    fn add(&mut self, signal: &str, kind: &'static str, change: CircuitFault) {
        let number = self.numbers.entry((signal.into(), kind)).or_default();
        let block = block(&self.module.name);
        let name = format!("{block}:{signal}:{kind}:{number}");
        *number += 1;
        self.changes.push((name, change));
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            let number = self.next;
            self.next += 1;
            let signal = self.module.signal(target(stmt)).name.clone();
            match stmt {
                Stmt::Assign { value, .. } => {
                    self.add(
                        &signal,
                        "left out",
                        CircuitFault::Stmt(number, StmtFault::RemoveAssignment),
                    );
                    self.stuck(&signal, ["stuck at 0", "stuck at 1"], *value);
                    self.operations(&signal, *value);
                }
                Stmt::If { cond, then, otherwise } => {
                    let change = CircuitFault::Stmt(number, StmtFault::SwapBranches);
                    self.add(&signal, "condition inverted", change);
                    self.stuck(&signal, ["never", "always"], *cond);
                    self.operations(&signal, *cond);
                    self.body(then);
                    self.body(otherwise);
                }
                Stmt::Case(case) => {
                    self.operations(&signal, case.subject);
                    for (i, arm) in case.arms.iter().enumerate() {
                        let change = CircuitFault::Stmt(number, StmtFault::SwapArms(i));
                        self.add(&signal, "arms exchanged", change);
                        self.body(&arm.body);
                    }
                    self.body(&case.default);
                }
            }
        }
    }

    /// Adds the faults with all bits zero and all bits one.
    fn stuck(&mut self, signal: &str, kinds: [&'static str; 2], id: ExprId) {
        let expr = self.module.expr(id);
        let ones = (BigUint::from(1u32) << expr.width()) - 1u32;
        for (kind, value) in kinds.into_iter().zip([BigUint::ZERO, ones]) {
            if expr.op != ExprOp::Const(value.clone()) {
                self.add(signal, kind, CircuitFault::Op(id, ExprOp::Const(value)));
            }
        }
    }

    /// Adds the faults in the operations that compute a value.
    fn operations(&mut self, signal: &str, root: ExprId) {
        let mut wanted = vec![root];
        let mut seen = BTreeSet::new();
        while let Some(id) = wanted.pop() {
            if seen.insert(id) {
                let expr = self.module.expr(id);
                wanted.extend(expr.op.operands());
                for (kind, op) in self.confused_operations(expr) {
                    self.add(signal, kind, CircuitFault::Op(id, op));
                }
            }
        }
    }

    /// Returns the operations that the author might have written by mistake.
    fn confused_operations(&self, expr: &Expr) -> Vec<(&'static str, ExprOp)> {
        let width = |id| self.module.expr(id).width();
        match &expr.op {
            ExprOp::Const(value) => {
                let next = (value + 1u32) % (BigUint::from(1u32) << expr.width());
                vec![("constant and one", ExprOp::Const(next))]
            }
            ExprOp::Read(_)
            | ExprOp::Resize(_)
            | ExprOp::BitAt { .. }
            | ExprOp::ReplaceBit { .. } => vec![],
            ExprOp::Unary(UnaryOp::Not, a) => vec![("not inverted", ExprOp::Resize(*a))],
            ExprOp::Unary(_, a) if width(*a) == 1 => vec![],
            ExprOp::Unary(UnaryOp::All, a) => {
                vec![("any for all", ExprOp::Unary(UnaryOp::Any, *a))]
            }
            ExprOp::Unary(UnaryOp::Any, a) => {
                vec![("all for any", ExprOp::Unary(UnaryOp::All, *a))]
            }
            ExprOp::Unary(UnaryOp::Parity, a) => {
                vec![("any for parity", ExprOp::Unary(UnaryOp::Any, *a))]
            }
            ExprOp::Binary(op, a, b) => {
                let (kind, other) = confused_operator(*op);
                let mut others = vec![(kind, ExprOp::Binary(other, *a, *b))];
                if matches!(op, BinaryOp::And | BinaryOp::Or) {
                    others.push(("without the right", ExprOp::Resize(*a)));
                    others.push(("without the left", ExprOp::Resize(*b)));
                }
                others
            }
            ExprOp::Mux { cond, then, otherwise } => {
                let op = ExprOp::Mux { cond: *cond, then: *otherwise, otherwise: *then };
                vec![("choices exchanged", op)]
            }
            ExprOp::Slice { value, offset } => {
                let offset = match offset + expr.width() < width(*value) {
                    true => offset + 1,
                    false if *offset > 0 => offset - 1,
                    false => return vec![],
                };
                let value = *value;
                vec![("a bit beside", ExprOp::Slice { value, offset })]
            }
        }
    }
}

/// Returns the operator that is most easily confused with `op`.
fn confused_operator(op: BinaryOp) -> (&'static str, BinaryOp) {
    use BinaryOp::*;
    match op {
        And => ("or for and", Or),
        Or => ("and for or", And),
        Xor => ("or for xor", Or),
        Add => ("- for +", Sub),
        Sub => ("+ for -", Add),
        Mul => ("+ for *", Add),
        Eq => ("!= for ==", Ne),
        Ne => ("== for !=", Eq),
        Lt => ("<= for <", Le),
        Le => ("< for <=", Lt),
        Gt => (">= for >", Ge),
        Ge => ("> for >=", Gt),
        Shl => ("right for left", Shr),
        Shr => ("left for right", Shl),
    }
}

/// Returns the first signal that a statement assigns.
fn target(stmt: &Stmt) -> SignalId {
    let first = |bodies: Vec<&Vec<Stmt>>| {
        let mut stmts = bodies.into_iter().flatten();
        stmts.next().map(target)
    };
    match stmt {
        Stmt::Assign { target, .. } => Some(*target),
        Stmt::If { then, otherwise, .. } => first(vec![then, otherwise]),
        Stmt::Case(case) => {
            let bodies = case.arms.iter().map(|arm| &arm.body);
            first(bodies.chain([&case.default]).collect())
        }
    }
    .expect("a branch that does nothing is not kept")
}
