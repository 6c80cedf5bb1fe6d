//! `&&`, `||`, `if` and `match`.
//!
//! A condition that is known at generation decides which branch exists, as it
//! does when Rust runs the kernel; of any other both branches are recorded.

use super::compare::{eq, Comparable};
use super::record::with;
use super::sym::{Index, Lift, Sym};
use super::word::Word;
use lockstep::design::{BinaryOp, Case, CaseArm, ExprId, Op, Stmt, Type};
use num_bigint::BigUint;

fn known(bit: Sym<bool>) -> Option<bool> {
    with(|r| r.known(bit.expr).map(|v| v.bit(0)))
}

fn logical(op: BinaryOp, a: Sym<bool>, b: Sym<bool>) -> Sym<bool> {
    Sym::new(with(|r| r.push(Op::Binary(op, a.expr, b.expr), Type::BIT)))
}

/// `a && b` or `a || b` while it is recorded. The macro writes no closures, of
/// which each would be a function of its own.
#[doc(hidden)]
pub struct Logical {
    op: BinaryOp,
    first: Sym<bool>,
    /// The value of the first operand at which the second one counts.
    goes_on: bool,
}

impl Logical {
    fn begin(op: BinaryOp, goes_on: bool, first: Sym<bool>) -> Self {
        Logical { op, first, goes_on }
    }

    /// Whether the second operand is to be evaluated.
    pub fn goes_on(&self) -> bool {
        known(self.first) != Some(!self.goes_on)
    }

    /// The value, with the second operand if it was evaluated.
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

/// `a && ..`.
#[doc(hidden)]
#[track_caller]
pub fn and(a: impl Lift<Word = bool>) -> Logical {
    Logical::begin(BinaryOp::And, true, a.lift())
}

/// `a || ..`.
#[doc(hidden)]
#[track_caller]
pub fn or(a: impl Lift<Word = bool>) -> Logical {
    Logical::begin(BinaryOp::Or, false, a.lift())
}

/// `if cond { then } else { otherwise }` as a value, while it is recorded.
#[doc(hidden)]
pub struct Select {
    cond: ExprId,
    known: Option<bool>,
}

impl Select {
    #[track_caller]
    pub fn begin(cond: impl Lift<Word = bool>) -> Self {
        let cond = cond.lift();
        Select {
            cond: cond.expr,
            known: known(cond),
        }
    }

    /// Whether the first value is to be evaluated.
    pub fn then(&self) -> bool {
        self.known != Some(false)
    }

    /// Whether the second value is to be evaluated.
    pub fn otherwise(&self) -> bool {
        self.known != Some(true)
    }

    /// The value, from those that were evaluated.
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
    let op = Op::Mux {
        cond,
        then,
        otherwise,
    };
    with(|r| r.push(op, ty))
}

/// An `if` statement while it is recorded.
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
        Branch {
            cond: cond.expr,
            known: known(cond),
            then: vec![],
        }
    }

    /// Whether the first branch is to be run.
    pub fn then(&mut self) -> bool {
        if self.known.is_none() {
            with(|r| r.open_list());
        }
        with(|r| r.take(self.known != Some(false)))
    }

    /// Whether the second branch is to be run.
    pub fn otherwise(&mut self) -> bool {
        if self.known.is_none() {
            with(|r| {
                self.then = r.close_list();
                r.open_list();
            });
        }
        with(|r| r.take(self.known != Some(true)))
    }

    pub fn end(self) {
        if self.known.is_none() {
            with(|r| {
                let otherwise = r.close_list();
                r.statement(Stmt::If {
                    cond: self.cond,
                    then: self.then,
                    otherwise,
                });
            });
        }
    }
}

/// What can be matched, and the type of its patterns.
#[doc(hidden)]
pub trait Subject: Copy {
    type Pattern: Copy;
    #[track_caller]
    fn subject(self) -> ExprId;
    #[track_caller]
    fn pattern(pattern: Self::Pattern) -> BigUint;
}

impl<T: Word> Subject for Sym<T> {
    type Pattern = T;
    fn subject(self) -> ExprId {
        self.expr
    }
    fn pattern(pattern: T) -> BigUint {
        super::record::bits_of(pattern)
    }
}

