//! Converts `rust-hdl`'s type descriptors to types of the circuit description.

use lockstep::design::{EnumType, FieldType, StructType, Type};
use rust_hdl::prelude::{clog2, TypeDescriptor, TypeKind};
use std::sync::Arc;

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
