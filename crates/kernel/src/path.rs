//! Paths to signals: `self.nodes[i].line`.

use crate::expr;
use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Error, Expr, Member, Result};

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

/// Translates a path to a signal. Indices must be values known at generation.
pub fn signal(e: &Expr) -> Result<TokenStream> {
    match e {
        Expr::Path(p) if p.path.is_ident("self") => Ok(quote_spanned!(e.span()=> self)),
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
        (
            quote_spanned!(span=> |s| s #(.#fields)*),
            quote_spanned!(span=> &[#(#names),*]),
        )
    }
}
