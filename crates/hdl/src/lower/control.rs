//! Operators `&&` and `||`, `if` and `match`.
//!
//! A condition known at generation decides which branch exists, as when Rust runs the kernel. For
//! any other condition both branches are recorded.

use super::ops::{eq, Comparable};
use super::record::with_recording;
use super::sym::{Index, Lift, Sym};
use super::word::Word;
use crate::rust_hdl::types::bits_of;
use crate::rust_hdl::Bits;
use lockstep::design::{BinaryOp, CaseArm, CaseStmt, ExprId, ExprOp, Stmt, Type};
use num_bigint::BigUint;
use std::collections::BTreeSet;

fn known(bit: Sym<bool>) -> Option<bool> {
    with_recording(|r| r.known(bit.expr).map(|v| v.bit(0)))
}

fn logical(op: BinaryOp, a: Sym<bool>, b: Sym<bool>) -> Sym<bool> {
    Sym::new(with_recording(|r| r.push(ExprOp::Binary(op, a.expr, b.expr), Type::BIT)))
}

/// Expression `a && b` or `a || b` while it is recorded. The macro writes no closures, because each
/// closure would be compiled as a separate function.
#[doc(hidden)]
pub struct Logical {
    op: BinaryOp,
    first: Sym<bool>,
    /// Value of the first operand for which the second operand matters.
    goes_on: bool,
}

impl Logical {
    fn begin(op: BinaryOp, goes_on: bool, first: Sym<bool>) -> Self {
        Logical { op, first, goes_on }
    }

    /// Whether to evaluate the second operand.
    pub fn goes_on(&self) -> bool {
        known(self.first) != Some(!self.goes_on)
    }

    /// Returns the value, given the second operand if it was evaluated.
    pub fn end(self, second: Option<Sym<bool>>) -> Sym<bool> {
        let Some(second) = second else {
            return self.first;
        };
        if known(self.first).is_some() {
            return second;
        }
        match known(second) {
            Some(bit) if bit == self.goes_on => self.first,
            Some(_) => second,
            None => logical(self.op, self.first, second),
        }
    }
}

/// Starts `a && ..`.
#[doc(hidden)]
#[track_caller]
pub fn and(a: impl Lift<Word = bool>) -> Logical {
    Logical::begin(BinaryOp::And, true, a.lift())
}

/// Starts `a || ..`.
#[doc(hidden)]
#[track_caller]
pub fn or(a: impl Lift<Word = bool>) -> Logical {
    Logical::begin(BinaryOp::Or, false, a.lift())
}

/// Value `if cond { then } else { otherwise }` while it is recorded.
#[doc(hidden)]
pub struct Select {
    cond: ExprId,
    known: Option<bool>,
}

impl Select {
    #[track_caller]
    pub fn begin(cond: impl Lift<Word = bool>) -> Self {
        let cond = cond.lift();
        Select { cond: cond.expr, known: known(cond) }
    }

    /// Whether to evaluate the first value.
    pub fn then(&self) -> bool {
        self.known != Some(false)
    }

    /// Whether to evaluate the second value.
    pub fn otherwise(&self) -> bool {
        self.known != Some(true)
    }

    /// Returns the value, given the values that were evaluated.
    #[track_caller]
    pub fn end<T: Word>(self, then: Option<Sym<T>>, otherwise: Option<Sym<T>>) -> Sym<T> {
        match (then, otherwise) {
            (Some(then), Some(otherwise)) => {
                let ty = super::record::checked_type::<T>();
                Sym::new(mux(self.cond, then.expr, otherwise.expr, ty))
            }
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => unreachable!("one of the values exists"),
        }
    }
}

fn mux(cond: ExprId, then: ExprId, otherwise: ExprId, ty: Type) -> ExprId {
    let op = ExprOp::Mux { cond, then, otherwise };
    with_recording(|r| r.push(op, ty))
}

/// Statement `if` while it is recorded.
#[doc(hidden)]
pub struct Branch {
    cond: ExprId,
    known: Option<bool>,
    then: Vec<Stmt>,
}

impl Branch {
    #[track_caller]
    pub fn begin(cond: impl Lift<Word = bool>) -> Self {
        let cond = cond.lift();
        Branch { cond: cond.expr, known: known(cond), then: vec![] }
    }

