//! Operations of symbolic words. They match the operations of `Bits<N>` and `bool` in `rust-hdl`,
//! with the same types. The compiler rejects any other operation as outside the subset.

use super::call::IntoReceiver;
use super::record::{here, with_recording};
use super::sym::{literal, Index, Lift, Sym};
use super::word::Word;
use crate::rust_hdl::names::{is_bit_cast, path_of, same_name};
use crate::rust_hdl::types::{is_bits, is_bool, type_of};
use crate::rust_hdl::{Bits, TypeDescriptor};
use lockstep::design::{BinaryOp, ExprId, ExprOp, SourceLocation, Type, UnaryOp};
use num_bigint::BigUint;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

fn same_width<T>(op: BinaryOp, a: ExprId, b: ExprId) -> Sym<T> {
    Sym::new(binary(op, a, b))
}

// Non-generic helper, so that monomorphised callers stay small.
pub(super) fn binary(op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    with_recording(|r| {
        let ty = Type::Bits(r.width(a));
        r.push(ExprOp::Binary(op, a, b), ty)
    })
}

fn one_bit(op: ExprOp) -> Sym<bool> {
    Sym::new(with_recording(|r| r.push(op, Type::BIT)))
}

macro_rules! word_operators {
    ($($trait:ident, $method:ident, $op:ident;)*) => {$(
        impl<const N: usize> $trait for Sym<Bits<N>> {
            type Output = Sym<Bits<N>>;
            fn $method(self, rhs: Self) -> Self {
                same_width(BinaryOp::$op, self.expr, rhs.expr)
            }
        }

        impl<const N: usize> $trait<u64> for Sym<Bits<N>> {
            type Output = Sym<Bits<N>>;
            #[track_caller]
            fn $method(self, rhs: u64) -> Self {
                same_width(BinaryOp::$op, self.expr, literal::<N>(rhs).expr)
            }
        }

        impl<const N: usize> $trait<Sym<Bits<N>>> for u64 {
            type Output = Sym<Bits<N>>;
            #[track_caller]
            fn $method(self, rhs: Sym<Bits<N>>) -> Sym<Bits<N>> {
                same_width(BinaryOp::$op, literal::<N>(self).expr, rhs.expr)
            }
        }

        impl<const N: usize> $trait<Bits<N>> for Sym<Bits<N>> {
            type Output = Sym<Bits<N>>;
            #[track_caller]
            fn $method(self, rhs: Bits<N>) -> Self {
                same_width(BinaryOp::$op, self.expr, rhs.lift().expr)
            }
        }

        impl<const N: usize> $trait<Sym<Bits<N>>> for Bits<N> {
            type Output = Sym<Bits<N>>;
            #[track_caller]
            fn $method(self, rhs: Sym<Bits<N>>) -> Sym<Bits<N>> {
                same_width(BinaryOp::$op, self.lift().expr, rhs.expr)
            }
        }
    )*};
}

word_operators! {
    Add, add, Add;
    Sub, sub, Sub;
    BitAnd, bitand, And;
    BitOr, bitor, Or;
    BitXor, bitxor, Xor;
}

macro_rules! bool_operators {
    ($($trait:ident, $method:ident, $op:ident;)*) => {$(
        impl $trait for Sym<bool> {
            type Output = Sym<bool>;
            fn $method(self, rhs: Self) -> Self {
                same_width(BinaryOp::$op, self.expr, rhs.expr)
            }
        }

        impl $trait<bool> for Sym<bool> {
            type Output = Sym<bool>;
            #[track_caller]
            fn $method(self, rhs: bool) -> Self {
                same_width(BinaryOp::$op, self.expr, rhs.lift().expr)
            }
        }

        impl $trait<Sym<bool>> for bool {
            type Output = Sym<bool>;
            #[track_caller]
            fn $method(self, rhs: Sym<bool>) -> Sym<bool> {
                same_width(BinaryOp::$op, self.lift().expr, rhs.expr)
            }
        }
    )*};
}

