//! Statements of the word-level description.

use super::{ExprId, SignalId};
use num_bigint::BigUint;
use std::fmt;

/// Source location of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Part of a signal: `width` bits from `offset` up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    pub offset: u32,
    pub width: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Assign {
        target: SignalId,
        /// Part to assign, or `None` for the whole signal.
        slice: Option<Slice>,
        /// Value, as wide as the part.
        value: ExprId,
        origin: SourceLocation,
    },
    If {
        /// Condition of one bit.
        cond: ExprId,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Case(CaseStmt),
}

/// Case statement that executes the first arm that lists the value of `subject`, or `default` if
/// there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseStmt {
    pub subject: ExprId,
    pub arms: Vec<CaseArm>,
    pub default: Vec<Stmt>,
    /// Values of the default, if the source names them (the last arm of an exhaustive match). They
    /// are only documentation.
    pub default_values: Vec<BigUint>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    pub values: Vec<BigUint>,
    pub body: Vec<Stmt>,
}
