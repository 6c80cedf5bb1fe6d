//! Symbolic words, which `.val()` returns while a kernel is lowered.

use super::control::Select;
use super::ops::{eq, in_range};
use super::record::{checked_type, here, with_recording};
use super::word::Word;
use crate::cells::Reg;
use crate::rust_hdl::types::bits_of;
use crate::rust_hdl::{
    Bits, Constant, Direction, In, Local, Out, Signal, SignalAddress, TypeDescriptor,
};
use lockstep::design::{ExprId, ExprOp, Slice, SourceLocation, Stmt, Type};
use num_bigint::BigUint;
use num_traits::One;
use std::marker::PhantomData;
use std::ops::Deref;

/// Word of type `T` whose value is an expression.
pub struct Sym<T> {
    pub(super) expr: ExprId,
    ty: PhantomData<fn() -> T>,
}

impl<T> Clone for Sym<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Sym<T> {}

impl<T> Sym<T> {
    pub(super) fn new(expr: ExprId) -> Self {
        Sym { expr, ty: PhantomData }
    }
}

/// Index into a word from `.index()`, which is a `usize` in Rust.
///
/// An index can pick a bit, or be compared with a `usize`. Arithmetic on an index would be 64 bits
/// wide, which is too costly in a circuit. Do the arithmetic before `.index()`.
#[derive(Clone, Copy)]
pub struct Index(pub(super) ExprId);

/// Symbolic word, or a value of a word type that is known at generation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a word of a circuit",
    label = "neither `Bits<N>`, `bool`, nor an enum or struct under `#[word]`",
    note = "turn a number into a word with `bits::<N>(..)` or `.into()`"
)]
pub trait Lift: Copy {
    type Word: Word;
    fn lift(self) -> Sym<Self::Word>;
}

impl<T: Word> Lift for Sym<T> {
    type Word = T;
    fn lift(self) -> Sym<T> {
        self
    }
}

impl<T: Word> Lift for T {
    type Word = T;
    #[track_caller]
    fn lift(self) -> Sym<T> {
        let ty = checked_type::<T>();
        Sym::new(constant(bits_of(self), ty))
    }
}

// Non-generic helper, so that monomorphised callers stay small.
fn constant(value: BigUint, ty: Type) -> ExprId {
    with_recording(|r| r.constant(value, ty))
}

/// Converts a value to a symbolic word.
#[doc(hidden)]
#[track_caller]
pub fn lift<L: Lift>(value: L) -> Sym<L::Word> {
    value.lift()
}

/// Converts a number in a kernel to a word of `N` bits with the semantics of `rust-hdl`. A number
/// that does not fit is rejected for widths up to 32 bits and truncated for larger widths.
#[track_caller]
pub(super) fn literal<const N: usize>(value: u64) -> Sym<Bits<N>> {
    Sym::new(number(N, value, here()))
}

fn number(width: usize, value: u64, origin: SourceLocation) -> ExprId {
    with_recording(|r| {
        if width == 0 || (width <= 32 && value >> width != 0) {
            r.refuse(
                origin,
                format!(
                    "the number {value} does not fit Bits<{width}>, which ends at {}",
                    (1u64 << width) - 1
                ),
            );
        }
        let mask = (BigUint::one() << width) - 1u32;
        r.constant(BigUint::from(value) & mask, Type::Bits(width as u32))
    })
}

/// Signal or parameter with a `.val()`.
#[diagnostic::on_unimplemented(
    message = "`.val()` of `{Self}` is outside the subset of kernels",
    label = "not an `In`, `Out` or `Local` signal, nor a `Constant`",
    note = "inside a chip there is no `InOut`: use an `Out` that pulls and an `In` that reads"
)]
pub trait Readable {
    type Word: Word;
    #[track_caller]
    fn read(&self) -> Sym<Self::Word>;
}

macro_rules! readable_signal {
    ($($direction:ty),*) => {$(
        impl<T: Word> Readable for Signal<$direction, T> {
            type Word = T;
            #[track_caller]
            fn read(&self) -> Sym<T> {
                Sym::new(read(SignalAddress::of(self), checked_type::<T>()))
            }
        }
    )*};
}

fn read(address: SignalAddress, ty: Type) -> ExprId {
    with_recording(|r| {
        let signal = r.signal_at(address);
        r.push(ExprOp::Read(signal), ty)
    })
}

readable_signal!(In, Out, Local);