bool_operators! {
    BitAnd, bitand, And;
    BitOr, bitor, Or;
    BitXor, bitxor, Xor;
}

/// Adds a `bool` to a word as a carry, as in `rust-hdl`.
impl<const N: usize> Add<Sym<bool>> for Sym<Bits<N>> {
    type Output = Sym<Bits<N>>;
    fn add(self, rhs: Sym<bool>) -> Self {
        same_width(BinaryOp::Add, self.expr, resized(rhs.expr, N))
    }
}

/// Adds a carry that is known at generation.
impl<const N: usize> Add<bool> for Sym<Bits<N>> {
    type Output = Sym<Bits<N>>;
    #[track_caller]
    fn add(self, rhs: bool) -> Self {
        self + rhs.lift()
    }
}

macro_rules! shifts {
    ($($trait:ident, $method:ident;)*) => {$(
        impl<const N: usize, const M: usize> $trait<Sym<Bits<M>>> for Sym<Bits<N>> {
            type Output = Sym<Bits<N>>;
            #[track_caller]
            fn $method(self, rhs: Sym<Bits<M>>) -> Self {
                check_distance(M);
                same_width(BinaryOp::$trait, self.expr, rhs.expr)
            }
        }

        impl<const N: usize, const M: usize> $trait<Bits<M>> for Sym<Bits<N>> {
            type Output = Sym<Bits<N>>;
            #[track_caller]
            fn $method(self, rhs: Bits<M>) -> Self {
                self.$method(rhs.lift())
            }
        }

        impl<const N: usize> $trait<u64> for Sym<Bits<N>> {
            type Output = Sym<Bits<N>>;
            #[track_caller]
            fn $method(self, rhs: u64) -> Self {
                same_width(BinaryOp::$trait, self.expr, literal::<64>(rhs).expr)
            }
        }
    )*};
}

/// Checks the width of a shift distance.
#[track_caller]
pub(super) fn check_distance(width: usize) {
    let origin = here();
    if width > 64 {
        let message = format!("a shift by Bits<{width}>; a shift distance has up to 64 bits");
        with_recording(|r| r.refuse(origin, message));
    }
}

shifts! {
    Shl, shl;
    Shr, shr;
}

impl<const N: usize> Not for Sym<Bits<N>> {
    type Output = Sym<Bits<N>>;
    fn not(self) -> Self {
        Sym::new(invert(self.expr))
    }
}

impl Not for Sym<bool> {
    type Output = Sym<bool>;
    fn not(self) -> Self {
        Sym::new(invert(self.expr))
    }
}

fn invert(value: ExprId) -> ExprId {
    with_recording(|r| {
        if r.width(value) == 1 {
            if let Some(known) = r.known(value) {
                let inverted = !known.bit(0);
                return r.bit(inverted);
            }
        }
        let ty = Type::Bits(r.width(value));
        r.push(ExprOp::Unary(UnaryOp::Not, value), ty)
    })
}

/// Position in a word: a `usize`, or the result of `.index()` of a word.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position in a word",
    label = "neither a `usize` nor what `.index()` gives"
)]
pub trait BitPosition: Copy {
    #[doc(hidden)]
    fn expr(self) -> ExprId;
}

impl BitPosition for usize {
    fn expr(self) -> ExprId {
        literal::<64>(self as u64).expr
    }
}

impl BitPosition for Index {
    fn expr(self) -> ExprId {
        self.0
    }
}

impl<const N: usize> Sym<Bits<N>> {
    /// Whether all bits are set.
    pub fn all(self) -> Sym<bool> {
        one_bit(ExprOp::Unary(UnaryOp::All, self.expr))
    }

    /// Whether at least one bit is set.
    pub fn any(self) -> Sym<bool> {
        one_bit(ExprOp::Unary(UnaryOp::Any, self.expr))
    }

