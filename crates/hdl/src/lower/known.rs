//! Checks that the copy of a kernel resolves the same methods and functions as `update`, on words
//! or on values known at generation.

use super::record::{here, with_recording};
use super::sym::{Index, Lift, Readable, Sym};
use super::word::Word;
use lockstep::design::SourceLocation;
use std::any::type_name;

/// Return type of the methods of [`OwnMethods`].
#[doc(hidden)]
pub struct OwnMethod;

/// Methods of words, by value and for every type. Rust prefers a method by value to one by
/// reference, and the methods of `rust-hdl` are by reference. Where this trait is in scope, a
/// method of a user's trait that precedes the one of `rust-hdl` is therefore ambiguous. A user's
/// method by reference comes after this trait.
#[doc(hidden)]
pub trait OwnMethods: Sized {
    fn val(self) -> OwnMethod {
        OwnMethod
    }
    fn get_bit(self) -> OwnMethod {
        OwnMethod
    }
    fn get_bits(self) -> OwnMethod {
        OwnMethod
    }
    fn replace_bit(self) -> OwnMethod {
        OwnMethod
    }
    fn all(self) -> OwnMethod {
        OwnMethod
    }
    fn any(self) -> OwnMethod {
        OwnMethod
    }
    fn xor(self) -> OwnMethod {
        OwnMethod
    }
    fn index(self) -> OwnMethod {
        OwnMethod
    }
}

impl<T> OwnMethods for T {}

/// Checks that a method of the receiver is `rust-hdl`'s own. Never called.
#[doc(hidden)]
pub fn own<L: Lift>(_: L, _: fn(L::Word) -> OwnMethod) {}

/// Checks that `.val()` of a signal is `rust-hdl`'s own. Never called.
#[doc(hidden)]
pub fn val<S: Readable>(_: &S, _: fn(S) -> OwnMethod) {}

/// Type of a receiver of `.into()` in `update`.
#[doc(hidden)]
pub trait IntoReceiver {
    type Type;
}

impl<T: Word> IntoReceiver for Sym<T> {
    type Type = T;
}

impl<T: Word> IntoReceiver for T {
    type Type = T;
}

impl IntoReceiver for u64 {
    type Type = u64;
}

/// Checks that an argument of a function called at generation is not a word, and returns it.
#[doc(hidden)]
#[track_caller]
pub fn known<T>(value: T) -> T {
    check_no_word(type_name::<T>(), here());
    value
}

fn check_no_word(name: &str, origin: SourceLocation) {
    let sym = type_name::<Sym<bool>>();
    let sym = sym.split_once('<').map_or(sym, |(name, _)| name);
    if name.contains(sym) || name.contains(type_name::<Index>()) {
        with_recording(|r| {
            r.refuse(
                origin,
                "a function cannot take a word: it is called once, at generation".into(),
            )
        });
    }
}
