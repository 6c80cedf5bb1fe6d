//! Proc macros that let `hdl` read a `rust-hdl` block exactly.
//!
//! * [`macro@kernel`] replaces `#[hdl_gen]` on the `update` of a block. It keeps `update` unchanged
//!   for `rust-hdl`'s simulator, and writes `connect` and `hdl` next to it. `hdl` runs the same
//!   statements over symbolic values that have Rust's own types. `hdl::lower` thereby learns the
//!   behaviour of the block. On a function of words, the macro does the same for the kernels that
//!   call it.
//! * [`macro@Circuit`], a derive next to `LogicBlock`: name of a block, documentation of its
//!   fields, and access to its ports by name.
//! * [`macro@Bundle`], a derive for a group of ports that is one field of a block.
//! * [`macro@word`], on an enum or a struct whose values are bits on a wire.
//! * [`macro@with_parameters`], on an `impl` of a block with many parameters.
//!
//! The macros refer to the library by the name that the user's `Cargo.toml` gives it.
//!
//! Code outside the subset is rejected in one of two ways. The macro rejects it at its span, or the
//! compiler rejects it because symbolic values lack the operation. `hdl::lower` documents the
//! subset.

mod bundle;
mod circuit;
mod display;
mod expr;
mod kernel;
mod parameters;
mod path;
mod rename;
mod statement_macros;
mod stmt;
mod word;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// Returns the output of a macro, with the user's name for the library.
fn resolved_output(tokens: proc_macro2::TokenStream) -> TokenStream {
    rename::resolve(tokens).into()
}

/// Returns the output of a macro, or its error.
fn output_or_error(tokens: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    resolved_output(tokens.unwrap_or_else(syn::Error::into_compile_error))
}

/// Makes `fn update(&mut self)` in an `impl Logic for Block` a kernel, or makes a function of words
/// callable from kernels.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = parse_macro_input!(item as syn::ItemFn);
    match kernel::expand(args.into(), function.clone()) {
        Ok(tokens) => resolved_output(tokens),
        Err(error) => {
            // Keeps `update`, because otherwise the compiler would report that it is missing.
            // Removes the macros that only `#[kernel]` understands.
            statement_macros::remove_macros(&mut function);
            let error = error.into_compile_error();
            quote::quote!(#error #function).into()
        }
    }
}

/// Implements `hdl::lower::Circuit` for a block.
#[proc_macro_derive(Circuit)]
pub fn circuit(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    output_or_error(circuit::expand(&input))
}

/// Makes a bundle of a struct of ports: implements `hdl::lower::Bundle` and the traits that it
/// requires.
///
/// With `#[bundle(flat)]` the port names omit the name of the field that holds the bundle.
/// `#[bundle(flipped = Name)]` also writes a struct `Name` with reversed directions, the opposite
/// end, which implements `Default`.
#[proc_macro_derive(Bundle, attributes(bundle))]
pub fn bundle(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    output_or_error(bundle::expand(&input))
}

/// Makes a word of an enum without fields or of a struct of words: implements `hdl::lower::Word`
/// and the traits that it requires.
///
/// The macro derives `LogicState` and `Eq` for an enum, and `LogicStruct` for a struct. For both it
/// derives `Copy`, `Clone`, `Debug` and `PartialEq`. A second `PartialEq` for the type does not
/// compile. The default of an enum is its first variant. A struct needs a `Default`.
#[proc_macro_attribute]
pub fn word(args: TokenStream, item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    output_or_error(word::expand(args.into(), &input))
}

/// Gives an `impl` the parameters of its struct, which derives [`macro@Circuit`] above it in the
/// module. `impl Logic for Block` then means
/// `impl<const LINKS: usize, ..> Logic for Block<LINKS, ..>`.
#[proc_macro_attribute]
pub fn with_parameters(_args: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as syn::ItemImpl);
    output_or_error(parameters::expand(&item))
}

/// The second step of [`macro@with_parameters`], with the parameters.
#[doc(hidden)]
#[proc_macro]
pub fn impl_with_parameters(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as parameters::Parametrised);
    output_or_error(item.expand())
}