    /// Whether an odd number of bits is set.
    pub fn xor(self) -> Sym<bool> {
        one_bit(ExprOp::Unary(UnaryOp::Parity, self.expr))
    }

    /// Returns the value as an index.
    #[track_caller]
    pub fn index(self) -> Index {
        if N > 32 {
            refuse_index(N, here());
        }
        Index(self.expr)
    }

    /// Returns one bit.
    #[track_caller]
    pub fn get_bit(self, index: impl BitPosition) -> Sym<bool> {
        let (value, index) = (self.expr, index.expr());
        if !in_range(index, N - 1, "get_bit", format_args!("a word of {N} bits")) {
            return false.lift();
        }
        Sym::new(bit_at(value, index))
    }

    /// Returns `M` bits from `index` up. Bits beyond the word are zero.
    #[track_caller]
    pub fn get_bits<const M: usize>(self, index: impl BitPosition) -> Sym<Bits<M>> {
        let index = index.expr();
        if !in_range(index, N, "get_bits", format_args!("a word of {N} bits")) {
            return literal::<M>(0);
        }
        Sym::new(bits_at(self.expr, index, M))
    }

    /// Returns the word with one bit replaced.
    #[track_caller]
    pub fn replace_bit(self, index: impl BitPosition, bit: impl Lift<Word = bool>) -> Self {
        let (value, index, bit) = (self.expr, index.expr(), bit.lift().expr);
        if !in_range(index, N - 1, "replace_bit", format_args!("a word of {N} bits")) {
            return self;
        }
        Sym::new(bit_replaced(value, index, bit))
    }
}

fn refuse_index(width: usize, origin: SourceLocation) {
    let message = format!("`.index()` of Bits<{width}>; rust-hdl indexes by up to 32 bits");
    with_recording(|r| r.refuse(origin, message));
}

pub(super) fn resized(value: ExprId, width: usize) -> ExprId {
    with_recording(|r| r.push(ExprOp::Resize(value), Type::Bits(width as u32)))
}

fn bit_at(value: ExprId, index: ExprId) -> ExprId {
    with_recording(|r| match known_usize(r.value(index)) {
        Some(offset) => r.push(ExprOp::Slice { value, offset }, Type::BIT),
        None => r.push(ExprOp::BitAt { value, index }, Type::BIT),
    })
}

fn bits_at(value: ExprId, index: ExprId, count: usize) -> ExprId {
    let ty = Type::Bits(count as u32);
    with_recording(|r| {
        let width = r.width(value);
        match known_usize(r.value(index)) {
            Some(offset) if offset as usize + count <= width as usize => {
                r.push(ExprOp::Slice { value, offset }, ty)
            }
            _ => {
                let shifted = ExprOp::Binary(BinaryOp::Shr, value, index);
                let shifted = r.push(shifted, Type::Bits(width));
                r.push(ExprOp::Resize(shifted), ty)
            }
        }
    })
}

fn bit_replaced(value: ExprId, index: ExprId, bit: ExprId) -> ExprId {
    with_recording(|r| {
        let index = match r.value(index).cloned() {
            Some(known) => {
                let ty = Type::Bits(r.width(index));
                r.constant(known, ty)
            }
            None => index,
        };
        let ty = Type::Bits(r.width(value));
        r.push(ExprOp::ReplaceBit { value, index, bit }, ty)
    })
}

fn known_usize(value: Option<&BigUint>) -> Option<u32> {
    value.and_then(|v| u32::try_from(v).ok())
}

/// Checks that every value of the position, as limited by its width, is within the word or array.
/// Otherwise the position is rejected: Rust would panic on it, and a circuit cannot.
#[track_caller]
pub(super) fn in_range(index: ExprId, last: usize, what: &str, of: std::fmt::Arguments) -> bool {
    let origin = here();
    with_recording(|r| {
        let max = r.max(index);
        let fits = max <= BigUint::from(last);
        if !fits {
            r.refuse(
                origin,
                format!(
                    "{what} at a position that can be {max}, in {of}: \
                     widen that or narrow the position with bit_cast"
                ),
            );
        }
        fits
    })
}

