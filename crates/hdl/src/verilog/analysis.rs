//! Reads and writes of statements, and their order.

use crate::fold;
pub use crate::fold::ones;
use lockstep::design::{DesignModule, ExprId, ExprOp, SignalId, SignalKind, Stmt};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Signals that a statement reads from outside, and signals that it assigns.
#[derive(Default)]
pub struct AccessSummary {
    pub reads: BTreeSet<SignalId>,
    pub writes: BTreeSet<SignalId>,
}

/// Summarises statements. Constants do not count as read.
pub fn summarize(module: &DesignModule, stmts: &[Stmt]) -> AccessSummary {
    let mut summary = AccessSummary::default();
    let mut assigned = HashSet::new();
    walk(module, stmts, &mut assigned, &mut summary);
    summary
}

/// Collects reads and writes. `assigned` holds the signals that these statements have already
/// assigned on every path.
fn walk(
    module: &DesignModule,
    stmts: &[Stmt],
    assigned: &mut HashSet<SignalId>,
    summary: &mut AccessSummary,
) {
    let read = |id: ExprId, assigned: &HashSet<SignalId>, summary: &mut AccessSummary| {
        let signals = signals_read(module, id);
        (summary.reads).extend(signals.into_iter().filter(|s| !assigned.contains(s)));
    };
    for stmt in stmts {
        match stmt {
            Stmt::Assign { target, value, .. } => {
                read(*value, assigned, summary);
                summary.writes.insert(*target);
                if is_whole(module, stmt) {
                    assigned.insert(*target);
                }
            }
            _ => {
                read(decision(stmt), assigned, summary);
                let mut common: Option<HashSet<SignalId>> = None;
                for branch in branches(stmt) {
                    let mut inside = assigned.clone();
                    walk(module, branch, &mut inside, summary);
                    common = Some(match common {
                        None => inside,
                        Some(common) => common.intersection(&inside).copied().collect(),
                    });
                }
                *assigned = common.unwrap_or_default();
            }
        }
    }
}

/// Returns the condition of an `if` or the subject of a `case`.
fn decision(stmt: &Stmt) -> ExprId {
    match stmt {
        Stmt::Assign { value, .. } => *value,
        Stmt::If { cond, .. } => *cond,
        Stmt::Case(case) => case.subject,
    }
}

/// Returns the branches of an `if` or `case`. Exactly one of them is executed.
pub fn branches(stmt: &Stmt) -> Vec<&Vec<Stmt>> {
    match stmt {
        Stmt::Assign { .. } => vec![],
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
        Stmt::Case(case) => {
            let arms = case.arms.iter().map(|arm| &arm.body);
            arms.chain([&case.default]).collect()
        }
    }
}

/// Whether an assignment sets all bits of its target.
pub fn is_whole(module: &DesignModule, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Assign { target, slice, .. } => {
            slice.is_none_or(|s| s.width == module.signal(*target).width())
        }
        _ => false,
    }
}

/// Returns the signals that an expression reads, without constants.
pub fn signals_read(module: &DesignModule, root: ExprId) -> BTreeSet<SignalId> {
    let mut signals = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let op = &module.expr(id).op;
        open.extend(op.operands());
        if let lockstep::design::ExprOp::Read(signal) = *op {
            if !matches!(module.signal(signal).kind, SignalKind::Constant(_)) {
                signals.insert(signal);
            }
        }
    }
    signals
}

/// Position in statements: the number of the statement, and the path of branches to it. Each step
/// of the path is the number of an `if` or `case` and the number of its branch.
#[derive(Clone)]
pub struct Point {
    position: usize,
    path: Vec<(usize, usize)>,
}

impl Point {
    /// Whether execution can reach this point first and then `later`.
    pub fn leads_to(&self, later: &Point) -> bool {
        let fork = (self.path.iter().zip(&later.path)).find(|(a, b)| a != b);
        let exclusive = fork.is_some_and(|(a, b)| a.0 == b.0);
        self.position < later.position && !exclusive
    }
}

/// Read of a signal at a point, and the signals whose values depend on it.
pub struct Read {
    pub signal: SignalId,
    pub at: Point,
    pub dependents: BTreeSet<SignalId>,
}

/// All reads and writes in statements.
#[derive(Default)]
pub struct Accesses {
    pub reads: Vec<Read>,
    pub writes: HashMap<SignalId, Vec<Point>>,
    position: usize,
    path: Vec<(usize, usize)>,
}

impl Accesses {
    pub fn of(module: &DesignModule, stmts: &[Stmt]) -> Accesses {
        let mut accesses = Accesses::default();
        accesses.list(module, stmts);
        accesses
    }

    fn point(&mut self) -> Point {
        self.position += 1;
        Point { position: self.position, path: self.path.clone() }
    }

    fn list(&mut self, module: &DesignModule, stmts: &[Stmt]) {
        for stmt in stmts {
            let dependents = match stmt {
                Stmt::Assign { target, .. } => BTreeSet::from([*target]),
                _ => summarize(module, std::slice::from_ref(stmt)).writes,
            };
            let at = self.point();
            for signal in signals_read(module, decision(stmt)) {
                self.reads.push(Read { signal, at: at.clone(), dependents: dependents.clone() });
            }
            if let Stmt::Assign { target, .. } = stmt {
                let at = self.point();
                self.writes.entry(*target).or_default().push(at);
            }
            let fork = self.position;
            for (i, branch) in branches(stmt).into_iter().enumerate() {
                self.path.push((fork, i));
                self.list(module, branch);
                self.path.pop();
            }
        }
    }
}

// Evaluates expressions and statements that depend on constants only.

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
            Stmt::Assign { target, slice, value, .. } => {
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
            Stmt::If { cond, then, otherwise } => {
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
