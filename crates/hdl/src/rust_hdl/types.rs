//! Types and values of `rust-hdl`'s words: descriptors become types of a circuit, printed literals
//! become bits.

use super::{clog2, Synth, TypeDescriptor, TypeKind};
use lockstep::design::{EnumType, FieldType, StructType, Type};
use num_bigint::BigUint;
use num_traits::Zero;
use std::sync::Arc;

/// Returns the bits of a value known at generation.
pub(crate) fn bits_of<T: Synth>(value: T) -> BigUint {
    literal_bits(&value.verilog().to_string())
}

/// Parses the bits of a literal as `rust-hdl` prints it, such as `8'hff`.
pub(super) fn literal_bits(literal: &str) -> BigUint {
    let (_, digits) = literal.split_once('\'').expect("a Verilog literal has a base");
    let (base, digits) = digits.split_at(1);
    let radix = if base == "b" { 2 } else { 16 };
    BigUint::parse_bytes(digits.as_bytes(), radix).unwrap_or_else(BigUint::zero)
}

/// Whether this is the type `Bits` of this width.
pub(crate) fn is_bits(descriptor: &TypeDescriptor, width: usize) -> bool {
    descriptor.name == format!("Bits::<{width}>")
}

/// Whether this is the type `bool`.
pub(crate) fn is_bool(descriptor: &TypeDescriptor) -> bool {
    descriptor.name == "Bit" && matches!(descriptor.kind, TypeKind::Bits(1))
}

/// Whether this is the type `Clock`, which is not a word.
pub(crate) fn is_clock(descriptor: &TypeDescriptor) -> bool {
    descriptor.name == "clock" && matches!(descriptor.kind, TypeKind::Bits(1))
}

/// Converts a type descriptor. The error says what the subset accepts.
pub(crate) fn type_of(descriptor: &TypeDescriptor) -> Result<Type, String> {
    let name = &descriptor.name;
    match &descriptor.kind {
        TypeKind::Bits(0) => Err(format!("{name} has no bits; a word has at least one")),
        TypeKind::Bits(width) => Ok(Type::Bits(*width as u32)),
        TypeKind::Signed(_) => Err(format!(
            "{name} of rust-hdl has no shift and extends wrongly; use `Signed` of `hdl::prelude`"
        )),
        TypeKind::Enum(variants) if variants.len() < 2 => {
            Err(format!("the enum {name} has one variant and so no bits; a word has at least one"))
        }
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
                packed.push(FieldType { name: field.fieldname.clone(), offset, ty });
                offset += width;
            }
            if offset == 0 {
                return Err(format!("the struct {name} has no bits; a word has at least one"));
            }
            Ok(Type::Struct(Arc::new(StructType { name: name.clone(), fields: packed })))
        }
    }
}

/// Returns `State::Idle` without the name of the enum.
fn last_segment(variant: &str) -> String {
    variant.rsplit("::").next().unwrap_or(variant).to_string()
}

#[cfg(test)]
mod tests {
    use super::{bits_of, is_bits, is_bool, is_clock, type_of};
    use crate::prelude::*;
    use lockstep::design::Type;
    use num_bigint::BigUint;

    #[word]
    enum State {
        Idle,
        Run,
        Done,
    }

    #[word]
    #[derive(Default)]
    struct Item {
        state: State,
        last: Bit,
        data: Bits<40>,
    }

    /// Checks words of `N` bits: zero, all ones, and the top and bottom bit alone.
    fn check_width<const N: usize>() {
        let ones = (BigUint::from(1u8) << N) - 1u8;
        let ends = (BigUint::from(1u8) << (N - 1)) | BigUint::from(1u8);
        for value in [BigUint::ZERO, ones, ends] {
            assert_eq!(bits_of(Bits::<N>::from(value.clone())), value, "{N} bits");
        }
        assert!(is_bits(&Bits::<N>::descriptor(), N));
        assert!(!is_bits(&Bits::<N>::descriptor(), N + 1));
        assert_eq!(type_of(&Bits::<N>::descriptor()), Ok(Type::Bits(N as u32)));
    }

    #[test]
    fn a_literal_has_the_bits_of_its_value() {
        check_width::<1>();
        check_width::<7>();
        check_width::<8>();
        check_width::<31>();
        check_width::<32>();
        check_width::<33>();
        check_width::<64>();
        check_width::<65>();
        check_width::<130>();
        assert_eq!([false, true].map(bits_of), [0u8, 1].map(BigUint::from));
        let states = [State::Idle, State::Run, State::Done];
        assert_eq!(states.map(bits_of), [0u8, 1, 2].map(BigUint::from));
        let item = Item { state: State::Done, last: true, data: 0x5A_0000_0001.into() };
        assert_eq!(bits_of(item), BigUint::from((0x5A_0000_0001u64 << 3) | 0b110));
    }

    #[test]
    fn descriptors_tell_the_types_apart() {
        assert!(is_bool(&bool::descriptor()));
        assert!(is_clock(&Clock::descriptor()));
        assert!(!is_bits(&bool::descriptor(), 1));
        assert!(!is_bool(&Bits::<1>::descriptor()) && !is_clock(&Bits::<1>::descriptor()));
        assert!(!is_bool(&Clock::descriptor()) && !is_clock(&bool::descriptor()));
        let own = rust_hdl::prelude::Signed::<4>::descriptor();
        assert!(type_of(&own).is_err());
        assert_eq!(type_of(&Signed::<4>::descriptor()), Ok(Type::Bits(4)));
        assert!(!is_bits(&Signed::<4>::descriptor(), 4));

        let Ok(Type::Struct(item)) = type_of(&Item::descriptor()) else {
            panic!("a struct of words is a struct");
        };
        let fields: Vec<_> = (item.fields.iter())
            .map(|field| (&field.name[..], field.offset, field.ty.width()))
            .collect();
        assert_eq!(fields, [("state", 0, 2), ("last", 2, 1), ("data", 3, 40)]);
        let Type::Enum(state) = &item.fields[0].ty else {
            panic!("an enum is an enum");
        };
        assert_eq!(state.variants, ["Idle", "Run", "Done"]);
    }
}