/// Lowers `bit_cast::<M, N>(value)`: zero-extends or truncates the value. `function` must be the
/// one of `rust-hdl`.
#[doc(hidden)]
#[track_caller]
pub fn bit_cast<const M: usize, const N: usize, F>(
    function: F,
    value: impl Lift<Word = Bits<N>>,
) -> Sym<Bits<M>>
where
    F: Fn(Bits<N>) -> Bits<M>,
{
    let origin = here();
    let value = value.lift().expr;
    check_bit_cast(path_of(&function), origin);
    Sym::new(resized(value, M))
}

fn check_bit_cast(name: &str, origin: SourceLocation) {
    if !is_bit_cast(name) {
        let message = format!("`{name}` is not the bit_cast of rust-hdl");
        with_recording(|r| r.refuse(origin, message));
    }
}

/// Value that `.into()` converts to a word of type `T`.
#[diagnostic::on_unimplemented(
    message = "`.into()` from `{Self}` to `{T}` is outside the subset of kernels"
)]
pub trait Into<T> {
    #[track_caller]
    fn convert(self) -> Sym<T>;
}

impl<const N: usize> Into<Bits<N>> for u64 {
    #[track_caller]
    fn convert(self) -> Sym<Bits<N>> {
        literal(self)
    }
}

/// Rust converts a word that is known at generation.
impl<T, U> Into<U> for T
where
    T: Word + std::convert::Into<U>,
    U: Word,
{
    #[track_caller]
    fn convert(self) -> Sym<U> {
        std::convert::Into::into(self).lift()
    }
}

impl<T, U> Into<U> for Sym<T>
where
    T: Word + std::convert::Into<U>,
    U: Word,
{
    #[track_caller]
    fn convert(self) -> Sym<U> {
        let (from, to) = (T::descriptor(), U::descriptor());
        if same_name::<T, U>() && type_of(&from) == type_of(&to) {
            return Sym::new(self.expr);
        }
        check_into(&from, T::BITS, &to, U::BITS, here());
        Sym::new(resized(self.expr, U::BITS))
    }
}

/// Checks that the conversion is from or to the bits of a word. Other conversions are functions of
/// the user.
fn check_into(
    from: &TypeDescriptor,
    from_bits: usize,
    to: &TypeDescriptor,
    to_bits: usize,
    origin: SourceLocation,
) {
    let message = if is_bits(to, to_bits) {
        if from_bits == to_bits {
            return;
        }
        format!(
            "`.into()` from {from_bits} bits to Bits<{to_bits}>: only the type's own encoding is known"
        )
    } else {
        if is_bits(from, 1) && is_bool(to) {
            return;
        }
        format!(
            "`.into()` from {} to {}: a word becomes its own type or Bits; write the \
             conversion as a #[kernel] function",
            from.name, to.name
        )
    };
    with_recording(|r| r.refuse(origin, message));
}

/// Checks that `.into()` is the one of `std`. Never called.
#[doc(hidden)]
pub fn into<A: Into<T> + IntoReceiver, T>(_: A, _: fn(A::Type) -> T) -> Sym<T> {
    unreachable!("the macro writes it where it is typed and not run")
}

// Comparisons. Rust's operators always return a `bool`, so `#[kernel]` calls these functions
// instead. Values known at generation give a known bit.

/// `Self` and `Rhs` can be tested for equality.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{Rhs}` cannot be compared in a kernel",
    label = "words compare with words of the same type, and `Bits<N>` with numbers"
)]
pub trait Comparable<Rhs>: Copy {
    #[doc(hidden)]
    #[track_caller]
    fn operands(self, rhs: Rhs) -> (ExprId, ExprId);
}

