//! Signed words in two's complement.
//!
//! A signed word is a word of plain bits with its own operators. Those that depend on the sign are
//! expressed by unsigned ones: a comparison flips the sign bits first, and a shift to the right
//! inverts a negative word before and after. No engine knows signed words, so all agree on them.

use super::call::Call;
use super::ops::{binary, resized, Comparable, Ordered};
use super::record::{here, with_recording};
use super::sym::{BindLet, Lift, Sym};
use super::word::{product, Multiply, Word};
use crate::fold::ones;
use crate::rust_hdl::prelude::{VCDValue, VerilogLiteral};
use crate::rust_hdl::{Bits, Synth, TypeDescriptor, TypeKind};
use lockstep::design::{BinaryOp, ExprId, ExprOp, SourceLocation, Type};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Neg, Shl, Shr, Sub};
use std::panic::Location;

/// Signed word of `N` bits in two's complement, from `-2^(N-1)` to `2^(N-1) - 1`.
///
/// Sums and differences wrap. A shift to the right repeats the sign. Numbers in a kernel are
/// `signed::<8>(-3)`, or plain after an operator: `x.val() > -3`.
///
/// ```
/// use hdl::prelude::*;
///
/// let x = signed::<8>(-100);
/// assert!(x < 0 && x + 1 > x);
/// assert_eq!(x - 100, signed(56));
/// assert_eq!(x >> 3_u64, signed(-13));
/// assert_eq!(x.resized::<16>(), signed(-100));
/// assert_eq!(x.times::<16>(signed::<4>(-2)), signed(200));
/// assert_eq!(x.to_unsigned(), bits(156));
/// assert_eq!(bits::<8>(156).to_signed(), x);
/// ```
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Signed<const N: usize>(Bits<N>);

/// Returns a signed word.
///
/// # Panics
/// If the number does not fit.
pub fn signed<const N: usize>(number: i64) -> Signed<N> {
    assert!(fits(number, N), "the number {number} does not fit Signed<{N}>");
    Signed(encoded(&number.into(), N).into())
}

/// Whether a number fits a signed word of this width.
fn fits(number: i64, width: usize) -> bool {
    width >= 64 || width > 0 && (-1 << (width - 1)..1 << (width - 1)).contains(&number)
}

/// Returns the low bits of a number in two's complement.
fn encoded(number: &BigInt, width: usize) -> BigUint {
    let modulus = BigInt::one() << width;
    let low = ((number % &modulus) + &modulus) % modulus;
    low.to_biguint().expect("a remainder made positive")
}

/// Returns a word with the sign bit of this width alone.
fn sign_bit(width: usize) -> BigUint {
    BigUint::one() << (width - 1)
}

impl<const N: usize> Signed<N> {
    /// Returns the number. Not available in kernels.
    pub fn bigint(self) -> BigInt {
        let bits = BigUint::from(self.0);
        match N > 0 && bits.bit(N as u64 - 1) {
            true => BigInt::from(bits) - (BigInt::one() << N),
            false => bits.into(),
        }
    }

    fn of(number: &BigInt) -> Self {
        Signed(encoded(number, N).into())
    }

    /// Returns the word with the sign repeated above it, or its low `M` bits.
    #[must_use]
    #[track_caller]
    pub fn resized<const M: usize>(self) -> Signed<M> {
        if let Some(call) = Call::accept(&|| (), Location::caller()) {
            let word = call.parameter(self, 0);
            return call.answer(Sym::<Signed<M>>::new(extended(word.expr, M)));
        }
        Signed::of(&self.bigint())
    }

    /// Returns the same bits as an unsigned word.
    #[track_caller]
    pub fn to_unsigned(self) -> Bits<N> {
        if let Some(call) = Call::accept(&|| (), Location::caller()) {
            let word = call.parameter(self, 0);
            return call.answer(Sym::<Bits<N>>::new(word.expr));
        }
        self.0
    }
}

/// Conversion of an unsigned word, inside and outside kernels.
pub trait ToSigned<const N: usize> {
    /// Returns the same bits as a signed word. The highest bit becomes the sign.
    fn to_signed(self) -> Signed<N>;
}

impl<const N: usize> ToSigned<N> for Bits<N> {
    #[track_caller]
    fn to_signed(self) -> Signed<N> {
        if let Some(call) = Call::accept(&|| (), Location::caller()) {
            let word = call.parameter(self, 0);
            return call.answer(Sym::<Signed<N>>::new(word.expr));
        }
        Signed(self)
    }
}

impl<const N: usize, const M: usize> Multiply<Signed<M>> for Signed<N> {
    type Product<const P: usize> = Signed<P>;

