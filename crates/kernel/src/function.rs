//! Implements `#[kernel]` on a function of words. The function stays as written for `rust-hdl`'s
//! simulator. A translated copy serves kernels that call it while they are lowered.

use crate::attribute;
use crate::expr::{self, hygienic};
use crate::group;
use crate::stmt::{self, Mode};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    parse_quote, Block, Error, Expr, FnArg, GenericParam, Ident, ItemFn, Pat, Result, ReturnType,
    Stmt,
};

pub fn expand(mut function: ItemFn) -> Result<TokenStream> {
    let parameters = parameters(&function)?;
    attribute::check(&function)?;
    group::parenthesize(&mut function);

    // The copy uses another name for `self`, which is not a block here.
    let this = hygienic("this", Span::call_site());
    let mut copy = function.block.clone();
    Renamed(&this).visit_block_mut(&mut copy);
    let value = body(&copy)?;

    let name = |text| hygienic(text, Span::call_site());
    let (call, place, result) = (name("call"), name("place"), name("result"));
    let takes = parameters.iter().enumerate().map(|(index, (old, new))| {
        let new = new.as_ref().unwrap_or(&this);
        quote_spanned!(new.span()=> let #new = {
            use ::phasecube_hdl::lower::{PlainParameter as _, WordParameter as _};
            (&mut ::phasecube_hdl::lower::CallParameter::new(#old, &#call, #index)).take()
        };)
    });
    // A closure has source locations of its own. The function itself has the location of its
    // caller, which identifies a call with a dot.
    let translated = quote! {
        #[allow(
            unused, clippy::all,
            reason = "generated from the function, which is linted"
        )]
        {
            let #place = ::core::panic::Location::caller();
            if let ::core::option::Option::Some(#call) =
                ::phasecube_hdl::lower::Call::accept(&|| (), #place)
            {
                return (move || {
                    #(#takes)*
                    let #result = #value;
                    #call.answer(#result)
                })();
            }
        }
    };
    function.block.stmts.insert(0, parse_quote!(#translated));
    function
        .attrs
        .push(parse_quote!(#[allow(clippy::needless_range_loop)]));
    function.attrs.push(parse_quote!(#[track_caller]));
    Ok(quote!(#function))
}

/// Returns each parameter as an expression, and its name unless it is `self`.
fn parameters(function: &ItemFn) -> Result<Vec<(TokenStream, Option<Ident>)>> {
    let sig = &function.sig;
    if sig.constness.is_some() || sig.asyncness.is_some() || sig.unsafety.is_some() {
        return Err(Error::new(
            sig.span(),
            "a #[kernel] function is a plain `fn`, neither const nor async nor unsafe",
        ));
    }
    for parameter in &sig.generics.params {
        if let GenericParam::Lifetime(lifetime) = parameter {
            return Err(Error::new(
                lifetime.span(),
                "a #[kernel] function takes words by value: there are no lifetimes",
            ));
        }
    }
    if let ReturnType::Default = sig.output {
        return Err(Error::new(
            sig.span(),
            "a #[kernel] function gives a word; #[kernel] also stands on `fn update(&mut self)` of an `impl Logic`",
        ));
    }
    sig.inputs.iter().map(parameter).collect()
}

fn parameter(input: &FnArg) -> Result<(TokenStream, Option<Ident>)> {
    match input {
        FnArg::Receiver(r) if r.reference.is_some() || r.colon_token.is_some() => Err(Error::new(
            r.span(),
            "a #[kernel] method takes `self` by value: a word is copied",
        )),
        FnArg::Receiver(r) => {
            let this = r.self_token;
            Ok((quote!(#this), None))
        }
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none() => {
                let name = &p.ident;
                Ok((quote!(#name), Some(name.clone())))
            }
            other => Err(Error::new(
                other.span(),
                "a parameter of a #[kernel] function has a plain name",
            )),
        },
    }
}

/// Translates a block whose last expression is its value.
fn body(block: &Block) -> Result<TokenStream> {
    let Some((Stmt::Expr(value, None), before)) = block.stmts.split_last() else {
        return Err(Error::new(
            block.span(),
            "a #[kernel] function ends with its value",
        ));
    };
    let statements = stmt::statements(before, Mode::Function);
    let value = expr::value(value);
    match (statements, value) {
        (Ok(statements), Ok(value)) => Ok(quote!({ #statements #value })),
        (Err(mut all), Err(last)) => {
            all.combine(last);
            Err(all)
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Replaces `self` by another name.
struct Renamed<'a>(&'a Ident);

impl VisitMut for Renamed<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if let Expr::Path(path) = e {
            if path.path.is_ident("self") {
                let mut name = self.0.clone();
                name.set_span(name.span().located_at(path.span()));
                *e = parse_quote!(#name);
            }
        }
    }
}
