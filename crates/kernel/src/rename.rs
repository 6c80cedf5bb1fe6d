//! The name that a user's `Cargo.toml` gives to `phasecube-hdl`.
//!
//! A macro cannot say "the crate that I belong to". What the macros write begins with
//! `::phasecube_hdl`, and the last step puts the user's name in its place.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use proc_macro_crate::{crate_name, FoundCrate};

const PACKAGE: &str = "phasecube-hdl";

/// What stands for the library in the tokens of the macros.
const MARK: &str = "phasecube_hdl";

/// The name of the library itself: what Rust knows it by unless it is renamed.
const LIBRARY: &str = "hdl";

/// The tokens with the user's name for the library.
pub fn resolve(tokens: TokenStream) -> TokenStream {
    replace(tokens, &name())
}

/// Without a `Cargo.toml`, or with one that does not name the package, it is the library's.
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
