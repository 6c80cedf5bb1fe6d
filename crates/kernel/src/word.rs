//! Implements `#[word]`: an enum or a struct whose values are bits on a wire.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Result};

pub fn expand(args: TokenStream, input: &DeriveInput) -> Result<TokenStream> {
    if !args.is_empty() {
        return Err(Error::new(args.span(), "`#[word]` takes no arguments"));
    }
    let (derives, of_bits) = match &input.data {
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| &variant.ident);
            let of_bits = quote!(::phasecube_hdl::lower::variant_of(&[#(Self::#variants),*], bits));
            (quote!(::phasecube_hdl::rust_hdl::LogicState, Eq), of_bits)
        }
        Data::Struct(data) => {
            // As in rust-hdl, a leading underscore marks a field that is not part of the word.
            let names = data.fields.iter().filter_map(|field| field.ident.as_ref());
            let names = names.filter(|name| !name.to_string().starts_with('_'));
            let of_bits = quote! {
                let mut word = Self::default();
                let mut left = bits.clone();
                #(word.#names = ::phasecube_hdl::lower::field_of(&mut left)?;)*
                (left == ::core::default::Default::default()).then_some(word)
            };
            (quote!(::phasecube_hdl::rust_hdl::LogicStruct), of_bits)
        }
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

        impl #impl_generics ::phasecube_hdl::lower::Word for #name #ty_generics #where_clause {
            #[allow(unused)]
            fn of_bits(
                bits: &::phasecube_hdl::lower::BigUint,
            ) -> ::core::option::Option<Self> {
                #of_bits
            }
        }
    })
}
