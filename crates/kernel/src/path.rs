//! Paths to signals: `self.nodes[i].line`.

use crate::{expr, statement_macros};
use proc_macro2::TokenStream;
use quote::quote_spanned;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Error, Expr, ExprAssign, ExprForLoop, ExprIndex, ItemFn, Local, Member, Pat, Result, StmtMacro,
    Token, Type,
};

/// Whether the expression is `self`, or a field or element path that starts at `self`.
pub fn is_rooted_at_self(e: &Expr) -> bool {
    match e {
        Expr::Path(p) => p.path.is_ident("self"),
        Expr::Field(f) => is_rooted_at_self(&f.base),
        Expr::Index(i) => is_rooted_at_self(&i.expr),
        Expr::Paren(p) => is_rooted_at_self(&p.expr),
        Expr::Group(g) => is_rooted_at_self(&g.expr),
        Expr::Reference(r) => is_rooted_at_self(&r.expr),
        _ => false,
    }
}

/// Translates a path to a signal. Indices must be values known at generation. `self` becomes
/// `(*self)`, as in [`dereference_self`](crate::kernel::dereference_self).
pub fn signal(e: &Expr) -> Result<TokenStream> {
    match e {
        Expr::Path(p) if p.path.is_ident("self") => Ok(quote_spanned!(e.span()=> (*self))),
        Expr::Field(f) => {
            let base = signal(&f.base)?;
            match &f.member {
                Member::Named(name) if name == "next" => Err(Error::new(
                    name.span(),
                    "`.next` is written, never read; read the signal with `.val()`",
                )),
                member => Ok(quote_spanned!(e.span()=> #base.#member)),
            }
        }
        Expr::Index(i) => {
            let base = signal(&i.expr)?;
            let index = expr::value(&i.index)?;
            Ok(quote_spanned!(e.span()=> #base[#index]))
        }
        Expr::Paren(p) => signal(&p.expr),
        _ => Err(Error::new(
            e.span(),
            "a path to a signal, such as `self.node[i].line`, must stand here",
        )),
    }
}

/// Names after a base: `base.a.b` gives `base` and `[a, b]`.
pub struct FieldChain<'a> {
    pub base: &'a Expr,
    pub fields: Vec<&'a syn::Ident>,
}

impl<'a> FieldChain<'a> {
    /// Removes fields from the end until `stop` holds for the rest.
    pub fn split(e: &'a Expr, stop: impl Fn(&Expr) -> bool) -> Result<Self> {
        let mut base = e;
        let mut fields = vec![];
        while let Expr::Field(f) = base {
            if stop(base) {
                break;
            }
            match &f.member {
                Member::Named(name) => fields.insert(0, name),
                Member::Unnamed(index) => {
                    return Err(Error::new(index.span(), "tuples are outside the subset"))
                }
            }
            base = &f.base;
        }
        Ok(FieldChain { base, fields })
    }

    /// Returns a closure from a reference to the struct to the field, and the names of the fields
    /// on the path.
    pub fn accessors(&self) -> (TokenStream, TokenStream) {
        let fields = &self.fields;
        let span = fields[0].span();
        let names = fields.iter().map(|field| field.to_string());
        (quote_spanned!(span=> |s| s #(.#fields)*), quote_spanned!(span=> &[#(#names),*]))
    }
}

// Names in a kernel that determine which signal a path selects.

/// Names in the index of an assigned signal or in the range of a loop, and the names from which a
/// `let` computes them.
pub struct SelectorNames(BTreeSet<String>);

impl SelectorNames {
    /// Returns the names in a kernel whose `self` is `this`.
    pub fn of_function(function: &ItemFn, this: Token![self]) -> Self {
        let mut paths = SelectorCollector { this, names: BTreeSet::new(), lets: vec![] };
        paths.visit_item_fn(function);
        let SelectorCollector { mut names, lets, .. } = paths;
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

struct SelectorCollector {
    this: Token![self],
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
        for pair in statement_macros::pairs(stmt, self.this).ok().flatten().into_iter().flatten() {
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
