//! Types of values on wires.

use super::call::Call;
use super::kernel;
use super::ops::{binary, resized};
use super::sym::Sym;
use crate::fold;
use crate::rust_hdl::{bit_cast, prelude, Bits, Clock, Synth};
use lockstep::design::{BinaryOp, ExprId};
use num_bigint::BigUint;
use std::panic::Location;

/// Type whose values are bits on a wire: `Bits<N>`, [`Signed<N>`](super::Signed), `bool`, and the enums and structs under
/// [`#[word]`](super::word).
///
/// Two words are equal if and only if their bits are equal. `rust-hdl`'s simulator uses `==` to
/// detect changed signals, while a circuit compares bits. `#[word]` therefore derives `PartialEq`
/// itself, and the compiler rejects a second, handwritten one. For the same reason only `#[word]`
/// implements this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a word of a circuit",
    label = "neither `Bits<N>`, `bool`, nor an enum or struct under `#[word]`",
    note = "write `#[word]` above the type; it derives `Copy`, `Clone`, `Debug` and `PartialEq`, and replaces `#[derive(LogicState)]` and `#[derive(LogicStruct)]`"
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

// Signed words of `rust-hdl` and clocks are rejected at their use, with specific messages.
impl<const N: usize> Word for prelude::Signed<N> {
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

/// Changes the width of a word, inside and outside kernels.
///
/// In contrast to `rust-hdl`'s `bit_cast`, the caller does not name the current width of the word.
/// The new width can be omitted where Rust can infer it.
///
/// ```
/// use hdl::prelude::*;
///
/// let word = bits::<8>(0xA5);
/// assert_eq!(word.resized::<12>(), bits(0x0A5));
/// let low: Bits<4> = word.resized();
/// assert_eq!(low, bits(0x5));
/// assert_eq!(true.resized::<4>(), bits(1));
/// ```
pub trait Resize {
    /// Returns the word with zeros above it, or its low `M` bits. A `bool` is a word of one bit.
    fn resized<const M: usize>(self) -> Bits<M>;
}

impl<const N: usize> Resize for Bits<N> {
    #[kernel]
    fn resized<const M: usize>(self) -> Bits<M> {
        bit_cast::<M, N>(self)
    }
}

impl Resize for bool {
    #[kernel]
    fn resized<const M: usize>(self) -> Bits<M> {
        bit_cast::<M, 1>(self.into())
    }
}

/// Product of two words with a stated width, inside and outside kernels.
///
/// The sum of the widths of both factors is enough for every product. A narrower product has the
/// low bits only. The width can be omitted where Rust can infer it.
///
/// ```
/// use hdl::prelude::*;
///
/// let (a, b) = (bits::<8>(200), bits::<4>(3));
/// assert_eq!(a.times::<12>(b), bits(600));
/// let low: Bits<8> = a.times(b);
/// assert_eq!(low, bits(600 % 256));
/// ```
pub trait Multiply<By> {
    /// Type of a product of `P` bits.
    type Product<const P: usize>;
    /// Returns the low `P` bits of the product.
    fn times<const P: usize>(self, by: By) -> Self::Product<P>;
}

impl<const N: usize, const M: usize> Multiply<Bits<M>> for Bits<N> {
    type Product<const P: usize> = Bits<P>;

    #[track_caller]
    fn times<const P: usize>(self, by: Bits<M>) -> Bits<P> {
        if let Some(call) = Call::accept(&|| (), Location::caller()) {
            let (a, b) = (call.parameter(self, 0), call.parameter(by, 1));
            let product = product(resized(a.expr, P), resized(b.expr, P));
            return call.answer(Sym::<Bits<P>>::new(product));
        }
        let product = match N <= 64 && M <= 64 {
            true => BigUint::from(u128::from(u64::from(self)) * u128::from(u64::from(by))),
            false => BigUint::from(self) * BigUint::from(by),
        };
        (product & fold::ones(P as u32)).into()
    }
}

/// Returns the product of two words of equal width, which wraps.
pub(super) fn product(a: ExprId, b: ExprId) -> ExprId {
    binary(BinaryOp::Mul, a, b)
}