impl<T: Word> Readable for Constant<T> {
    type Word = T;
    #[track_caller]
    fn read(&self) -> Sym<T> {
        let ty = checked_type::<T>();
        Sym::new(read_constant(SignalAddress::of(self), bits_of(self.val()), ty))
    }
}

fn read_constant(address: SignalAddress, value: BigUint, ty: Type) -> ExprId {
    with_recording(|r| {
        let signal = r.constant_signal(address, value);
        r.push(ExprOp::Read(signal), ty)
    })
}

/// List of blocks or signals.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`.len()` of `{Self}` is outside the subset of kernels",
    label = "not an array or a `Vec`"
)]
pub trait KernelList {}

impl<T> KernelList for Vec<T> {}

impl<T, const N: usize> KernelList for [T; N] {}

/// Lowers `list.len()`.
#[doc(hidden)]
pub fn len<L: KernelList>(_: &L, length: usize) -> usize {
    length
}

/// Lowers `register.initial()`.
#[doc(hidden)]
pub fn initial<T: Word>(register: &Reg<T>) -> T {
    register.initial()
}

/// Value in the copy of a kernel that replaces a value of type `T` in Rust.
#[doc(hidden)]
#[diagnostic::on_unimplemented(message = "a `{Self}` is no `{T}` in a kernel")]
pub trait OfType<T> {}

impl<T> OfType<T> for T {}
impl<T> OfType<T> for Sym<T> {}
impl<T, const N: usize> OfType<[T; N]> for [Sym<T>; N] {}
impl OfType<usize> for Index {}

/// Returns the value of `let name: T = value;`.
#[doc(hidden)]
pub fn of_type<T, V: OfType<T>>(value: V) -> V {
    value
}

/// Value that a `let` can hold: a word, which is evaluated at the `let`, or a value known at
/// generation.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `let` in a kernel cannot hold a `{Self}`",
    label = "neither a word, an array of words, an index, a `bool` nor an integer"
)]
pub trait BindLet {
    #[track_caller]
    fn bind(self, name: &str) -> Self;
}

pub(super) fn named(name: &str, value: ExprId, origin: SourceLocation) -> ExprId {
    with_recording(|r| r.bind(name, value, origin))
}

impl<T> BindLet for Sym<T> {
    #[track_caller]
    fn bind(self, name: &str) -> Self {
        Sym::new(named(name, self.expr, here()))
    }
}

impl BindLet for Index {
    #[track_caller]
    fn bind(self, name: &str) -> Self {
        Index(named(name, self.0, here()))
    }
}

macro_rules! bind_as_is {
    ($($ty:ty),*) => {$(
        impl BindLet for $ty {
            fn bind(self, _: &str) -> Self {
                self
            }
        }
    )*};
}

bind_as_is!(bool, u8, u16, u32, u64, u128, usize, i64);

impl<const N: usize> BindLet for Bits<N> {
    fn bind(self, _: &str) -> Self {
        self
    }
}

/// Lowers `let name = value;`.
#[doc(hidden)]
#[track_caller]
pub fn bind<B: BindLet>(name: &str, value: B) -> B {
    value.bind(name)
}

/// Lowers `let mut name = value;` in `update`. The value is a word even if it is known.
#[doc(hidden)]
#[track_caller]
pub fn variable<L: Lift>(name: &str, value: L) -> Sym<L::Word> {
    let (value, origin) = (value.lift().expr, here());
    Sym::new(with_recording(|r| r.variable(name, value, origin)))
}

/// Lowers `name = value;` in `update`.
#[track_caller]
pub(super) fn reassign<T>(variable: Sym<T>, value: Sym<T>) {
    let origin = here();
    with_recording(|r| r.reassign(variable.expr, value.expr, origin));
}

/// Lowers `signal.next = value;`.
#[track_caller]
pub(super) fn assign<D, T, V>(signal: &Signal<D, T>, value: V)
where
    D: Direction,
    T: Word,
    V: Lift<Word = T>,
{
    assign_to(SignalAddress::of(signal), None, value.lift().expr, here());
}

fn assign_to(address: SignalAddress, slice: Option<Slice>, value: ExprId, origin: SourceLocation) {
    with_recording(|r| {
        let target = r.signal_at(address);
        r.statement(Stmt::Assign { target, slice, value, origin });
    });
}

/// Lowers `signal.next.field = value;`.
#[track_caller]
pub(super) fn assign_field<D, T, F, V>(
    signal: &Signal<D, T>,
    _field: fn(&T) -> F,
    names: &[&str],
    value: V,
) where
    D: Direction,
    T: Word,
    F: Word,
    V: Lift<Word = F>,
{
    let (value, origin) = (value.lift().expr, here());
    let slice = Slice { offset: offset_of::<T>(names), width: F::BITS as u32 };
    assign_to(SignalAddress::of(signal), Some(slice), value, origin);
}

