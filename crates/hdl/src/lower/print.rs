//! Print statements of kernels.

use super::record::{here, with_recording};
use super::sym::{Index, Sym};
use super::{Signed, Word};
use crate::rust_hdl::types::bits_of;
use crate::rust_hdl::Bits;
use lockstep::design::{ExprId, PrintBase, PrintPart};
use num_bigint::BigUint;
use std::fmt::{Binary, Display, LowerHex};

/// Notation of a word in a text.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Notation {
    Decimal,
    Hexadecimal,
    Binary,
}

impl Notation {
    fn text(self, value: &(impl Display + LowerHex + Binary)) -> String {
        match self {
            Notation::Decimal => format!("{value}"),
            Notation::Hexadecimal => format!("{value:x}"),
            Notation::Binary => format!("{value:b}"),
        }
    }

    fn base(self, is_signed: bool) -> PrintBase {
        match self {
            Notation::Decimal if is_signed => PrintBase::SignedDecimal,
            Notation::Decimal => PrintBase::Decimal,
            Notation::Hexadecimal => PrintBase::Hexadecimal,
            Notation::Binary => PrintBase::Binary,
        }
    }
}

/// Part of a printed text.
#[doc(hidden)]
pub struct Printed(PrintedPart);

enum PrintedPart {
    Text(String),
    Word(ExprId, PrintBase),
}

impl Printed {
    pub fn text(text: &str) -> Self {
        Printed(PrintedPart::Text(text.into()))
    }
}

/// Value that a print statement can print.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`display!` cannot print a `{Self}`",
    label = "neither a word nor a number",
    note = "print the fields of a struct one by one"
)]
pub trait Printable {
    fn printed(self, notation: Notation) -> Printed;
}

/// Type of a word that is one number.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`display!` cannot print a `{Self}`",
    label = "not a word that is one number",
    note = "print the fields of a struct one by one; print `.to_bits()` of an enum, the number of its variant"
)]
pub trait PrintedWord: Word {
    const IS_SIGNED: bool = false;
}

impl PrintedWord for bool {}

impl<const N: usize> PrintedWord for Bits<N> {}

impl<const N: usize> PrintedWord for Signed<N> {
    const IS_SIGNED: bool = true;
}

impl<T: PrintedWord> Printable for Sym<T> {
    fn printed(self, notation: Notation) -> Printed {
        Printed(PrintedPart::Word(self.expr, notation.base(T::IS_SIGNED)))
    }
}

impl Printable for Index {
    fn printed(self, notation: Notation) -> Printed {
        Printed(PrintedPart::Word(self.0, notation.base(false)))
    }
}

impl Printable for bool {
    fn printed(self, notation: Notation) -> Printed {
        u8::from(self).printed(notation)
    }
}

impl<const N: usize> Printable for Bits<N> {
    fn printed(self, notation: Notation) -> Printed {
        let value: BigUint = bits_of(self);
        Printed::text(&notation.text(&value))
    }
}

impl<const N: usize> Printable for Signed<N> {
    fn printed(self, notation: Notation) -> Printed {
        Printed::text(&match notation {
            Notation::Decimal => self.bigint().to_string(),
            _ => notation.text(&bits_of(self)),
        })
    }
}

macro_rules! printable_number {
    ($($ty:ty),*) => {$(
        impl Printable for $ty {
            fn printed(self, notation: Notation) -> Printed {
                Printed::text(&notation.text(&self))
            }
        }
    )*};
}

printable_number!(u8, u16, u32, u64, u128, usize, i32, i64);

/// Lowers `display!`.
#[doc(hidden)]
#[track_caller]
pub fn print(parts: Vec<Printed>) {
    let (mut text, mut words) = (vec![], vec![]);
    for part in parts {
        match (part.0, text.last_mut()) {
            (PrintedPart::Text(part), Some(PrintPart::Text(before))) => before.push_str(&part),
            (PrintedPart::Text(part), _) => text.push(PrintPart::Text(part)),
            (PrintedPart::Word(word, base), _) => {
                text.push(PrintPart::Word { word: words.len(), base });
                words.push(word);
            }
        }
    }
    let origin = here();
    with_recording(|r| r.print(text, &words, origin));
}
