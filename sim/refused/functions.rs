//! Functions of words, called from kernels and from each other.

use crate::refused::blocks::assert_agrees;
use hdl::prelude::*;

/// Returns the Gray code of a number.
#[kernel]
fn gray<const N: usize>(x: Bits<N>) -> Bits<N> {
    x ^ (x >> 1_u64)
}

/// Returns the number with this Gray code.
#[kernel]
fn from_gray<const N: usize>(code: Bits<N>) -> Bits<N> {
    let mut number = code;
    for shift in 1..N {
        number = number ^ (code >> shift as u64);
    }
    number
}

/// Returns the number of set bits, in `M` bits.
#[kernel]
fn count<const N: usize, const M: usize>(x: Bits<N>, from: usize) -> Bits<M> {
    let mut sum = bits::<M>(0);
    for i in from..N {
        sum = sum + if x.get_bit(i) { bits::<M>(1) } else { bits::<M>(0) };
    }
    sum
}

/// Returns the larger number, or inverted the smaller one.
#[kernel]
fn larger(a: Bits<4>, b: Bits<4>, inverted: bool) -> Bits<4> {
    let first = (a > b) ^ inverted;
    if first {
        a
    } else {
        b
    }
}

const PRIMES: [u64; 5] = [2, 3, 5, 7, 11];

