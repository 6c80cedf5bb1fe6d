//! Types of values on wires.

use super::kernel;
use crate::fold;
use lockstep::design::{EnumType, FieldType, StructType, Type};
use num_bigint::BigUint;
use rust_hdl::prelude::{bit_cast, clog2, Bits, Clock, Signed, Synth, TypeDescriptor, TypeKind};
use std::sync::Arc;

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

// Converts `rust-hdl`'s type descriptors to types of the circuit description.

/// Whether this is the type `Clock`, which is not a word.
pub(crate) fn is_clock(descriptor: &TypeDescriptor) -> bool {
    // The descriptor of `bool` has the name "Bit". Descriptors of words have the name "Bits::<N>".
    descriptor.name == "clock" && matches!(descriptor.kind, TypeKind::Bits(1))
}

/// Converts a type descriptor. The error says what the subset accepts.
pub(crate) fn type_of(descriptor: &TypeDescriptor) -> Result<Type, String> {
    let name = &descriptor.name;
    match &descriptor.kind {
        TypeKind::Bits(0) => Err(format!("{name} has no bits; a word has at least one")),
        TypeKind::Bits(width) => Ok(Type::Bits(*width as u32)),
        TypeKind::Signed(_) => Err(format!(
            "{name} is signed; words of the subset are unsigned (`Bits<N>`)"
        )),
        TypeKind::Enum(variants) if variants.len() < 2 => Err(format!(
            "the enum {name} has one variant and so no bits; a word has at least one"
        )),
        TypeKind::Enum(variants) => Ok(Type::Enum(Arc::new(EnumType {
            name: name.clone(),
            width: clog2(variants.len()) as u32,
            variants: variants.iter().map(|v| last_segment(v)).collect(),
        }))),
        TypeKind::Composite(fields) => {
            let mut offset = 0;
            let mut packed = vec![];
            for field in fields {
                let ty = type_of(&field.kind)?;
                let width = ty.width();
                packed.push(FieldType {
                    name: field.fieldname.clone(),
                    offset,
                    ty,
                });
                offset += width;
            }
            if offset == 0 {
                return Err(format!(
                    "the struct {name} has no bits; a word has at least one"
                ));
            }
            Ok(Type::Struct(Arc::new(StructType {
                name: name.clone(),
                fields: packed,
            })))
        }
    }
}

/// Returns `State::Idle` without the name of the enum.
fn last_segment(variant: &str) -> String {
    variant.rsplit("::").next().unwrap_or(variant).to_string()
}

/// Changes the width of a word, inside and outside kernels.
///
/// In contrast to `rust-hdl`'s `bit_cast`, the caller does not name the current width of the word.
/// The new width can be omitted where Rust can infer it.
///
/// ```
/// use hdl::lower::Resize;
/// use rust_hdl::prelude::*;
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
