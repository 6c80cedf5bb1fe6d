//! Errors in a list of messages, with their positions and the accepted forms.

use super::read::{LINE_MAX, LIST_MAX};
use crate::topology::{AddressOutOfRange, AddressSpace};
use crate::traffic::{MESSAGES_MAX, PAYLOAD_MAX};
use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Error in a file, with its position.
#[derive(Debug, Error)]
pub struct MessageFileError {
    pub path: PathBuf,
    /// Position of the error, or `None` if it concerns the file as a whole.
    pub position: Option<TextPosition>,
    pub problem: MessageFileProblem,
}

/// Position in a text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    pub line: usize,
    pub column: usize,
}

/// Kind of error. The message states the accepted form.
#[derive(Debug, Error)]
pub enum MessageFileProblem {
    #[error("cannot be read: {0}; accepted: a text file, {LINES}")]
    Unreadable(io::Error),
    #[error("the byte 0x{0:02X} is not UTF-8; accepted: text in UTF-8")]
    NotUtf8(u8),
    #[error("holds no message; accepted: {LINES}")]
    Empty,
    #[error("this line is too long; accepted: {LINES}, up to {LINE_MAX} bytes each")]
    LongLine,
    #[error("the list is too long; accepted: up to {LIST_MAX} bytes")]
    LongList,
    #[error("this is one message too many; accepted: lists of up to {MESSAGES_MAX} messages")]
    TooMany,
    #[error("the {column} is missing; accepted: {LINES}")]
    Missing { column: &'static str },
    #[error("{found:?} is one field too many; accepted: {LINES}")]
    Extra { found: String },
    #[error("the quote is not closed; accepted: both quotes of a field on one line")]
    OpenQuote,
    #[error("{found:?} follows the closing quote; accepted: a comma or the end of the line")]
    AfterQuote { found: String },
    #[error("the {column} {found:?} is not a number; accepted: {}, decimal or hexadecimal after 0x", addresses.range())]
    NotANumber {
        column: &'static str,
        found: String,
        addresses: AddressSpace,
    },
    #[error("the first line begins with {found:?}; accepted: a node, {}, or the header source,destination[,payload]", addresses.range())]
    NoHeader {
        found: String,
        addresses: AddressSpace,
    },
    #[error("the {column} {error}")]
    Outside {
        column: &'static str,
        error: AddressOutOfRange,
    },
    /// The number has more than 64 bits.
    #[error("the {column} {found:?} is outside the {addresses}; accepted: {range}", range = addresses.range())]
    FarOutside {
        column: &'static str,
        found: String,
        addresses: AddressSpace,
    },
    #[error("the payload {found:?} has {digits} hex digits; accepted: an even number, two for each byte")]
    OddDigits { found: String, digits: usize },
    #[error(
        "{digit:?} in the payload {found:?} is not a hex digit; accepted: 0 to 9, a to f, A to F"
    )]
    NotHex { found: String, digit: char },
    #[error("the payload has {bytes} bytes; accepted: 0 to {PAYLOAD_MAX}")]
    TooLong { bytes: usize },
}

const LINES: &str = "lines of source,destination[,payload in hex]";

impl fmt::Display for MessageFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(TextPosition { line, column }) = self.position {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.problem)
    }
}
