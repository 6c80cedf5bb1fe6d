//! What a wire can hold.

use rust_hdl::prelude::{Bits, Clock, Signed, Synth};

/// A type whose values are bits on a wire: `Bits<N>`, `bool`, and the enums and structs
/// under [`#[word]`](super::word).
///
/// Two words are equal if and only if their bits are. `rust-hdl`'s simulator asks `==`
/// whether a signal has changed, and a circuit compares bits. So `#[word]` derives
/// `PartialEq` itself, and the compiler refuses one by hand beside it. For the same
/// reason nothing but `#[word]` implements this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a word of a circuit",
    label = "neither `Bits<N>`, `bool`, nor an enum or struct under `#[word]`",
    note = "write `#[word]` above the type instead of `#[derive(LogicState, ..)]` or `#[derive(LogicStruct, ..)]`"
)]
pub trait Word: Synth {}

impl<const N: usize> Word for Bits<N> {}
impl Word for bool {}

// Signed words and clocks are refused where they are used, in words of their own.
impl<const N: usize> Word for Signed<N> {}
impl Word for Clock {}