/// `Self` and `Rhs` have an order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{Rhs}` have no order in a kernel",
    label = "only `Bits<N>`, `Signed<N>`, numbers and indices have one"
)]
pub trait Ordered<Rhs>: Comparable<Rhs> {
    /// Returns operands whose unsigned order is that of the values.
    #[doc(hidden)]
    #[track_caller]
    fn ordered(self, rhs: Rhs) -> (ExprId, ExprId) {
        self.operands(rhs)
    }
}

macro_rules! comparable {
    ($([$($generics:tt)*] $lhs:ty, $rhs:ty, |$a:ident, $b:ident| $operands:expr;)*) => {$(
        impl<$($generics)*> Comparable<$rhs> for $lhs {
            #[track_caller]
            fn operands(self, rhs: $rhs) -> (ExprId, ExprId) {
                let ($a, $b) = (self, rhs);
                $operands
            }
        }
    )*};
}

fn number(value: usize) -> ExprId {
    literal::<64>(value as u64).expr
}

/// An index is a `usize`, so the comparison has the width of a `usize`.
fn wide(index: Index) -> ExprId {
    with_recording(|r| match r.value(index.0).cloned() {
        Some(value) => r.constant(value, Type::Bits(64)),
        None => r.push(ExprOp::Resize(index.0), Type::Bits(64)),
    })
}

comparable! {
    [T: Word] Sym<T>, Sym<T>, |a, b| (a.expr, b.expr);
    [T: Word] Sym<T>, T, |a, b| (a.expr, b.lift().expr);
    [T: Word] T, Sym<T>, |a, b| (a.lift().expr, b.expr);
    [const N: usize] Sym<Bits<N>>, u64, |a, b| (a.expr, literal::<N>(b).expr);
    [const N: usize] u64, Sym<Bits<N>>, |a, b| (literal::<N>(a).expr, b.expr);
    [] Index, usize, |a, b| (wide(a), number(b));
    [] usize, Index, |a, b| (number(a), wide(b));
    [] Index, Index, |a, b| (wide(a), wide(b));
    [] usize, usize, |a, b| (number(a), number(b));
    [] u64, u64, |a, b| (literal::<64>(a).expr, literal::<64>(b).expr);
    [] bool, bool, |a, b| (a.lift().expr, b.lift().expr);
    [const N: usize] Bits<N>, Bits<N>, |a, b| (a.lift().expr, b.lift().expr);
    [const N: usize] Bits<N>, u64, |a, b| (a.lift().expr, literal::<N>(b).expr);
}

impl<const N: usize> Ordered<Sym<Bits<N>>> for Sym<Bits<N>> {}
impl<const N: usize> Ordered<Bits<N>> for Sym<Bits<N>> {}
impl<const N: usize> Ordered<Sym<Bits<N>>> for Bits<N> {}
impl<const N: usize> Ordered<u64> for Sym<Bits<N>> {}
impl<const N: usize> Ordered<Sym<Bits<N>>> for u64 {}
impl Ordered<usize> for Index {}
impl Ordered<Index> for usize {}
impl Ordered<Index> for Index {}
impl Ordered<usize> for usize {}
impl Ordered<u64> for u64 {}

fn compare(op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    with_recording(|r| r.push(ExprOp::Binary(op, a, b), Type::BIT))
}

macro_rules! comparisons {
    ($($function:ident, $bound:ident, $operands:ident, $op:ident;)*) => {$(
        #[doc(hidden)]
        #[track_caller]
        pub fn $function<A: $bound<B>, B>(a: A, b: B) -> Sym<bool> {
            let (a, b) = a.$operands(b);
            Sym::new(compare(BinaryOp::$op, a, b))
        }
    )*};
}

comparisons! {
    eq, Comparable, operands, Eq;
    ne, Comparable, operands, Ne;
    lt, Ordered, ordered, Lt;
    le, Ordered, ordered, Le;
    gt, Ordered, ordered, Gt;
    ge, Ordered, ordered, Ge;
}
