//! Types of values on wires.

use crate::fold;
use num_bigint::BigUint;
use rust_hdl::prelude::{Bits, Clock, Signed, Synth};

/// Type whose values are bits on a wire: `Bits<N>`, `bool`, and the enums and structs under
/// [`#[word]`](super::word).
///
/// Two words are equal if and only if their bits are equal. `rust-hdl`'s simulator uses `==` to
/// detect changed signals, while a circuit compares bits. `#[word]` therefore derives `PartialEq`
/// itself, and the compiler rejects a second, handwritten one. For the same reason only `#[word]`
/// implements this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a word of a circuit",
    label = "neither `Bits<N>`, `bool`, nor an enum or struct under `#[word]`",
    note = "write `#[word]` above the type instead of `#[derive(LogicState, ..)]` or `#[derive(LogicStruct, ..)]`"
)]
pub trait Word: Synth {
    /// Returns the value with these bits; `None` if no value has them.
    #[doc(hidden)]
    fn of_bits(bits: &BigUint) -> Option<Self>;
}

impl<const N: usize> Word for Bits<N> {
    fn of_bits(bits: &BigUint) -> Option<Self> {
        (bits.bits() <= N as u64).then(|| bits.clone().into())
    }
}

impl Word for bool {
    fn of_bits(bits: &BigUint) -> Option<Self> {
        (bits.bits() <= 1).then(|| bits.bit(0))
    }
}

// Signed words and clocks are rejected at their use, with specific messages.
impl<const N: usize> Word for Signed<N> {
    fn of_bits(_: &BigUint) -> Option<Self> {
        None
    }
}

impl Word for Clock {
    fn of_bits(_: &BigUint) -> Option<Self> {
        None
    }
}

/// Returns the enum value with these bits, which number the variants.
#[doc(hidden)]
pub fn variant_of<T: Word>(variants: &[T], bits: &BigUint) -> Option<T> {
    variants.get(usize::try_from(bits).ok()?).copied()
}

/// Removes the lowest bits, up to the width of the field, and returns them as the field's value.
#[doc(hidden)]
pub fn field_of<T: Word>(bits: &mut BigUint) -> Option<T> {
    let field = &*bits & fold::ones(T::BITS as u32);
    *bits >>= T::BITS;
    T::of_bits(&field)
}
