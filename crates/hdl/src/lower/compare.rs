//! Comparisons. Rust's operators always return a `bool`, so `#[kernel]` calls these functions
//! instead. Values known at generation give a known bit.

use super::record::with_recording;
use super::sym::{literal, Index, Lift, Sym};
use super::word::Word;
use lockstep::design::{BinaryOp, ExprId, ExprOp, Type};
use rust_hdl::prelude::Bits;

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
    label = "only `Bits<N>`, numbers and indices have one"
)]
pub trait Ordered<Rhs>: Comparable<Rhs> {}

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
    ($($function:ident, $bound:ident, $op:ident;)*) => {$(
        #[doc(hidden)]
        #[track_caller]
        pub fn $function<A: $bound<B>, B>(a: A, b: B) -> Sym<bool> {
            let (a, b) = a.operands(b);
            Sym::new(compare(BinaryOp::$op, a, b))
        }
    )*};
}

comparisons! {
    eq, Comparable, Eq;
    ne, Comparable, Ne;
    lt, Ordered, Lt;
    le, Ordered, Le;
    gt, Ordered, Gt;
    ge, Ordered, Ge;
}
