//! Implements `#[kernel]`: keeps `update` as written, and translates it to `connect` and `hdl`.

use crate::attribute;
use crate::function;
use crate::group;
use crate::link;
use crate::names::SelectorNames;
use crate::setup;
use crate::stmt::{self, Mode};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{parse_quote, Error, FnArg, ItemFn, Result, ReturnType, Token};

pub fn expand(args: TokenStream, mut function: ItemFn) -> Result<TokenStream> {
    if !args.is_empty() {
        return Err(Error::new(args.span(), "#[kernel] takes no arguments"));
    }
    if !is_update(&function) {
        return function::expand(function);
    }
    // Inside a user's macro, `self` has the hygiene of that macro. A `self` written here would be a
    // different one.
    let this = check_signature(&function)?;
    attribute::check(&function)?;
    group::parenthesize(&mut function);
    // The macros of rust-hdl that a kernel may use are expanded first. The simulator and the
    // lowering then read the same statements.
    setup::expand(&mut function)?;
    let records = stmt::block(&function.block, Mode::Record)?;
    let names = SelectorNames::of_function(&function);
    let connects = stmt::block(&function.block, Mode::Connect(&names))?;
    link::expand(&mut function);
    let taken = stmt::branch_trace_variable(Span::mixed_site());
    let allow = quote! {
        #[allow(
            unused, unreachable_code, clippy::all,
            reason = "generated from `update`, which is linted"
        )]
    };
    // Loops of the subset count over a range, even if the index only selects elements.
    function
        .attrs
        .push(parse_quote!(#[allow(clippy::needless_range_loop)]));
    Ok(quote! {
        #function

        #allow
        fn connect(&mut #this) {
            let mut #taken = ::phasecube_hdl::lower::BranchTrace::by(
                &|| ::phasecube_hdl::lower::Logic::hdl(&*#this)
            );
            ::phasecube_hdl::lower::dry_run(&mut || #connects)
        }

        #allow
        fn hdl(&#this) -> ::phasecube_hdl::lower::Verilog {
            ::phasecube_hdl::lower::record(
                <Self as ::phasecube_hdl::lower::Circuit>::description,
                &|| #records,
            )
        }
    })
}

/// Whether this is the kernel of a block rather than a function of words.
fn is_update(function: &ItemFn) -> bool {
    let by_reference = |input: &FnArg| matches!(input, FnArg::Receiver(r) if r.reference.is_some());
    let sig = &function.sig;
    sig.ident == "update" || sig.inputs.iter().any(by_reference)
}

/// Checks the signature and returns the `self` of the kernel.
fn check_signature(function: &ItemFn) -> Result<Token![self]> {
    let sig = &function.sig;
    let receiver = match sig.inputs.first() {
        Some(FnArg::Receiver(r)) if sig.inputs.len() == 1 => {
            let by_reference = r.reference.is_some() && r.colon_token.is_none();
            (by_reference && r.mutability.is_some()).then_some(r.self_token)
        }
        _ => None,
    };
    let plain = sig.constness.is_none()
        && sig.asyncness.is_none()
        && sig.unsafety.is_none()
        && sig.generics.params.is_empty()
        && matches!(sig.output, ReturnType::Default);
    match receiver {
        Some(this) if sig.ident == "update" && plain => Ok(this),
        _ => Err(Error::new(
            sig.span(),
            "#[kernel] stands on `fn update(&mut self)` of an `impl Logic`",
        )),
    }
}
