//! Functions of words, called from kernels.
//!
//! A `#[kernel]` function is called in the copy of a kernel by the very path that
//! `update` calls it by, with stand-ins of the arguments' types; so Rust finds the
//! same function and types it the same. What it is called with is left for it here.
//! It takes that up if it is the function that was meant, runs its own copy over
//! symbolic words, and leaves the value here in turn.
//!
//! A method that is called by dot has no path in the kernel. It is known by its name and
//! by the place of the call, which it learns as its caller's.

use super::record::{here, with};
use super::sym::{Lift, Sym};
use super::word::Word;
use lockstep::design::{ExprId, Origin};
use std::any::type_name;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe, Location};

enum Pending {
    /// No kernel is calling.
    None,
    /// A call with these words; `None` stands for an argument that is known at
    /// generation.
    Asked(Callee, Vec<Option<ExprId>>),
    Answered(ExprId),
}

/// What is called.
#[derive(Clone, Copy)]
enum Callee {
    /// The function of this path.
    Path(&'static str),
    /// The method of this name, at this place.
    Dot(&'static str, &'static Location<'static>),
}

impl Callee {
    /// Whether this is the function of this path, called at this place.
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

/// The `c` of `a::b::c::<D>`.
fn last_name(path: &str) -> &str {
    // Of a method of a trait the path has no parameters of its own at the end.
    let path = match path.strip_suffix('>') {
        Some(inside) => &path[..opening(inside)],
        None => path,
    };
    path.trim_end_matches(':')
        .rsplit("::")
        .next()
        .unwrap_or(path)
}

/// Where the bracket stands that the end of this text would close.
fn opening(inside: &str) -> usize {
    let mut depth = 1;
    let found = inside.char_indices().rev().find(|(_, c)| {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => (),
        }
        depth == 0
    });
    found.map_or(0, |(at, _)| at)
}

thread_local! {
    static PENDING: RefCell<Pending> = const { RefCell::new(Pending::None) };
}

/// An argument, on its way into a call. What it becomes is chosen by its type:
/// [`WordArgument`] where that applies, else, one automatic reference further,
/// [`PlainArgument`].
#[doc(hidden)]
pub struct Argument<T>(Option<T>);

impl<T> Argument<T> {
    pub fn new(value: T) -> Self {
        Argument(Some(value))
    }
}

/// Of an argument that is a word.
#[doc(hidden)]
pub struct GivenWord(ExprId);

/// Of an argument that is known at generation.
#[doc(hidden)]
pub struct Plain;

#[doc(hidden)]
pub trait WordArgument {
    type Value;
    /// A stand-in and the word.
    fn split(self) -> (Self::Value, GivenWord);
}

impl<T: Word> WordArgument for &mut Argument<Sym<T>> {
    type Value = T;
    fn split(self) -> (T, GivenWord) {
        let word = self.0.take().expect("it is split once");
        (T::default(), GivenWord(word.expr))
    }
}

/// An array of words, of which only the length is asked.
#[doc(hidden)]
pub trait WordsArgument {
    type Value;
    /// A stand-in.
    fn split(self) -> (Self::Value, Plain);
}

impl<T: Word, const N: usize> WordsArgument for &mut Argument<[Sym<T>; N]> {
    type Value = [T; N];
    fn split(self) -> ([T; N], Plain) {
        ([T::default(); N], Plain)
    }
}

#[doc(hidden)]
pub trait PlainArgument {
    type Value;
    #[track_caller]
    fn split(self) -> (Self::Value, Plain);
}

impl<T> PlainArgument for &mut &mut Argument<T> {
    type Value = T;
    #[track_caller]
    fn split(self) -> (T, Plain) {
        let value = self.0.take().expect("it is split once");
        (super::known::known(value), Plain)
    }
}

/// The arguments of a call; `K` is [`GivenWord`] if one of them is a word.
#[doc(hidden)]
pub struct Arguments<K> {
    words: Vec<Option<ExprId>>,
    kind: PhantomData<K>,
}

/// Whether an argument is a word.
#[doc(hidden)]
pub trait Mark {
    /// The kind of the arguments, this one among them.
    type And<K>;
    fn word(self) -> Option<ExprId>;
}

impl Mark for GivenWord {
    type And<K> = GivenWord;
    fn word(self) -> Option<ExprId> {
        Some(self.0)
    }
}

impl Mark for Plain {
    type And<K> = K;
    fn word(self) -> Option<ExprId> {
        None
    }
}

impl Arguments<Plain> {
    pub fn none() -> Self {
        Arguments {
            words: vec![],
            kind: PhantomData,
        }
    }

    /// Calls what Rust calls, at generation.
    pub fn call<F, R>(self, _: &F, call: impl FnOnce() -> R) -> R {
        call()
    }

    /// The same of a method.
    pub fn call_method<R>(self, _: &'static str, call: impl FnOnce() -> R) -> R {
        call()
    }
}

impl<K> Arguments<K> {
    pub fn with<M: Mark>(mut self, mark: M) -> Arguments<M::And<K>> {
        self.words.push(mark.word());
        Arguments {
            words: self.words,
            kind: PhantomData,
        }
    }
}

impl Arguments<GivenWord> {
    /// Calls a `#[kernel]` function, for a word.
    #[track_caller]
    pub fn call<F, R>(self, _: &F, call: impl FnOnce() -> R) -> Sym<R> {
        self.call_of(Callee::Path(type_name::<F>()), call)
    }

    /// Calls a `#[kernel]` method, for a word.
    #[track_caller]
    pub fn call_method<R>(self, name: &'static str, call: impl FnOnce() -> R) -> Sym<R> {
        self.call_of(Callee::Dot(name, Location::caller()), call)
    }

    #[track_caller]
    fn call_of<R>(self, callee: Callee, call: impl FnOnce() -> R) -> Sym<R> {
        let mut call = Some(call);
        let value = called(self.words, callee, here(), &mut || {
            call.take().map(|call| call());
        });
        Sym::new(value)
    }
}

fn called(
    words: Vec<Option<ExprId>>,
    callee: Callee,
    origin: Origin,
    call: &mut dyn FnMut(),
) -> ExprId {
    PENDING.set(Pending::Asked(callee, words));
    // A function that knows nothing of words may not like the stand-ins.
    let result = catch_unwind(AssertUnwindSafe(call));
    match (PENDING.replace(Pending::None), result) {
        (Pending::Answered(value), Ok(())) => value,
        (Pending::Asked(..), _) => {
            let name = callee.name();
            let message = format!(
                "a function cannot take a word: `{name}` is no #[kernel] function, so it is called once, at generation"
            );
            with(|r| {
                r.refuse(origin, message);
                r.bit(false)
            })
        }
        (_, Err(panic)) => resume_unwind(panic),
        (Pending::None, Ok(())) => unreachable!("what takes up a call answers it"),
    }
}

/// A call, taken up by the function.
#[doc(hidden)]
pub struct Call(Vec<Option<ExprId>>);

impl Call {
    /// The call that is pending, if it is one of the function in which there is a
    /// closure of type `F`, and which was called at `place`.
    pub fn taken_up<F>(_: &F, place: &Location) -> Option<Self> {
        take_up(type_name::<F>(), place)
    }

    /// Leaves the value, and gives a stand-in of its type.
    #[track_caller]
    pub fn answer<R: Word>(self, value: impl Lift<Word = R>) -> R {
        PENDING.set(Pending::Answered(value.lift().expr));
        R::default()
    }
}

fn take_up(closure: &str, place: &Location) -> Option<Call> {
    PENDING.with_borrow_mut(|pending| {
        // A simulation calls functions all the time, and asks for none.
        let Pending::Asked(callee, words) = pending else {
            return None;
        };
        let path = closure.strip_suffix("::{{closure}}")?;
        if !callee.is(path, place) {
            return None;
        }
        let call = Call(std::mem::take(words));
        *pending = Pending::None;
        Some(call)
    })
}

/// A parameter, on its way into the copy of a function, like [`Argument`].
#[doc(hidden)]
pub struct Parameter<T> {
    value: Option<T>,
    word: Option<ExprId>,
}

impl<T> Parameter<T> {
    pub fn new(value: T, call: &Call, index: usize) -> Self {
        Parameter {
            value: Some(value),
            word: call.0[index],
        }
    }
}

#[doc(hidden)]
pub trait WordParameter {
    type Value;
    #[track_caller]
    fn take(self) -> Self::Value;
}

impl<T: Word> WordParameter for &mut Parameter<T> {
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

impl<T> PlainParameter for &mut &mut Parameter<T> {
    type Value = T;
    fn take(self) -> T {
        self.value.take().expect("it is taken once")
    }
}
