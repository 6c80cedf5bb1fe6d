//! The four proc macros that let `hdl` read a `rust-hdl` block exactly.
//!
//! * [`macro@kernel`], in the place of `#[hdl_gen]`, on the `update` of a
//!   block: keeps `update` as it is, for `rust-hdl`'s simulator, and writes
//!   `connect` and `hdl` beside it. `hdl` runs the same statements once more
//!   over symbolic values that have Rust's own types, which is how
//!   `hdl::lower` learns what the block does.
//!   On a function of words it does the same for the kernels that call it.
//! * [`macro@Circuit`], a derive beside `LogicBlock`: what the block is called,
//!   what its fields are for, and access to its ports by name.
//! * [`macro@Bundle`], a derive for ports that belong together and are one field of a
//!   block.
//! * [`macro@word`], on an enum or a struct whose values are bits on a wire.
//!
//! The macros find the library under the name that the user's `Cargo.toml` gives it.
//!
//! What is outside the subset is refused here, at its span, or by the compiler,
//! because symbolic values lack the operation. `hdl::lower` documents the
//! subset.

mod attribute;
mod bundle;
mod circuit;
mod expr;
mod function;
mod group;
mod kernel;
mod link;
mod names;
mod path;
mod pattern;
mod ports;
mod rename;
mod setup;
mod stmt;
mod word;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// What a macro writes, with the user's name for the library.
fn written(tokens: proc_macro2::TokenStream) -> TokenStream {
    rename::resolve(tokens).into()
}

/// The same, or the error.
fn expanded(tokens: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    written(tokens.unwrap_or_else(syn::Error::into_compile_error))
}

/// Makes a kernel of `fn update(&mut self)` in an `impl Logic for Block`, or lets
/// a function of words be called from kernels.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = parse_macro_input!(item as syn::ItemFn);
    match kernel::expand(args.into(), function.clone()) {
        Ok(tokens) => written(tokens),
        Err(error) => {
            // With `update` itself, or the compiler would say that it is missing; and
            // without the macros that only `#[kernel]` knows.
            setup::remove_macros(&mut function);
            let error = error.into_compile_error();
            quote::quote!(#error #function).into()
        }
    }
}

/// Implements `hdl::lower::Circuit` for a block.
#[proc_macro_derive(Circuit)]
pub fn circuit(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    expanded(circuit::expand(&input))
}

/// Makes a bundle of a struct of ports: `hdl::lower::Bundle` and what that needs.
///
/// With `#[bundle(flat)]` its members are called as they are, without the name of the
/// field that holds them. With `#[bundle(flipped = Name)]` there is a second struct of
/// this name with the directions turned round, the other end, which also has `Default`.
#[proc_macro_derive(Bundle, attributes(bundle))]
pub fn bundle(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    expanded(bundle::expand(&input))
}

/// Makes a word of an enum without fields or of a struct of words: `hdl::lower::Word` and
/// what that needs.
///
/// It derives `LogicState` and `Eq` for an enum, `LogicStruct` for a struct, and `Copy`,
/// `Clone`, `Debug` and `PartialEq` for both. Another `PartialEq` for the type does not
/// compile. The default of an enum is its first variant; a struct needs a `Default`.
#[proc_macro_attribute]
pub fn word(args: TokenStream, item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    expanded(word::expand(args.into(), &input))
}
