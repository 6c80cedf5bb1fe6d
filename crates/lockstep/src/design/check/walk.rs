//! Traversals of the statements of a module, for the checks.

use crate::design::{DesignModule, ExprId, SourceLocation, Stmt};

/// Returns every statement of a body, outer statements before inner ones.
pub(super) fn stmts(body: &[Stmt]) -> impl Iterator<Item = &Stmt> {
    let mut open: Vec<&Stmt> = body.iter().rev().collect();
    std::iter::from_fn(move || {
        let stmt = open.pop()?;
        match stmt {
            Stmt::Assign { .. } => {}
            Stmt::If {
                then, otherwise, ..
            } => open.extend(otherwise.iter().rev().chain(then.iter().rev())),
            Stmt::Case(case) => {
                let arms = case.arms.iter().rev().map(|arm| &arm.body);
                for body in std::iter::once(&case.default).chain(arms) {
                    open.extend(body.iter().rev());
                }
            }
        }
        Some(stmt)
    })
}

/// Returns the expression that the statement itself evaluates.
pub(super) fn expr(stmt: &Stmt) -> ExprId {
    match stmt {
        Stmt::Assign { value, .. } => *value,
        Stmt::If { cond, .. } => *cond,
        Stmt::Case(case) => case.subject,
    }
}

/// Returns the source location of a statement: its own or that of the first assignment in it.
pub(super) fn origin(stmt: &Stmt) -> Option<SourceLocation> {
    stmts(std::slice::from_ref(stmt)).find_map(|stmt| match stmt {
        Stmt::Assign { origin, .. } => Some(*origin),
        _ => None,
    })
}

/// Returns, for every expression, the source location of the first statement that uses it.
pub(super) fn origins(module: &DesignModule) -> Vec<Option<SourceLocation>> {
    let mut origins = vec![None; module.exprs.len()];
    for stmt in stmts(&module.body) {
        let (origin, mut open) = (origin(stmt), vec![expr(stmt)]);
        while let Some(id) = open.pop() {
            if origins[id.index()].is_none() && origin.is_some() {
                origins[id.index()] = origin;
                open.extend(module.expr(id).op.operands());
            }
        }
    }
    origins
}