    #[track_caller]
    fn times<const P: usize>(self, by: Signed<M>) -> Signed<P> {
        if let Some(call) = Call::accept(&|| (), Location::caller()) {
            let (a, b) = (call.parameter(self, 0), call.parameter(by, 1));
            let product = product(extended(a.expr, P), extended(b.expr, P));
            return call.answer(Sym::<Signed<P>>::new(product));
        }
        Signed::of(&(self.bigint() * by.bigint()))
    }
}

/// Prints the number.
impl<const N: usize> fmt::Debug for Signed<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bigint().fmt(f)
    }
}

/// Prints the number.
impl<const N: usize> fmt::Display for Signed<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bigint().fmt(f)
    }
}

impl<const N: usize> Synth for Signed<N> {
    const BITS: usize = N;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: format!("Signed::<{N}>"), kind: TypeKind::Bits(N) }
    }

    fn vcd(self) -> VCDValue {
        self.0.vcd()
    }

    fn verilog(self) -> VerilogLiteral {
        self.0.verilog()
    }
}

impl<const N: usize> Word for Signed<N> {
    fn of_bits(bits: &BigUint) -> Option<Self> {
        Bits::of_bits(bits).map(Signed)
    }
}

impl<const N: usize> BindLet for Signed<N> {
    fn bind(self, _: &str) -> Self {
        self
    }
}

// Operators outside kernels.

impl<const N: usize> Neg for Signed<N> {
    type Output = Self;
    fn neg(self) -> Self {
        Signed::of(&-self.bigint())
    }
}

macro_rules! known_operators {
    ($($trait:ident, $method:ident;)*) => {$(
        impl<const N: usize> $trait for Signed<N> {
            type Output = Self;
            fn $method(self, rhs: Self) -> Self {
                Signed(self.0.$method(rhs.0))
            }
        }

        impl<const N: usize> $trait<i64> for Signed<N> {
            type Output = Self;
            fn $method(self, rhs: i64) -> Self {
                self.$method(signed::<N>(rhs))
            }
        }
    )*};
}

known_operators! {
    Add, add;
    Sub, sub;
}

impl<const N: usize> Shl<u64> for Signed<N> {
    type Output = Self;
    fn shl(self, distance: u64) -> Self {
        Signed(self.0 << distance)
    }
}

impl<const N: usize> Shr<u64> for Signed<N> {
    type Output = Self;
    fn shr(self, distance: u64) -> Self {
        Signed::of(&(self.bigint() >> distance.min(N as u64)))
    }
}

impl<const N: usize, const M: usize> Shl<Bits<M>> for Signed<N> {
    type Output = Self;
    fn shl(self, distance: Bits<M>) -> Self {
        Signed(self.0 << distance)
    }
}

impl<const N: usize, const M: usize> Shr<Bits<M>> for Signed<N> {
    type Output = Self;
    fn shr(self, distance: Bits<M>) -> Self {
        self >> u64::from(distance)
    }
}

impl<const N: usize> PartialOrd for Signed<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.bigint().partial_cmp(&other.bigint())
    }
}

impl<const N: usize> PartialEq<i64> for Signed<N> {
    fn eq(&self, other: &i64) -> bool {
        *self == signed::<N>(*other)
    }
}

impl<const N: usize> PartialOrd<i64> for Signed<N> {
    fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
        self.partial_cmp(&signed::<N>(*other))
    }
}

// Operators of symbolic words.

/// Converts a number in a kernel to a signed word. A number that does not fit is rejected.
#[track_caller]
fn literal<const N: usize>(number: i64) -> Sym<Signed<N>> {
    Sym::new(number_of(N, number, here()))
}

fn number_of(width: usize, number: i64, origin: SourceLocation) -> ExprId {
    with_recording(|r| {
        if !fits(number, width) {
            let ends = (BigInt::one() << width) / 2;
            r.refuse(
                origin,
                format!(
                    "the number {number} does not fit Signed<{width}>, which holds -{ends} to {}",
                    &ends - 1
                ),
            );
        }
        r.constant(encoded(&number.into(), width), Type::Bits(width as u32))
    })
}

/// Returns a word with all bits equal to the sign, or the part of it above the lowest bits.
fn repeated_sign(value: ExprId, width: u32, above: u32) -> ExprId {
    with_recording(|r| {
        let offset = r.width(value) - 1;
        let cond = r.push(ExprOp::Slice { value, offset }, Type::BIT);
        let ty = Type::Bits(width);
        let then = r.constant(ones(width) ^ ones(above), ty.clone());
        let otherwise = r.constant(BigUint::ZERO, ty.clone());
        let op = ExprOp::Mux { cond, then, otherwise };
        r.push(op, ty)
    })
}

