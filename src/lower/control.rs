//! `&&`, `||`, `if` and `match`.
//!
//! A condition that is known at generation decides which branch exists, as it
//! does when Rust runs the kernel; of any other both branches are recorded.

use super::compare::{eq, Comparable};
use super::record::with;
use super::sym::{Index, Lift, Sym};
use lockstep::rtl::{BinaryOp, Case, CaseArm, ExprId, Op, Stmt, Type};
use num_bigint::BigUint;
use rust_hdl::prelude::Synth;

fn known(bit: Sym<bool>) -> Option<bool> {
    with(|r| r.known(bit.expr).map(|v| v.bit(0)))
}

fn logical(op: BinaryOp, a: Sym<bool>, b: Sym<bool>) -> Sym<bool> {
    Sym::new(with(|r| r.push(Op::Binary(op, a.expr, b.expr), Type::BIT)))
}

/// `a && b`.
#[doc(hidden)]
#[track_caller]
pub fn and<A, B>(a: A, b: impl FnOnce() -> B) -> Sym<bool>
where
    A: Lift<Word = bool>,
    B: Lift<Word = bool>,
{
    let a = a.lift();
    match known(a) {
        Some(false) => a,
        Some(true) => b().lift(),
        None => {
            let b = b().lift();
            match known(b) {
                Some(true) => a,
                Some(false) => b,
                None => logical(BinaryOp::And, a, b),
            }
        }
    }
}

/// `a || b`.
#[doc(hidden)]
#[track_caller]
pub fn or<A, B>(a: A, b: impl FnOnce() -> B) -> Sym<bool>
where
    A: Lift<Word = bool>,
    B: Lift<Word = bool>,
{
    let a = a.lift();
    match known(a) {
        Some(true) => a,
        Some(false) => b().lift(),
        None => {
            let b = b().lift();
            match known(b) {
                Some(false) => a,
                Some(true) => b,
                None => logical(BinaryOp::Or, a, b),
            }
        }
    }
}

/// `if cond { then } else { otherwise }` as a value.
#[doc(hidden)]
#[track_caller]
pub fn select<C, A, B>(
    cond: C,
    then: impl FnOnce() -> A,
    otherwise: impl FnOnce() -> B,
) -> Sym<A::Word>
where
    C: Lift<Word = bool>,
    A: Lift,
    B: Lift<Word = A::Word>,
{
    let cond = cond.lift();
    match known(cond) {
        Some(true) => then().lift(),
        Some(false) => otherwise().lift(),
        None => {
            let (then, otherwise) = (then().lift().expr, otherwise().lift().expr);
            let ty = super::record::checked_type::<A::Word>();
            let cond = cond.expr;
            Sym::new(with(|r| {
                r.push(
                    Op::Mux {
                        cond,
                        then,
                        otherwise,
                    },
                    ty,
                )
            }))
        }
    }
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
        self.known != Some(false)
    }

    /// Whether the second branch is to be run.
    pub fn otherwise(&mut self) -> bool {
        if self.known.is_none() {
            with(|r| {
                self.then = r.close_list();
                r.open_list();
            });
        }
        self.known != Some(true)
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

impl<T: Synth> Subject for Sym<T> {
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
    subject: ExprId,
    known: Option<BigUint>,
    taken: bool,
    arms: Vec<CaseArm>,
    /// The values of the arm that is open.
    open: Option<Vec<BigUint>>,
    last: bool,
    pattern: std::marker::PhantomData<S>,
}

impl<S: Subject> Arms<S> {
    #[track_caller]
    pub fn begin(subject: S) -> Self {
        let subject = subject.subject();
        Arms {
            subject,
            known: with(|r| r.known(subject).cloned()),
            taken: false,
            arms: vec![],
            open: None,
            last: false,
            pattern: std::marker::PhantomData,
        }
    }

    /// Whether the arm for these values is to be run.
    pub fn arm(&mut self, patterns: &[S::Pattern]) -> bool {
        let values: Vec<BigUint> = patterns.iter().map(|p| S::pattern(*p)).collect();
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

    /// Whether the arm for all other values, which are these if they are named,
    /// is to be run.
    pub fn last(&mut self, patterns: &[S::Pattern]) -> bool {
        if self.known.is_some() {
            return !std::mem::replace(&mut self.taken, true);
        }
        let run = self.arm(patterns);
        self.last = true;
        run
    }

    fn close(&mut self) {
        if let Some(values) = self.open.take() {
            let body = with(|r| r.close_list());
            self.arms.push(CaseArm { values, body });
        }
    }

    pub fn end(mut self) {
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
        any = or(any, || eq(subject, *value));
    }
    any
}
