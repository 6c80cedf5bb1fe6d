//! Groups without parentheses, which an expression keeps when a macro of the
//! user puts it in (`$a & $b` with `x | y` for `$a`). The compiler forgets them
//! in what a proc macro gives back.

use syn::visit_mut::{self, VisitMut};
use syn::{token, Expr, ExprParen, ItemFn};

/// Makes the groups visible as parentheses.
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
