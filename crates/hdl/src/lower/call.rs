//! Calls of word functions from kernels.
//!
//! The copy of a kernel calls a `#[kernel]` function by the same path as `update`, with stand-ins
//! of the arguments' types. Rust therefore resolves the same function and infers the same types.
//! The caller stores the symbolic arguments in this module. If the called function is the intended
//! one, it takes these arguments and runs its own copy over symbolic words. It then stores the
//! result here.
//!
//! A method called with a dot has no path in the kernel. It is identified by its name and the
//! location of the call, which the method obtains through `#[track_caller]`.

use super::record::{here, with_recording};
use super::sym::{Index, Lift, Readable, Sym};
use super::word::Word;
use crate::rust_hdl::names::{last_name, mentions, path_around, path_of};
use lockstep::design::{ExprId, SourceLocation};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe, Location};

enum Pending {
    /// No call is pending.
    None,
    /// Pending call with these words. `None` represents an argument that is known at generation.
    Requested(Callee, Vec<Option<ExprId>>),
    Answered(ExprId),
}

/// Callee of a pending call.
#[derive(Clone, Copy)]
enum Callee {
    /// Function with this path.
    Path(&'static str),
    /// Method with this name, called at this location.
    Dot(&'static str, &'static Location<'static>),
}

impl Callee {
    /// Whether the callee is the function of this path, called at this location.
    fn is(self, path: &str, place: &Location) -> bool {
        match self {
            Callee::Path(name) => path == name,
            Callee::Dot(name, at) => last_name(path) == name && place == at,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Callee::Path(name) | Callee::Dot(name, _) => name,
        }
    }
}

thread_local! {
    static PENDING: RefCell<Pending> = const { RefCell::new(Pending::None) };
}

/// Argument before a call. Its type selects the method: [`WordArgument`] if that applies. Otherwise
/// one more automatic reference leads to [`PlainArgument`].
#[doc(hidden)]
pub struct Argument<T>(Option<T>);

impl<T> Argument<T> {
    pub fn new(value: T) -> Self {
        Argument(Some(value))
    }
}

/// Mark of an argument that is a word.
#[doc(hidden)]
pub struct GivenWord(ExprId);

/// Mark of an argument that is known at generation.
#[doc(hidden)]
pub struct GivenValue;

#[doc(hidden)]
pub trait WordArgument {
    type Value;
    /// Returns a stand-in and the word.
    fn split(self) -> (Self::Value, GivenWord);
}

impl<T: Word> WordArgument for &mut Argument<Sym<T>> {
    type Value = T;
    fn split(self) -> (T, GivenWord) {
        let word = self.0.take().expect("it is split once");
        (T::default(), GivenWord(word.expr))
    }
}

/// Array of words as an argument of a function that uses only its length.
#[doc(hidden)]
pub trait WordsArgument {
    type Value;
    /// Returns a stand-in.
    fn split(self) -> (Self::Value, GivenValue);
}

impl<T: Word, const N: usize> WordsArgument for &mut Argument<[Sym<T>; N]> {
    type Value = [T; N];
    fn split(self) -> ([T; N], GivenValue) {
        ([T::default(); N], GivenValue)
    }
}

#[doc(hidden)]
pub trait PlainArgument {
    type Value;
    #[track_caller]
    fn split(self) -> (Self::Value, GivenValue);
}

impl<T> PlainArgument for &mut &mut Argument<T> {
    type Value = T;
    #[track_caller]
    fn split(self) -> (T, GivenValue) {
        let value = self.0.take().expect("it is split once");
        (known(value), GivenValue)
    }
}

/// Arguments of a call. `K` is [`GivenWord`] if one of them is a word.
#[doc(hidden)]
pub struct Arguments<K> {
    words: Vec<Option<ExprId>>,
    kind: PhantomData<K>,
}

/// Mark that says whether an argument is a word.
#[doc(hidden)]
pub trait Mark {
    /// Kind of the arguments after adding this one.
    type And<K>;
    fn word(self) -> Option<ExprId>;
}

impl Mark for GivenWord {
    type And<K> = GivenWord;
    fn word(self) -> Option<ExprId> {
        Some(self.0)
    }
}

impl Mark for GivenValue {
    type And<K> = K;
    fn word(self) -> Option<ExprId> {
        None
    }
}

impl Arguments<GivenValue> {
    pub fn none() -> Self {
        Arguments { words: vec![], kind: PhantomData }
    }

    /// Calls the Rust function at generation.
    pub fn call<F, R>(self, _: &F, call: impl FnOnce() -> R) -> R {
        call()
    }

    /// Calls the Rust method at generation.
    pub fn call_method<R>(self, _: &'static str, call: impl FnOnce() -> R) -> R {
        call()
    }
}

impl<K> Arguments<K> {
    pub fn with<M: Mark>(mut self, mark: M) -> Arguments<M::And<K>> {
        self.words.push(mark.word());
        Arguments { words: self.words, kind: PhantomData }
    }
}

impl Arguments<GivenWord> {
    /// Calls a `#[kernel]` function that returns a word.
    #[track_caller]
    pub fn call<F, R>(self, function: &F, call: impl FnOnce() -> R) -> Sym<R> {
        self.call_callee(Callee::Path(path_of(function)), call)
    }

    /// Calls a `#[kernel]` method that returns a word.
    #[track_caller]
    pub fn call_method<R>(self, name: &'static str, call: impl FnOnce() -> R) -> Sym<R> {
        self.call_callee(Callee::Dot(name, Location::caller()), call)
    }

    #[track_caller]
    fn call_callee<R>(self, callee: Callee, call: impl FnOnce() -> R) -> Sym<R> {
        let mut call = Some(call);
        let value = call_function(self.words, callee, here(), &mut || {
            call.take().map(|call| call());
        });
        Sym::new(value)
    }
}

fn call_function(
    words: Vec<Option<ExprId>>,
    callee: Callee,
    origin: SourceLocation,
    call: &mut dyn FnMut(),
) -> ExprId {
    PENDING.set(Pending::Requested(callee, words));
    // A function that does not handle words may panic on the stand-ins.
    let result = catch_unwind(AssertUnwindSafe(call));
    match (PENDING.replace(Pending::None), result) {
        (Pending::Answered(value), Ok(())) => value,
        (Pending::Requested(..), _) => {
            let name = callee.name();
            let message = format!(
                "a function cannot take a word: `{name}` is not a #[kernel] function, so it is called once, at generation"
            );
            with_recording(|r| {
                r.refuse(origin, message);
                r.bit(false)
            })
        }
        (_, Err(panic)) => resume_unwind(panic),
        (Pending::None, Ok(())) => unreachable!("what takes up a call answers it"),
    }
}

/// Pending call that the function has accepted.
#[doc(hidden)]
pub struct Call(Vec<Option<ExprId>>);

impl Call {
    /// Accepts the pending call, if it names the function that contains a closure of type `F`,
    /// called at `place`.
    pub fn accept<F>(closure: &F, place: &Location) -> Option<Self> {
        accept_call(path_around(closure), place)
    }

    /// Returns a parameter of the function: the word that was passed for it, or its value.
    #[track_caller]
    pub(super) fn parameter<T: Word>(&self, value: T, index: usize) -> Sym<T> {
        match self.0[index] {
            Some(word) => Sym::new(word),
            None => value.lift(),
        }
    }

    /// Stores the value and returns a stand-in of its type.
    #[track_caller]
    pub fn answer<R: Word>(self, value: impl Lift<Word = R>) -> R {
        PENDING.set(Pending::Answered(value.lift().expr));
        R::default()
    }
}

fn accept_call(path: Option<&str>, place: &Location) -> Option<Call> {
    PENDING.with_borrow_mut(|pending| {
        // During a simulation functions run often and no call is pending.
        let Pending::Requested(callee, words) = pending else {
            return None;
        };
        if !callee.is(path?, place) {
            return None;
        }
        let call = Call(std::mem::take(words));
        *pending = Pending::None;
        Some(call)
    })
}

/// Parameter on its way into the copy of a function, like [`Argument`].
#[doc(hidden)]
pub struct CallParameter<T> {
    value: Option<T>,
    word: Option<ExprId>,
}

impl<T> CallParameter<T> {
    pub fn new(value: T, call: &Call, index: usize) -> Self {
        CallParameter { value: Some(value), word: call.0[index] }
    }
}

#[doc(hidden)]
pub trait WordParameter {
    type Value;
    #[track_caller]
    fn take(self) -> Self::Value;
}

impl<T: Word> WordParameter for &mut CallParameter<T> {
    type Value = Sym<T>;
    #[track_caller]
    fn take(self) -> Sym<T> {
        match (self.word, self.value.take()) {
            (Some(word), _) => Sym::new(word),
            (None, value) => value.expect("it is taken once").lift(),
        }
    }
}

#[doc(hidden)]
pub trait PlainParameter {
    type Value;
    fn take(self) -> Self::Value;
}

impl<T> PlainParameter for &mut &mut CallParameter<T> {
    type Value = T;
    fn take(self) -> T {
        self.value.take().expect("it is taken once")
    }
}

// Checks that the copy of a kernel resolves the same methods and functions as `update`, on words
// or on values known at generation.

/// Return type of the methods of [`OwnMethods`].
#[doc(hidden)]
pub struct OwnMethod;

/// Methods of words, by value and for every type. Rust prefers a method by value to one by
/// reference, and the methods of `rust-hdl` are by reference. Where this trait is in scope, a
/// method of a user's trait that precedes the one of `rust-hdl` is therefore ambiguous. A user's
/// method by reference comes after this trait.
#[doc(hidden)]
pub trait OwnMethods: Sized {
    fn val(self) -> OwnMethod {
        OwnMethod
    }
    fn get_bit(self) -> OwnMethod {
        OwnMethod
    }
    fn get_bits(self) -> OwnMethod {
        OwnMethod
    }
    fn replace_bit(self) -> OwnMethod {
        OwnMethod
    }
    fn all(self) -> OwnMethod {
        OwnMethod
    }
    fn any(self) -> OwnMethod {
        OwnMethod
    }
    fn xor(self) -> OwnMethod {
        OwnMethod
    }
    fn index(self) -> OwnMethod {
        OwnMethod
    }
}

impl<T> OwnMethods for T {}

/// Checks that a method of the receiver is `rust-hdl`'s own. Never called.
#[doc(hidden)]
pub fn own<L: Lift>(_: L, _: fn(L::Word) -> OwnMethod) {}

/// Checks that `.val()` of a signal is `rust-hdl`'s own. Never called.
#[doc(hidden)]
pub fn val<S: Readable>(_: &S, _: fn(S) -> OwnMethod) {}

/// Type of a receiver of `.into()` in `update`.
#[doc(hidden)]
pub trait IntoReceiver {
    type Type;
}

impl<T: Word> IntoReceiver for Sym<T> {
    type Type = T;
}

impl<T: Word> IntoReceiver for T {
    type Type = T;
}

impl IntoReceiver for u64 {
    type Type = u64;
}

/// Checks that an argument of a function called at generation is not a word, and returns it.
#[doc(hidden)]
#[track_caller]
pub fn known<T>(value: T) -> T {
    if mentions::<T, Sym<bool>>() || mentions::<T, Index>() {
        refuse_word(here());
    }
    value
}

fn refuse_word(origin: SourceLocation) {
    let message = "a function cannot take a word: it is called once, at generation";
    with_recording(|r| r.refuse(origin, message.into()));
}
