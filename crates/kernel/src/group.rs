//! Handles groups without parentheses. A macro of the user creates such a group when it inserts an
//! expression, for example `x | y` for `$a` in `$a & $b`. The compiler ignores these groups in the
//! output of a proc macro.

use syn::visit_mut::{self, VisitMut};
use syn::{token, Expr, ExprParen, ItemFn};

/// Converts the groups to parentheses.
pub fn parenthesize(function: &mut ItemFn) {
    Parenthesize.visit_item_fn_mut(function);
}

struct Parenthesize;

impl VisitMut for Parenthesize {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if let Expr::Group(group) = e {
            *e = Expr::Paren(ExprParen {
                attrs: std::mem::take(&mut group.attrs),
                paren_token: token::Paren(group.group_token.span),
                expr: group.expr.clone(),
            });
        }
    }
}