impl Subject for Index {
    type Pattern = usize;
    fn subject(self) -> ExprId {
        self.0
    }
    fn pattern(pattern: usize) -> BigUint {
        BigUint::from(pattern)
    }
}

macro_rules! known_subject {
    ($($ty:ty),*) => {$(
        impl Subject for $ty {
            type Pattern = $ty;
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

/// A `match` statement while it is recorded.
#[doc(hidden)]
pub struct Arms<S: Subject> {
    cases: Cases,
    pattern: std::marker::PhantomData<S>,
}

impl<S: Subject> Arms<S> {
    #[track_caller]
    pub fn begin(subject: S) -> Self {
        Arms {
            cases: Cases::begin(subject.subject()),
            pattern: std::marker::PhantomData,
        }
    }

    /// Whether the arm for these values is to be run.
    pub fn arm(&mut self, patterns: &[S::Pattern]) -> bool {
        let run = self.cases.arm(values::<S>(patterns));
        with(|r| r.take(run))
    }

    /// Whether the arm for all other values, which are these if they are named,
    /// is to be run.
    pub fn last(&mut self, patterns: &[S::Pattern]) -> bool {
        let run = self.cases.last(values::<S>(patterns));
        with(|r| r.take(run))
    }

    pub fn end(self) {
        self.cases.end();
    }
}

fn values<S: Subject>(patterns: &[S::Pattern]) -> Vec<BigUint> {
    let mut values = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        values.push(S::pattern(*pattern));
    }
    values
}

/// [`Arms`], whatever the type of the subject.
struct Cases {
    subject: ExprId,
    known: Option<BigUint>,
    taken: bool,
    arms: Vec<CaseArm>,
    /// The values of the arm that is open.
    open: Option<Vec<BigUint>>,
    last: bool,
}

impl Cases {
    fn begin(subject: ExprId) -> Self {
        Cases {
            subject,
            known: with(|r| r.known(subject).cloned()),
            taken: false,
            arms: vec![],
            open: None,
            last: false,
        }
    }

    fn arm(&mut self, values: Vec<BigUint>) -> bool {
        if let Some(known) = &self.known {
            let run = !self.taken && values.contains(known);
            self.taken |= run;
            return run;
        }
        if self.last {
            return false;
        }
        self.close();
        // A value that the subject cannot have by its width selects nothing.
        let max = with(|r| r.max(self.subject));
        self.open = Some(values.into_iter().filter(|v| *v <= max).collect());
        with(|r| r.open_list());
        true
    }

    fn last(&mut self, values: Vec<BigUint>) -> bool {
        if self.known.is_some() {
            return !std::mem::replace(&mut self.taken, true);
        }
        let run = self.arm(values);
        self.last = true;
        run
    }

    fn close(&mut self) {
        if let Some(values) = self.open.take() {
            let body = with(|r| r.close_list());
            self.arms.push(CaseArm { values, body });
        }
    }

    fn end(mut self) {
        if self.known.is_some() {
            return;
        }
        self.close();
        let default = self.arms.pop();
        let (default, default_values) = match default {
            Some(arm) if self.last => (arm.body, arm.values),
            Some(arm) => {
                self.arms.push(arm);
                (vec![], vec![])
            }
            None => (vec![], vec![]),
        };
        self.arms.retain(|arm| !arm.values.is_empty());
        if self.arms.is_empty() {
            with(|r| default.into_iter().for_each(|stmt| r.statement(stmt)));
            return;
        }
        let case = Stmt::Case(Case {
            subject: self.subject,
            arms: self.arms,
            default,
            default_values,
        });
        with(|r| r.statement(case));
    }
}

/// Whether a word has one of these values.
#[doc(hidden)]
#[track_caller]
pub fn is_one_of<S, P>(subject: S, values: &[P]) -> Sym<bool>
where
    S: Comparable<P>,
    P: Copy,
{
    let mut any: Sym<bool> = false.lift();
    for value in values {
        let so_far = or(any);
        let second = so_far.goes_on().then(|| eq(subject, *value));
        any = so_far.end(second);
    }
    any
}
