//! Implements `#[with_parameters]`: an `impl` that takes its parameters from the struct.
//!
//! An attribute sees nothing but its own item. `#[derive(Circuit)]` therefore writes a macro next to
//! the struct, which adds the parameters to an `impl`.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Generics, ItemImpl, PathArguments, Result, Type};

/// Returns the macro with the parameters of a struct.
pub fn parameter_macro(input: &DeriveInput) -> TokenStream {
    let name = macro_name(&input.ident);
    let (declared, given, _) = input.generics.split_for_impl();
    quote! {
        #[allow(unused_macros)]
        macro_rules! #name {
            ($($item:tt)*) => {
                ::phasecube_hdl::lower::impl_with_parameters! { [#declared] [#given] $($item)* }
            };
        }
    }
}

fn macro_name(block: &Ident) -> Ident {
    format_ident!("parameters_of_{block}")
}

/// Passes an `impl` without parameters to the macro of its struct.
pub fn expand(item: &ItemImpl) -> Result<TokenStream> {
    let reject = |span: Span| {
        Err(Error::new(span, "the struct gives the parameters; accepted: its name alone"))
    };
    if let Some(parameter) = item.generics.params.first() {
        return reject(parameter.span());
    }
    let block = match &*item.self_ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    };
    match block {
        Some(block) if matches!(block.arguments, PathArguments::None) => {
            let name = macro_name(&block.ident);
            Ok(quote!(#name! { #item }))
        }
        _ => reject(item.self_ty.span()),
    }
}

/// An `impl` behind its parameters, as they are declared and as they are given.
pub struct Parametrised {
    declared: TokenStream,
    given: TokenStream,
    item: ItemImpl,
}

impl Parse for Parametrised {
    fn parse(input: ParseStream) -> Result<Self> {
        let (declared, given): (Group, Group) = (input.parse()?, input.parse()?);
        let item: ItemImpl = input.parse()?;
        // A parameter is visible to code that was written in the same place.
        let span = item.impl_token.span;
        let [declared, given] = [declared, given].map(|group| moved(group.stream(), span));
        Ok(Parametrised { declared, given, item })
    }
}

/// Returns the tokens as if they were written at `span`.
fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            Group::new(group.delimiter(), moved(group.stream(), span)).into()
        }
        mut token => {
            token.set_span(span);
            token
        }
    });
    moved.collect()
}

impl Parametrised {
    /// Adds the parameters to the `impl`.
    pub fn expand(mut self) -> Result<TokenStream> {
        self.item.generics = syn::parse2::<Generics>(self.declared)?;
        let (block, given) = (&self.item.self_ty, &self.given);
        self.item.self_ty = syn::parse2(quote!(#block #given))?;
        let item = &self.item;
        Ok(quote!(#item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn an_impl_gets_the_parameters_of_its_struct() {
        let item: ItemImpl = parse_quote!(
            impl Logic for Adder {
                fn update(&mut self) {}
            }
        );
        assert_eq!(
            expand(&item).unwrap().to_string(),
            quote!(parameters_of_Adder! { #item }).to_string()
        );
        let tokens = quote!([<const N: usize, T: Word>] [<N, T>] #item);
        let expected: ItemImpl = parse_quote!(
            impl<const N: usize, T: Word> Logic for Adder<N, T> {
                fn update(&mut self) {}
            }
        );
        let found = syn::parse2::<Parametrised>(tokens).unwrap().expand().unwrap();
        assert_eq!(found.to_string(), quote!(#expected).to_string());
    }

    #[test]
    fn parameters_of_its_own_are_rejected() {
        for item in [
            parse_quote!(
                impl<const N: usize> Adder {}
            ),
            parse_quote!(impl Adder<3> {}),
            parse_quote!(impl Logic for [Adder; 2] {}),
        ] {
            let error = expand(&item).unwrap_err();
            assert_eq!(
                error.to_string(),
                "the struct gives the parameters; accepted: its name alone"
            );
        }
    }
}
