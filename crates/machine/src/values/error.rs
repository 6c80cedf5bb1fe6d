//! Errors in a file of values: the problem, its location, and the accepted form.

use super::VALUES_FILE_MAX;
use interconnect::topology::{AddressOutOfRange, AddressSpace};
use interconnect::traffic::file::{MessageFileProblem, TextPosition};
use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Problem in a file, and its location.
#[derive(Debug, Error)]
pub struct ValuesError {
    pub path: PathBuf,
    /// Location; `None` if the problem concerns the whole file.
    pub location: Option<TextPosition>,
    pub problem: ValuesProblem,
}

/// Problem. Its message says what is accepted.
#[derive(Debug, Error)]
pub enum ValuesProblem {
    #[error(
        "cannot be read: {0}; accepted: a text file of up to {VALUES_FILE_MAX} bytes, {LINES}"
    )]
    Unreadable(io::Error),
    #[error("holds no node; accepted: {LINES}")]
    Empty,
    #[error(transparent)]
    Line(#[from] MessageFileProblem),
    #[error("{found:?} is not a node; accepted: {}, decimal or hexadecimal after 0x, or * for all others", addresses.range())]
    NotANode {
        found: String,
        addresses: AddressSpace,
    },
    #[error("the first line begins with {found:?}; accepted: a node, {}, *, or the header node,values", addresses.range())]
    NoHeader {
        found: String,
        addresses: AddressSpace,
    },
    #[error("the node {0}")]
    Outside(AddressOutOfRange),
    #[error("* is in a second line, after line {line}; accepted: one line for all nodes without their own")]
    TwoDefaults { line: usize },
    #[error("{found:?} is not a value; accepted: -2147483648 to 4294967295, 0x0 to 0xFFFFFFFF, or bytes: and pairs of hex digits")]
    NotAValue { found: String },
    #[error("{found:?} is empty or has an odd number of hex digits; accepted: bytes: and two hex digits for each byte")]
    NotBytes { found: String },
}

const LINES: &str = "lines of node,value,value,..";

impl fmt::Display for ValuesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(TextPosition { line, column }) = self.location {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.problem)
    }
}
