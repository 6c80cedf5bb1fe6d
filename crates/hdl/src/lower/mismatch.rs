//! Assignments and operators of words whose types do not match.
//!
//! Rust reports a mismatch in `update`. The copy of the kernel must not report it a second time, in
//! terms of symbolic words. Each operation therefore has two methods. The first accepts matching
//! types and lets Rust infer them. If it does not apply, one more automatic reference leads to the
//! second, which accepts all words. The second is marked as deprecated, so that the compiler prints
//! the cure as a warning beside the error in `update`.

use super::ops::{eq, ge, gt, le, lt, ne, Comparable, Ordered};
use super::record::{here, with_recording};
use super::sym::{assign, assign_field, reassign, Sym};
use super::word::Word;
use crate::rust_hdl::{Bits, Direction, Signal};
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

/// Reports a mismatch at the caller. This happens only if `update` accepts what the copy does not.
#[track_caller]
fn refuse_mismatch() {
    let message = "the types of the two words do not match".to_owned();
    with_recording(|r| r.refuse(here(), message));
}

/// Assignment of a word of type `T` to a signal of words of type `S`.
#[doc(hidden)]
pub struct Assignment<'a, D: Direction, S: Word, T> {
    signal: &'a Signal<D, S>,
    value: Sym<T>,
}

impl<'a, D: Direction, S: Word, T> Assignment<'a, D, S, T> {
    pub fn new(signal: &'a Signal<D, S>, value: Sym<T>) -> Self {
        Assignment { signal, value }
    }
}

#[doc(hidden)]
pub trait AssignWord {
    #[track_caller]
    fn assign(self);
}

impl<D: Direction, T: Word> AssignWord for &mut Assignment<'_, D, T, T> {
    #[track_caller]
    fn assign(self) {
        assign(self.signal, self.value);
    }
}

#[doc(hidden)]
pub trait AssignMismatch {
    #[deprecated(note = "the value and the signal have different types: \
        write `.resized()` to change the width of a word, `.into()` for a number")]
    #[track_caller]
    fn assign(self);
}

impl<D: Direction, S: Word, T> AssignMismatch for &mut &mut Assignment<'_, D, S, T> {
    #[track_caller]
    fn assign(self) {
        refuse_mismatch();
    }
}

/// Assignment of a word of type `T` to a field of type `F`.
#[doc(hidden)]
pub struct FieldAssignment<'a, D: Direction, S: Word, F, T> {
    signal: &'a Signal<D, S>,
    field: fn(&S) -> F,
    names: &'a [&'a str],
    value: Sym<T>,
}

impl<'a, D: Direction, S: Word, F, T> FieldAssignment<'a, D, S, F, T> {
    pub fn new(
        signal: &'a Signal<D, S>,
        field: fn(&S) -> F,
        names: &'a [&'a str],
        value: Sym<T>,
    ) -> Self {
        FieldAssignment { signal, field, names, value }
    }
}

impl<D: Direction, S: Word, T: Word> AssignWord for &mut FieldAssignment<'_, D, S, T, T> {
    #[track_caller]
    fn assign(self) {
        assign_field(self.signal, self.field, self.names, self.value);
    }
}

impl<D: Direction, S: Word, F, T> AssignMismatch for &mut &mut FieldAssignment<'_, D, S, F, T> {
    #[track_caller]
    fn assign(self) {
        refuse_mismatch();
    }
}

/// Assignment of a word of type `T` to a variable of type `S`.
#[doc(hidden)]
pub struct VariableAssignment<S, T>(Sym<S>, Sym<T>);

impl<S, T> VariableAssignment<S, T> {
    pub fn new(variable: Sym<S>, value: Sym<T>) -> Self {
        VariableAssignment(variable, value)
    }
}

impl<T: Word> AssignWord for &mut VariableAssignment<T, T> {
    #[track_caller]
    fn assign(self) {
        reassign(self.0, self.1);
    }
}

impl<S, T> AssignMismatch for &mut &mut VariableAssignment<S, T> {
    #[track_caller]
    fn assign(self) {
        refuse_mismatch();
    }
}

/// Two operands that read signals. The macro calls a method of `&mut &mut Operands`: of
/// [`SameWidth`], of [`OtherWidth`], or of [`AnyOperands`], in this order.
#[doc(hidden)]
pub struct Operands<A, B>(Option<(A, B)>);

impl<A, B> Operands<A, B> {
    pub fn new(a: A, b: B) -> Self {
        Operands(Some((a, b)))
    }

    fn take(&mut self) -> (A, B) {
        self.0.take().expect("they are used once")
    }
}

macro_rules! operators {
    ($(($method:ident, $trait:ident, $op:ident),)* ; $(($compare:ident, $bound:ident, $function:ident),)*) => {
        /// Two words of one width.
        #[doc(hidden)]
        pub trait SameWidth {
            type Word;
            $(#[track_caller] fn $method(self) -> Sym<Self::Word>;)*
            $(#[track_caller] fn $compare(self) -> Sym<bool>;)*
        }

        impl<const N: usize> SameWidth for &mut &mut Operands<Sym<Bits<N>>, Sym<Bits<N>>> {
            type Word = Bits<N>;
            $(#[track_caller]
            fn $method(self) -> Sym<Bits<N>> {
                let (a, b) = self.take();
                $trait::$op(a, b)
            })*
            $(#[track_caller]
            fn $compare(self) -> Sym<bool> {
                let (a, b) = self.take();
                $function(a, b)
            })*
        }

        /// Two words of different widths.
        #[doc(hidden)]
        pub trait OtherWidth {
            type Word;
            $(#[deprecated(note = "the words have different widths: write `.resized()` to change a width")]
            #[track_caller]
            fn $method(self) -> Sym<Self::Word>;)*
            $(#[deprecated(note = "the words have different widths: write `.resized()` to change a width")]
            #[track_caller]
            fn $compare(self) -> Sym<bool>;)*
        }

        impl<const N: usize, const M: usize> OtherWidth
            for &mut &mut &mut Operands<Sym<Bits<N>>, Sym<Bits<M>>>
        {
            type Word = Bits<N>;
            $(#[track_caller]
            fn $method(self) -> Sym<Bits<N>> {
                refuse_mismatch();
                self.take().0
            })*
            $(#[track_caller]
            fn $compare(self) -> Sym<bool> {
                refuse_mismatch();
                Sym::new(with_recording(|r| r.bit(false)))
            })*
        }

        /// Operands of any types. The compiler rejects those that have no such operator.
        #[doc(hidden)]
        pub trait AnyOperands<A, B>: Sized {
            fn both(self) -> (A, B);
            $(#[track_caller]
            fn $method(self) -> A::Output where A: $trait<B> {
                let (a, b) = self.both();
                $trait::$op(a, b)
            })*
            $(#[track_caller]
            fn $compare(self) -> Sym<bool> where A: $bound<B> {
                let (a, b) = self.both();
                $function(a, b)
            })*
        }

        impl<A, B> AnyOperands<A, B> for &mut Operands<A, B> {
            fn both(self) -> (A, B) {
                self.take()
            }
        }
    };
}

operators! {
    (add_words, Add, add),
    (sub_words, Sub, sub),
    (and_words, BitAnd, bitand),
    (or_words, BitOr, bitor),
    (xor_words, BitXor, bitxor),
    ;
    (eq_words, Comparable, eq),
    (ne_words, Comparable, ne),
    (lt_words, Ordered, lt),
    (le_words, Ordered, le),
    (gt_words, Ordered, gt),
    (ge_words, Ordered, ge),
}
