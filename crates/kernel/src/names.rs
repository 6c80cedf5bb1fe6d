//! Names in a kernel that determine which signal a path selects.

use crate::link;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ExprForLoop, ExprIndex, ItemFn, Local, Pat, StmtMacro, Type};

/// Names in the index of an assigned signal or in the range of a loop, and the names from which a
/// `let` computes them.
pub struct SelectorNames(BTreeSet<String>);

impl SelectorNames {
    pub fn of_function(function: &ItemFn) -> Self {
        let mut paths = SelectorCollector::default();
        paths.visit_item_fn(function);
        let SelectorCollector { mut names, lets } = paths;
        // A `let` uses earlier names only, so one round per `let` is enough.
        for _ in 0..lets.len() {
            let before = names.len();
            for (name, uses) in &lets {
                if names.contains(name) {
                    names.extend(uses.iter().cloned());
                }
            }
            if names.len() == before {
                break;
            }
        }
        SelectorNames(names)
    }

    pub fn are_bound_by(&self, local: &Local) -> bool {
        bound_name(local).is_some_and(|name| self.0.contains(&name))
    }
}

/// Returns the pattern of a `let`, and its type if it has one.
pub fn pattern(local: &Local) -> (&Pat, Option<&Type>) {
    match &local.pat {
        Pat::Type(typed) => (&typed.pat, Some(&typed.ty)),
        pat => (pat, None),
    }
}

fn bound_name(local: &Local) -> Option<String> {
    match pattern(local).0 {
        Pat::Ident(pat) => Some(pat.ident.to_string()),
        _ => None,
    }
}

#[derive(Default)]
struct SelectorCollector {
    names: BTreeSet<String>,
    /// Variables of the `let`s, with the names in their values.
    lets: Vec<(String, BTreeSet<String>)>,
}

impl Visit<'_> for SelectorCollector {
    fn visit_expr_assign(&mut self, assign: &ExprAssign) {
        let mut indices = IndexNames::default();
        indices.visit_expr(&assign.left);
        self.names.append(&mut indices.0);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_for_loop(&mut self, repetition: &ExprForLoop) {
        self.names.append(&mut used_names(&repetition.expr));
        visit::visit_expr_for_loop(self, repetition);
    }

    fn visit_stmt_macro(&mut self, stmt: &StmtMacro) {
        // Errors in the macro are reported elsewhere.
        for pair in link::pairs(stmt).ok().flatten().into_iter().flatten() {
            let mut indices = IndexNames::default();
            indices.visit_expr(&pair.first);
            indices.visit_expr(&pair.second);
            self.names.append(&mut indices.0);
        }
    }

    fn visit_local(&mut self, local: &Local) {
        if let (Some(name), Some(init)) = (bound_name(local), &local.init) {
            self.lets.push((name, used_names(&init.expr)));
        }
        visit::visit_local(self, local);
    }
}

/// Names in the indices of a path.
#[derive(Default)]
struct IndexNames(BTreeSet<String>);

impl Visit<'_> for IndexNames {
    fn visit_expr_index(&mut self, index: &ExprIndex) {
        self.0.append(&mut used_names(&index.index));
        visit::visit_expr_index(self, index);
    }
}

/// Returns the names that an expression uses.
fn used_names(e: &Expr) -> BTreeSet<String> {
    let mut names = UsedNames(BTreeSet::new());
    names.visit_expr(e);
    names.0
}

struct UsedNames(BTreeSet<String>);

impl Visit<'_> for UsedNames {
    fn visit_expr(&mut self, e: &Expr) {
        if let Expr::Path(path) = e {
            if let Some(name) = path.path.get_ident() {
                self.0.insert(name.to_string());
            }
        }
        visit::visit_expr(self, e);
    }
}
