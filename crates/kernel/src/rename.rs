//! Finds the name that a user's `Cargo.toml` gives to `phasecube-hdl`.
//!
//! A macro cannot refer to "the crate that I belong to". The macros therefore write
//! `::phasecube_hdl`, and the last step replaces it by the user's name.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use proc_macro_crate::{crate_name, FoundCrate};

const PACKAGE: &str = "phasecube-hdl";

/// Placeholder for the library in the tokens of the macros.
const MARK: &str = "phasecube_hdl";

/// Name of the library in Rust, unless the user renames it.
const LIBRARY: &str = "hdl";

/// Returns the tokens with the user's name for the library.
pub fn resolve(tokens: TokenStream) -> TokenStream {
    replace(tokens, &name())
}

/// Returns the library's name in the user's crate. Without a `Cargo.toml`, or with one that does
/// not name the package, returns the library's own name.
fn name() -> String {
    match crate_name(PACKAGE) {
        Ok(FoundCrate::Name(name)) if name != MARK => name,
        _ => LIBRARY.into(),
    }
}

fn replace(tokens: TokenStream, name: &str) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == MARK => Ident::new(name, ident.span()).into(),
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), replace(group.stream(), name));
            inside.set_span(group.span());
            inside.into()
        }
        token => token,
    });
    replaced.collect()
}

#[cfg(test)]
mod tests {
    use super::replace;
    use quote::quote;

    #[test]
    fn the_name_is_replaced_at_any_depth() {
        let tokens = quote!(
            fn f(a: ::phasecube_hdl::A) {
                [::phasecube_hdl::b(hdl)]
            }
        );
        let expected = quote!(
            fn f(a: ::mine::A) {
                [::mine::b(hdl)]
            }
        );
        assert_eq!(replace(tokens, "mine").to_string(), expected.to_string());
    }
}
