//! The statements of the word-level description.

use super::{ExprId, SignalId};
use num_bigint::BigUint;
use std::fmt;

/// Where in the source a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A part of a signal: `width` bits from `offset` up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    pub offset: u32,
    pub width: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Assign {
        target: SignalId,
        /// The part that is assigned; `None` for all of it.
        slice: Option<Slice>,
        /// As wide as the part.
        value: ExprId,
        origin: Origin,
    },
    If {
        /// One bit.
        cond: ExprId,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Case(Case),
}

/// The first arm that has the value of `subject` among its values is executed,
/// and if there is none, `default`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub subject: ExprId,
    pub arms: Vec<CaseArm>,
    pub default: Vec<Stmt>,
    /// The values that the default stands for, if the source names them (the
    /// last arm of an exhaustive match); for the reader.
    pub default_values: Vec<BigUint>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    pub values: Vec<BigUint>,
    pub body: Vec<Stmt>,
}