/// Lowers `value.field`.
#[doc(hidden)]
#[track_caller]
pub fn field<A: Lift, F: Word>(value: A, _field: fn(&A::Word) -> F, names: &[&str]) -> Sym<F> {
    let (value, ty) = (value.lift().expr, checked_type::<F>());
    let offset = offset_of::<A::Word>(names);
    Sym::new(slice(value, offset, ty))
}

fn slice(value: ExprId, offset: u32, ty: Type) -> ExprId {
    with_recording(|r| r.push(ExprOp::Slice { value, offset }, ty))
}

/// Returns the offset of the field. A field that Rust found through a `Deref` is not part of the
/// word.
#[track_caller]
fn offset_of<T: Word>(names: &[&str]) -> u32 {
    offset_in(checked_type::<T>(), T::descriptor, names, here())
}

fn offset_in(
    mut ty: Type,
    descriptor: fn() -> TypeDescriptor,
    names: &[&str],
    origin: SourceLocation,
) -> u32 {
    let mut offset = 0;
    for name in names {
        let field = match &ty {
            Type::Struct(s) => s.fields.iter().find(|f| f.name == *name).cloned(),
            _ => None,
        };
        let Some(field) = field else {
            let message = format!(
                "`{}` is not a field of the word {}: only the fields of a struct under `#[word]` are, \
                 without those whose names begin with an underscore",
                names.join("."),
                descriptor().name
            );
            with_recording(|r| r.refuse(origin, message));
            return 0;
        };
        offset += field.offset;
        ty = field.ty;
    }
    offset
}

// Arrays of words in a kernel, and their elements.

/// Access `array[index]` before the element is found. Its type selects the method: [`WordElement`]
/// if that applies. Otherwise one more automatic reference leads to [`PlainElement`].
#[doc(hidden)]
pub struct Element<'a, A: ?Sized, I> {
    array: &'a A,
    index: Option<I>,
}

impl<'a, A: ?Sized, I> Element<'a, A, I> {
    pub fn new(array: &'a A, index: I) -> Self {
        Element { array, index: Some(index) }
    }
}

/// Word read through a reference, like an element that Rust finds.
#[doc(hidden)]
pub struct FoundWord<T>(T);

impl<T> Deref for FoundWord<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Access to the element at an index computed from a word.
#[doc(hidden)]
pub trait WordElement {
    type FoundElement;
    #[track_caller]
    fn get(self) -> Self::FoundElement;
}

impl<L: Lift, const N: usize> WordElement for &mut Element<'_, [L; N], Index> {
    type FoundElement = FoundWord<Sym<L::Word>>;
    #[track_caller]
    fn get(self) -> FoundWord<Sym<L::Word>> {
        const { assert!(N > 0, "an empty array has no elements") };
        let (index, last) = (self.index.take().expect("it is used once"), N - 1);
        if !in_range(index.0, last, "an element", format_args!("an array of {N}")) {
            return FoundWord(self.array[0].lift());
        }
        // Each element except the last needs a comparison. The last element is the remaining case.
        let mut found = self.array[last].lift();
        for at in (0..last).rev() {
            let select = Select::begin(eq(index, at));
            let here = select.then().then(|| self.array[at].lift());
            let otherwise = select.otherwise().then_some(found);
            found = select.end(here, otherwise);
        }
        FoundWord(found)
    }
}

/// Access to an element that Rust finds when the kernel is lowered.
#[doc(hidden)]
pub trait PlainElement<'a> {
    type FoundRef: ?Sized;
    fn get(self) -> &'a Self::FoundRef;
}

impl<'a, A, I> PlainElement<'a> for &mut &mut Element<'a, A, I>
where
    A: std::ops::Index<I> + ?Sized,
{
    type FoundRef = A::Output;
    #[track_caller]
    fn get(self) -> &'a A::Output {
        let index = self.index.take().expect("it is used once");
        &self.array[index]
    }
}

impl<T, const N: usize> BindLet for [Sym<T>; N] {
    #[track_caller]
    fn bind(self, name: &str) -> Self {
        let mut at = 0;
        self.map(|word| {
            let name = format!("{name}_{at}");
            at += 1;
            Sym::new(named(&name, word.expr, here()))
        })
    }
}