    /// Whether to run the first branch.
    pub fn then(&mut self) -> bool {
        if self.known.is_none() {
            with_recording(|r| r.open_list());
        }
        with_recording(|r| r.take(self.known != Some(false)))
    }

    /// Whether to run the second branch.
    pub fn otherwise(&mut self) -> bool {
        if self.known.is_none() {
            with_recording(|r| {
                self.then = r.close_list();
                r.open_list();
            });
        }
        with_recording(|r| r.take(self.known != Some(true)))
    }

    pub fn end(self) {
        if self.known.is_none() {
            with_recording(|r| {
                let otherwise = r.close_list();
                r.statement(Stmt::If { cond: self.cond, then: self.then, otherwise });
            });
        }
    }
}

/// Subject of a `match`, with the type of its patterns.
#[doc(hidden)]
pub trait MatchSubject: Copy {
    type MatchPattern: Copy;
    #[track_caller]
    fn subject(self) -> ExprId;
    #[track_caller]
    fn pattern(pattern: Self::MatchPattern) -> BigUint;
}

impl<T: Word> MatchSubject for Sym<T> {
    type MatchPattern = T;
    fn subject(self) -> ExprId {
        self.expr
    }
    fn pattern(pattern: T) -> BigUint {
        bits_of(pattern)
    }
}

impl MatchSubject for Index {
    type MatchPattern = usize;
    fn subject(self) -> ExprId {
        self.0
    }
    fn pattern(pattern: usize) -> BigUint {
        BigUint::from(pattern)
    }
}

impl<const N: usize> MatchSubject for Bits<N> {
    type MatchPattern = Bits<N>;
    #[track_caller]
    fn subject(self) -> ExprId {
        self.lift().expr
    }
    fn pattern(pattern: Bits<N>) -> BigUint {
        bits_of(pattern)
    }
}

macro_rules! known_subject {
    ($($ty:ty),*) => {$(
        impl MatchSubject for $ty {
            type MatchPattern = $ty;
            fn subject(self) -> ExprId {
                super::sym::literal::<64>(self as u64).expr
            }
            fn pattern(pattern: $ty) -> BigUint {
                BigUint::from(pattern)
            }
        }
    )*};
}

known_subject!(u64, usize, bool);

/// Statement `match` while it is recorded.
#[doc(hidden)]
pub struct Arms<S: MatchSubject> {
    cases: Cases,
    pattern: std::marker::PhantomData<S>,
}

impl<S: MatchSubject> Arms<S> {
    #[track_caller]
    pub fn begin(subject: S) -> Self {
        Arms { cases: Cases::begin(subject.subject()), pattern: std::marker::PhantomData }
    }

    /// Whether to run the arm for these values.
    pub fn arm(&mut self, patterns: &[S::MatchPattern]) -> bool {
        let run = self.cases.arm(values::<S>(patterns));
        with_recording(|r| r.take(run))
    }

    /// Whether to run the arm for all remaining values. If patterns are given, they are these
    /// remaining values.
    pub fn last(&mut self, patterns: &[S::MatchPattern]) -> bool {
        let run = self.cases.last(values::<S>(patterns));
        with_recording(|r| r.take(run))
    }

    pub fn end(self) {
        self.cases.end();
    }
}

fn values<S: MatchSubject>(patterns: &[S::MatchPattern]) -> Vec<BigUint> {
    let mut values = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        values.push(S::pattern(*pattern));
    }
    values
}

/// Values that the arms of a `match` cover so far. Rust never reaches an arm whose values are all
/// covered, nor any arm after the one that covers the last value.
struct Covered {
    taken: BTreeSet<BigUint>,
    /// Greatest value of the subject, from its width.
    max: BigUint,
    /// Number of values of the subject's type.
    count: BigUint,
}

impl Covered {
    fn new(subject: ExprId) -> Self {
        let (max, count) = with_recording(|r| (r.max(subject), r.count(subject)));
        Covered { taken: BTreeSet::new(), max, count }
    }

    /// Whether the subject can still have this value.
    fn is_left(&self, value: &BigUint) -> bool {
        *value <= self.max && !self.taken.contains(value)
    }

    fn take(&mut self, values: &[BigUint]) {
        self.taken.extend(values.iter().cloned());
    }

    /// Whether all values of the subject are covered.
    fn is_full(&self) -> bool {
        BigUint::from(self.taken.len()) >= self.count
    }
}