/// Returns how many of some words are below a prime.
#[kernel]
fn below(x: Bits<4>, y: Bits<4>, place: usize) -> Bits<2> {
    let words = [x, y, x ^ y];
    let prime: Bits<4> = PRIMES[place % PRIMES.len()].into();
    let mut sum: Bits<2> = 0.into();
    for i in 0..words.len() {
        let one: bool = words[i] < prime;
        sum = sum + if one { bits::<2>(1) } else { bits::<2>(0) };
    }
    sum
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Typed {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<2>>,
    pub n: Signal<Out, Bits<4>>,
}

impl Logic for Typed {
    #[kernel]
    fn update(&mut self) {
        let words: [Bits<4>; 2] = [self.a.val(), self.b.val()];
        let sum: Bits<4> = words[0] + words[words.len() - 1];
        let place: usize = PRIMES.len() + 2;
        let at: usize = self.b.val().get_bits::<1>(0).index();
        self.o.next = below(sum, self.b.val(), place);
        self.n.next = sum + words[at];
    }
}

/// A `let` with a type, and the lengths of arrays of words and of numbers.
#[test]
fn lets_have_types_and_arrays_a_length() {
    assert_agrees(Typed::default);
}

#[word]
#[derive(Default)]
pub struct FunctionPair {
    high: Bits<4>,
    low: Bits<4>,
}

impl FunctionPair {
    /// Returns the sum of both.
    #[kernel]
    fn sum(pair: FunctionPair) -> Bits<4> {
        pair.high + pair.low
    }

    /// Returns the value that `pick` selects.
    #[kernel]
    fn one(self, pick: Bit) -> Bits<4> {
        let here = self;
        if pick {
            here.high
        } else {
            self.low
        }
    }

    /// Returns bits of the value that `pick` selects, and bits of the other one.
    #[kernel]
    fn both<const N: usize>(self, pick: Bit, from: usize) -> Bits<N> {
        self.one(pick).part::<N>(from) ^ self.one(!pick).part(0)
    }
}

/// Methods of words that are defined elsewhere.
trait WordParts {
    fn part<const M: usize>(self, from: usize) -> Bits<M>;
}

impl<const N: usize> WordParts for Bits<N> {
    #[kernel]
    fn part<const M: usize>(self, from: usize) -> Bits<M> {
        self.get_bits::<M>(from) + bits::<M>(1)
    }
}

/// Called with constants only, at generation, so no mark is needed.
fn width(n: usize) -> u64 {
    n as u64 * 3
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Caller {
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub f: Signal<In, Bit>,
    pub gray: Signal<Out, Bits<4>>,
    pub back: Signal<Out, Bits<4>>,
    pub count: Signal<Out, Bits<3>>,
    pub wide: Signal<Out, Bits<5>>,
    pub larger: Signal<Out, Bits<4>>,
    pub smaller: Signal<Out, Bits<4>>,
    pub sum: Signal<Out, Bits<4>>,
    pub one: Signal<Out, Bits<4>>,
    pub fixed: Signal<Out, Bits<4>>,
    pub dotted: Signal<Out, Bits<3>>,
    pair: Signal<Local, FunctionPair>,
}

impl Logic for Caller {
    #[kernel]
    fn update(&mut self) {
        let code = gray(self.a.val());
        self.gray.next = code;
        self.back.next = from_gray(gray(self.a.val() + 1)) ^ from_gray::<4>(self.b.val());
        self.count.next = count(self.a.val() & self.b.val(), 1);
        self.wide.next = count::<4, 5>(code, 0) + bits(width(2));
        self.larger.next = larger(self.a.val(), self.b.val(), false);
        self.smaller.next = larger(self.a.val(), 7.into(), self.f.val());
        for i in 0..2_u64 {
            if self.f.val() && i == 1 {
                self.larger.next = crate::refused::functions::larger(code, bits(i + 4), i == 0);
            }
        }
        self.pair.next.high = self.a.val();
        self.pair.next.low = gray(self.b.val());
        self.sum.next = FunctionPair::sum(self.pair.val());
        self.one.next = FunctionPair::one(self.pair.val(), self.f.val());
        self.fixed.next = gray(bits::<4>(9)) ^ self.a.val();
        let low = self.pair.val().both::<2>(self.f.val(), 1_usize.pow(3));
        self.dotted.next = (self.a.val() ^ bit_cast::<4, 2>(low)).part(1);
    }
}

#[test]
fn functions_mean_what_they_mean_in_rust() {
    assert_agrees(Caller::default);
}

/// A plain function.
fn increment(x: Bits<4>) -> Bits<4> {
    x + 1
}

/// A plain function, although it calls a kernel function.
fn wrapper(x: Bits<4>) -> Bits<4> {
    gray(x + 1)
}

/// A plain function that panics on the stand-in value.
fn not_zero(x: Bits<4>) -> Bits<4> {
    assert!(x != 0);
    x
}

/// A word that contains another one.
#[word]
#[derive(Default)]
pub struct Wrapped {
    pair: FunctionPair,
    inverted: Bit,
}

impl Wrapped {
    /// Delegates to a kernel function of the same name, which would read the wrong word.
    fn one(self, pick: Bit) -> Bits<4> {
        self.pair.one(pick ^ self.inverted)
    }
}

/// Delegates by a trait, for the same type.
trait Inverted {
    fn part<const M: usize>(self, from: usize, by: bool) -> Bits<M>;
}

impl Inverted for FunctionPair {
    fn part<const M: usize>(self, from: usize, _: bool) -> Bits<M> {
        (!self.high).part(from)
    }
}

block! {
    Methods { a: Signal<In, Wrapped>, f: Signal<In, Bit>, o: Signal<Out, Bits<4>>, p: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.o.next = self.a.val().one(self.f.val()); //~ a function cannot take a word: `one` is not a #[kernel] function
        self.p.next = self.a.val().pair.part(1, true); //~ a function cannot take a word: `part` is not a #[kernel] function
    }
}

block! {
    Unmarked { a: Signal<In, Bits<4>>, o: Signal<Out, Bits<4>>, p: Signal<Out, Bits<4>>, q: Signal<Out, Bit> }
    fn update(&mut self) {
        self.o.next = increment(self.a.val()); //~ a function cannot take a word: `sim::refused::functions::increment` is not a #[kernel] function
        self.o.next = wrapper(self.a.val()); //~ a function cannot take a word: `sim::refused::functions::wrapper`
        self.p.next = gray(not_zero(self.a.val())); //~ a function cannot take a word: `sim::refused::functions::not_zero`
        self.q.next = std::ops::Not::not(self.a.val().any()); //~ a function cannot take a word
    }
}

/// A function with a position outside its word.
#[kernel]
fn beyond(x: Bits<4>, position: Bits<3>) -> Bit {
    x.get_bit(position.index())
}

block! {
    Within { a: Signal<In, Bits<4>>, b: Signal<In, Bits<3>>, q: Signal<Out, Bit> }
    fn update(&mut self) {
        self.q.next = beyond(self.a.val(), self.b.val());
    }
}

#[test]
fn only_kernel_functions_take_words() {
    refused!(Unmarked);
    refused!(Methods);
}

#[test]
fn errors_in_a_function_have_a_location() {
    let errors = hdl::lower::lower(&Within::default()).unwrap_err();
    let line = include_str!("functions.rs")
        .lines()
        .position(|line| line.contains("x.get_bit(position.index())"))
        .expect("the line is there");
    let place = format!("{}:{}:", file!(), line + 1);
    assert_eq!(errors.0.len(), 1, "{errors}");
    let error = errors.to_string();
    assert!(error.starts_with(&place) && error.contains("can be 7"), "{error}");
}
