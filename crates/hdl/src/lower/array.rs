//! Arrays of words in a kernel, and their elements.

use super::compare::eq;
use super::control::Select;
use super::ops::in_range;
use super::record::here;
use super::sym::{named, BindLet, Index, Lift, Sym};
use std::ops::Deref;

/// Access `array[index]` before the element is found. Its type selects the method: [`WordElement`]
/// if that applies. Otherwise one more automatic reference leads to [`PlainElement`].
#[doc(hidden)]
pub struct Element<'a, A: ?Sized, I> {
    array: &'a A,
    index: Option<I>,
}

impl<'a, A: ?Sized, I> Element<'a, A, I> {
    pub fn new(array: &'a A, index: I) -> Self {
        Element {
            array,
            index: Some(index),
        }
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