/// Repeats the sign up to this width, or truncates.
fn extended(value: ExprId, width: usize) -> ExprId {
    let own = with_recording(|r| r.width(value));
    let low = resized(value, width);
    match width as u32 > own {
        true => binary(BinaryOp::Or, repeated_sign(value, width as u32, own), low),
        false => low,
    }
}

fn shifted_right(value: ExprId, distance: ExprId) -> ExprId {
    let width = with_recording(|r| r.width(value));
    // The sign is repeated if zeros are shifted into a word that is not negative.
    let sign = repeated_sign(value, width, 0);
    let positive = binary(BinaryOp::Xor, value, sign);
    binary(BinaryOp::Xor, binary(BinaryOp::Shr, positive, distance), sign)
}

/// Flips the sign bit, so that unsigned comparison has the order of signed words.
fn biased(value: ExprId) -> ExprId {
    with_recording(|r| {
        let width = r.width(value);
        let ty = Type::Bits(width);
        let sign = sign_bit(width as usize);
        match r.known(value).cloned() {
            Some(known) => r.constant(known ^ sign, ty),
            None => {
                let sign = r.constant(sign, ty.clone());
                r.push(ExprOp::Binary(BinaryOp::Xor, value, sign), ty)
            }
        }
    })
}

impl<const N: usize> Neg for Sym<Signed<N>> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        literal::<N>(0) - self
    }
}

macro_rules! word_operators {
    ($($trait:ident, $method:ident;)*) => {$(
        impl<const N: usize> $trait for Sym<Signed<N>> {
            type Output = Self;
            fn $method(self, rhs: Self) -> Self {
                Sym::new(binary(BinaryOp::$trait, self.expr, rhs.expr))
            }
        }

        impl<const N: usize> $trait<i64> for Sym<Signed<N>> {
            type Output = Self;
            #[track_caller]
            fn $method(self, rhs: i64) -> Self {
                self.$method(literal::<N>(rhs))
            }
        }

        impl<const N: usize> $trait<Signed<N>> for Sym<Signed<N>> {
            type Output = Self;
            #[track_caller]
            fn $method(self, rhs: Signed<N>) -> Self {
                self.$method(rhs.lift())
            }
        }

        impl<const N: usize> $trait<Sym<Signed<N>>> for Signed<N> {
            type Output = Sym<Signed<N>>;
            #[track_caller]
            fn $method(self, rhs: Sym<Signed<N>>) -> Sym<Signed<N>> {
                self.lift().$method(rhs)
            }
        }
    )*};
}

word_operators! {
    Add, add;
    Sub, sub;
}

impl<const N: usize, By> Shl<By> for Sym<Signed<N>>
where
    Sym<Bits<N>>: Shl<By, Output = Sym<Bits<N>>>,
{
    type Output = Self;
    #[track_caller]
    fn shl(self, distance: By) -> Self {
        Sym::new((Sym::<Bits<N>>::new(self.expr) << distance).expr)
    }
}

impl<const N: usize> Shr<u64> for Sym<Signed<N>> {
    type Output = Self;
    #[track_caller]
    fn shr(self, distance: u64) -> Self {
        let distance = with_recording(|r| r.constant(distance.into(), Type::Bits(64)));
        Sym::new(shifted_right(self.expr, distance))
    }
}

impl<const N: usize, const M: usize> Shr<Sym<Bits<M>>> for Sym<Signed<N>> {
    type Output = Self;
    #[track_caller]
    fn shr(self, distance: Sym<Bits<M>>) -> Self {
        super::ops::check_distance(M);
        Sym::new(shifted_right(self.expr, distance.expr))
    }
}

impl<const N: usize, const M: usize> Shr<Bits<M>> for Sym<Signed<N>> {
    type Output = Self;
    #[track_caller]
    fn shr(self, distance: Bits<M>) -> Self {
        self >> distance.lift()
    }
}

impl<const N: usize> Comparable<i64> for Sym<Signed<N>> {
    #[track_caller]
    fn operands(self, rhs: i64) -> (ExprId, ExprId) {
        (self.expr, literal::<N>(rhs).expr)
    }
}

macro_rules! ordered {
    ($($lhs:ty, $rhs:ty;)*) => {$(
        impl<const N: usize> Ordered<$rhs> for $lhs {
            #[track_caller]
            fn ordered(self, rhs: $rhs) -> (ExprId, ExprId) {
                let (a, b) = self.operands(rhs);
                (biased(a), biased(b))
            }
        }
    )*};
}