/// State of [`Arms`], independent of the type of the subject.
struct Cases {
    subject: ExprId,
    known: Option<BigUint>,
    /// For a known subject, whether an arm was run.
    taken: bool,
    covered: Covered,
    arms: Vec<CaseArm>,
    /// Values of the open arm.
    open: Option<Vec<BigUint>>,
    last: bool,
}

impl Cases {
    fn begin(subject: ExprId) -> Self {
        Cases {
            subject,
            known: with_recording(|r| r.value(subject).cloned()),
            taken: false,
            covered: Covered::new(subject),
            arms: vec![],
            open: None,
            last: false,
        }
    }

    fn arm(&mut self, mut values: Vec<BigUint>) -> bool {
        if let Some(known) = &self.known {
            let run = !self.taken && values.contains(known);
            self.taken |= run;
            return run;
        }
        values.retain(|value| self.covered.is_left(value));
        if self.last || values.is_empty() {
            return false;
        }
        self.open(values);
        true
    }

    fn last(&mut self, mut values: Vec<BigUint>) -> bool {
        if self.known.is_some() {
            return !std::mem::replace(&mut self.taken, true);
        }
        if self.last || self.covered.is_full() {
            return false;
        }
        values.retain(|value| self.covered.is_left(value));
        self.open(values);
        self.last = true;
        true
    }

    fn open(&mut self, values: Vec<BigUint>) {
        self.close();
        self.covered.take(&values);
        self.open = Some(values);
        with_recording(|r| r.open_list());
    }

    fn close(&mut self) {
        if let Some(values) = self.open.take() {
            let body = with_recording(|r| r.close_list());
            self.arms.push(CaseArm { values, body });
        }
    }

    fn end(mut self) {
        if self.known.is_some() {
            return;
        }
        self.close();
        // The arm that covers the rest becomes the default for all unlisted values.
        let default = match self.last || self.covered.is_full() {
            true => self.arms.pop(),
            false => None,
        };
        let (default, default_values) =
            default.map_or((vec![], vec![]), |arm| (arm.body, arm.values));
        if self.arms.is_empty() {
            with_recording(|r| default.into_iter().for_each(|stmt| r.statement(stmt)));
            return;
        }
        let case = Stmt::Case(CaseStmt {
            subject: self.subject,
            arms: self.arms,
            default,
            default_values,
        });
        with_recording(|r| r.statement(case));
    }
}

/// Statement `match` with guards while it is recorded, as a chain of conditions.
#[doc(hidden)]
pub struct Guarded<S> {
    subject: S,
    covered: Covered,
    /// Values of the arm whose condition is being built.
    arm: Vec<BigUint>,
}

impl<S: MatchSubject + Comparable<S::MatchPattern>> Guarded<S> {
    #[track_caller]
    pub fn begin(subject: S) -> Self {
        Guarded { subject, covered: Covered::new(subject.subject()), arm: vec![] }
    }

    /// Whether the subject has one of these values, excluding those that an earlier arm covers.
    #[track_caller]
    pub fn pattern(&mut self, patterns: &[S::MatchPattern]) -> Sym<bool> {
        let mut any: Sym<bool> = false.lift();
        self.arm.clear();
        for pattern in patterns {
            let value = S::pattern(*pattern);
            if self.covered.is_left(&value) {
                self.arm.push(value);
                let so_far = or(any);
                let second = so_far.goes_on().then(|| eq(self.subject, *pattern));
                any = so_far.end(second);
            }
        }
        any
    }

    /// Returns the condition of an arm without a guard.
    #[track_caller]
    pub fn plain(&mut self, patterns: &[S::MatchPattern]) -> Sym<bool> {
        let matches = self.pattern(patterns);
        self.takes(matches)
    }

    /// Returns the condition of an arm with a guard. The guard was not evaluated if the subject
    /// cannot have a value of the arm.
    #[track_caller]
    pub fn guarded(&mut self, guard: Option<Sym<bool>>, both: Sym<bool>) -> Sym<bool> {
        match guard.and_then(known) {
            Some(true) => self.takes(both),
            _ => both,
        }
    }

    #[track_caller]
    fn takes(&mut self, condition: Sym<bool>) -> Sym<bool> {
        self.covered.take(&self.arm);
        match self.covered.is_full() && !self.arm.is_empty() {
            true => true.lift(),
            false => condition,
        }
    }
}
