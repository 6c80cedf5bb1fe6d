//! `#[kernel]`: `update` as written, and `connect` and `hdl` translated from it.

use crate::attribute;
use crate::stmt::{self, Mode};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, FnArg, ItemFn, Result, ReturnType};

pub fn expand(args: TokenStream, mut function: ItemFn) -> Result<TokenStream> {
    if !args.is_empty() {
        return Err(Error::new(args.span(), "#[kernel] takes no arguments"));
    }
    check_signature(&function)?;
    attribute::check(&function)?;
    // The macros of rust-hdl that a kernel may use are expanded first, so that
    // the simulator and the lowering read the very same statements.
    stmt::expand_macros(&mut function.block)?;
    let connects = stmt::block(&function.block, Mode::Connect)?;
    let records = stmt::block(&function.block, Mode::Record)?;
    let allow = quote! {
        #[allow(
            unused, unreachable_code, clippy::all,
            reason = "generated from `update`, which is linted"
        )]
    };
    Ok(quote! {
        #function

        #allow
        fn connect(&mut self) {
            ::phasecube::lower::dry_run(|| #connects)
        }

        #allow
        fn hdl(&self) -> ::phasecube::lower::Verilog {
            ::phasecube::lower::record::<Self>(|| #records)
        }
    })
}

fn check_signature(function: &ItemFn) -> Result<()> {
    let sig = &function.sig;
    let receiver_only = sig.inputs.len() == 1
        && matches!(&sig.inputs[0], FnArg::Receiver(r)
            if r.reference.is_some() && r.mutability.is_some() && r.colon_token.is_none());
    let plain = sig.constness.is_none()
        && sig.asyncness.is_none()
        && sig.unsafety.is_none()
        && sig.generics.params.is_empty()
        && matches!(sig.output, ReturnType::Default);
    if sig.ident != "update" || !receiver_only || !plain {
        return Err(Error::new(
            sig.span(),
            "#[kernel] stands on `fn update(&mut self)` of an `impl Logic`",
        ));
    }
    Ok(())
}
