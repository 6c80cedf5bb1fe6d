//! `#[word]`: an enum or a struct that a wire can hold.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Result};

pub fn expand(args: TokenStream, input: &DeriveInput) -> Result<TokenStream> {
    if !args.is_empty() {
        return Err(Error::new(args.span(), "`#[word]` takes no arguments"));
    }
    let derives = match &input.data {
        Data::Enum(_) => quote!(::phasecube_hdl::lower::LogicState, Eq),
        Data::Struct(_) => quote!(::phasecube_hdl::lower::LogicStruct),
        Data::Union(_) => {
            return Err(Error::new(
                input.ident.span(),
                "a word is an enum without fields or a struct of words",
            ))
        }
    };
    let name = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        #[derive(#derives, Copy, Clone, Debug, PartialEq)]
        #input

        impl #impl_generics ::phasecube_hdl::lower::Word for #name #ty_generics #where_clause {}
    })
}