ordered! {
    Sym<Signed<N>>, Sym<Signed<N>>;
    Sym<Signed<N>>, Signed<N>;
    Signed<N>, Sym<Signed<N>>;
    Sym<Signed<N>>, i64;
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;
    use lockstep::eval::Evaluator;
    use lockstep::netlist::flatten;
    use num_bigint::{BigInt, BigUint};

    /// All operations of two signed words.
    #[derive(LogicBlock, Circuit, Default)]
    struct Operations {
        a: Signal<In, Signed<4>>,
        b: Signal<In, Signed<4>>,
        by: Signal<In, Bits<3>>,
        sum: Signal<Out, Signed<4>>,
        difference: Signal<Out, Signed<4>>,
        opposite: Signal<Out, Signed<4>>,
        product: Signal<Out, Signed<8>>,
        low_product: Signal<Out, Signed<3>>,
        unsigned_product: Signal<Out, Bits<8>>,
        wide: Signal<Out, Signed<9>>,
        narrow: Signal<Out, Signed<2>>,
        left: Signal<Out, Signed<4>>,
        right: Signal<Out, Signed<4>>,
        quarter: Signal<Out, Signed<4>>,
        less: Signal<Out, Bit>,
        less_or_equal: Signal<Out, Bit>,
        above: Signal<Out, Bit>,
        equal: Signal<Out, Bit>,
    }

    impl Logic for Operations {
        #[kernel]
        fn update(&mut self) {
            let a = self.a.val();
            self.sum.next = self.a.val() + self.b.val();
            self.difference.next = a - self.b.val();
            self.opposite.next = -a;
            self.product.next = a.times(self.b.val());
            self.low_product.next = a.times(self.b.val());
            self.unsigned_product.next = a.to_unsigned().times(self.b.val().to_unsigned());
            self.wide.next = a.resized();
            self.narrow.next = a.resized();
            self.left.next = a << self.by.val();
            self.right.next = a >> self.by.val();
            self.quarter.next = a >> 2;
            self.less.next = self.a.val() < self.b.val();
            self.less_or_equal.next = a <= self.b.val();
            self.above.next = self.a.val() > -3;
            self.equal.next = a == signed::<4>(-8) || a == 5;
        }
    }

    /// The lowered circuit and Rust compute what integers do.
    #[test]
    fn operations_are_those_of_integers() {
        let design = lower(&Operations::default()).unwrap();
        let mut circuit = Evaluator::new(flatten(&design).unwrap());
        let mut block = Operations::default();
        let encoded = |number: i64| (number & 0xf) as u64;
        for (a, b) in (-8..8).flat_map(|a| (-8..8).map(move |b| (a, b))) {
            for by in 0..8_i64 {
                let (a_bits, b_bits) = (encoded(a) as i64, encoded(b) as i64);
                let expected = [
                    ("sum", 4, a + b),
                    ("difference", 4, a - b),
                    ("opposite", 4, -a),
                    ("product", 8, a * b),
                    ("low_product", 3, a * b),
                    ("unsigned_product", 8, a_bits * b_bits),
                    ("wide", 9, a),
                    ("narrow", 2, a),
                    ("left", 4, a << by),
                    ("right", 4, a >> by),
                    ("quarter", 4, a >> 2),
                    ("less", 1, (a < b).into()),
                    ("less_or_equal", 1, (a <= b).into()),
                    ("above", 1, (a > -3).into()),
                    ("equal", 1, (a == -8 || a == 5).into()),
                ];
                let inputs = [("a", encoded(a)), ("b", encoded(b)), ("by", by as u64)];
                for (name, value) in inputs {
                    circuit.set(circuit.netlist().input(name).unwrap(), value);
                    assert!(block.poke(name, &value.into()));
                }
                circuit.settle();
                // The first round shows the inputs, the second the outputs.
                block.update_all();
                block.update_all();
                for (name, width, number) in expected {
                    let number = (number & ((1 << width) - 1)) as u64;
                    let found = circuit.get(circuit.netlist().output(name).unwrap());
                    assert_eq!(found, number, "{name} of {a}, {b}, {by}");
                    let in_rust = block.peek(name).unwrap();
                    assert_eq!(in_rust, BigUint::from(number), "{name} of {a}, {b}, {by}");
                }
            }
        }
    }

    #[test]
    fn numbers_have_two_ends() {
        for number in [-8, -1, 0, 7] {
            assert_eq!(signed::<4>(number).bigint(), BigInt::from(number));
        }
        assert_eq!(signed::<70>(-5).resized::<130>().bigint(), BigInt::from(-5));
        assert_eq!(format!("{:?}", signed::<64>(i64::MIN)), i64::MIN.to_string());
        assert_eq!(signed::<1>(-1).to_unsigned(), bits(1));
        for number in [-9, 8] {
            let made = std::panic::catch_unwind(|| signed::<4>(number));
            assert!(made.is_err(), "{number}");
        }
    }
}
