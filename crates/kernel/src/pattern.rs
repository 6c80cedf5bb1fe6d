//! Patterns of `match` arms, and the values that they match.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Pat, Result};

/// Values that an arm matches.
pub enum Arm {
    /// One of these values.
    Values(Vec<TokenStream>),
    /// The pattern `_`.
    Any,
}

pub fn parse(pat: &Pat) -> Result<Arm> {
    match pat {
        Pat::Wild(_) => Ok(Arm::Any),
        Pat::Paren(p) => parse(&p.pat),
        Pat::Or(or) => {
            let mut values = vec![];
            for case in &or.cases {
                match parse(case)? {
                    Arm::Values(v) => values.extend(v),
                    Arm::Any => return Ok(Arm::Any),
                }
            }
            Ok(Arm::Values(values))
        }
        Pat::Lit(lit) => Ok(Arm::Values(vec![quote!(#lit)])),
        // A path of two or more segments never binds a name.
        Pat::Path(path) => Ok(Arm::Values(vec![quote!(#path)])),
        Pat::Ident(ident)
            if ident.by_ref.is_none()
                && ident.mutability.is_none()
                && ident.subpat.is_none()
                && ident.ident.to_string().starts_with(char::is_uppercase) =>
        {
            // A constant or an imported variant. For a new binding, the compiler would not find a
            // value of that name.
            Ok(Arm::Values(vec![quote!(#ident)]))
        }
        Pat::Ident(ident) => Err(Error::new(
            ident.span(),
            format!(
                "`{}` would bind a name, which is outside the subset; write `_` for all other values",
                ident.ident
            ),
        )),
        Pat::Range(range) => Err(Error::new(
            range.span(),
            "ranges in patterns are outside the subset; list the values with `|`, or use `if`",
        )),
        other => Err(Error::new(
            other.span(),
            "this pattern is outside the subset; arms match variants, constants, literals or `_`",
        )),
    }
}
