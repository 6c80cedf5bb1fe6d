//! Lists of messages as text: CSV with the columns source, destination and,
//! optionally, payload.
//!
//! ```text
//! source,destination,payload
//! 0x2A3,0x91C,DEADBEEF    # four bytes, the first is 0xDE
//! 7,8                     # no payload column: the reader of the list draws one
//! 7,9,                    # an empty payload
//! ```
//!
//! * Nodes are decimal, or hexadecimal after `0x`. A payload is pairs of hex digits, with an
//!   optional `0x` prefix.
//! * The header line is optional. A first line is a header only if it has these names, so a
//!   mistyped number is never taken for a header.
//! * `#` begins a comment that ends with its line. Blank lines are skipped. Blanks around a field
//!   are ignored. A field may be in double quotes, but must end on its line.
//! * A line has up to [`LINE_MAX`] bytes. A list has up to [`LIST_MAX`] bytes and
//!   [`MESSAGES_MAX`] messages.

mod read;

use crate::topology::{AddressOutOfRange, AddressSpace};
use crate::traffic::{MessageList, MESSAGES_MAX, PAYLOAD_MAX};
pub use read::{decode, parse, read, LINE_MAX, LIST_MAX};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use thiserror::Error;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    pub source: u32,
    pub destination: u32,
    /// Payload, or `None` if the line has no such field.
    pub payload: Option<Vec<u8>>,
}

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
    NotANumber { column: &'static str, found: String, addresses: AddressSpace },
    #[error("the first line begins with {found:?}; accepted: a node, {}, or the header source,destination[,payload]", addresses.range())]
    NoHeader { found: String, addresses: AddressSpace },
    #[error("the {column} {error}")]
    Outside { column: &'static str, error: AddressOutOfRange },
    /// The number has more than 64 bits.
    #[error("the {column} {found:?} is outside the {addresses}; accepted: {range}", range = addresses.range())]
    FarOutside { column: &'static str, found: String, addresses: AddressSpace },
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

/// Writes a list so that [`parse`] reads back the same list.
pub fn write(
    out: &mut (impl Write + ?Sized),
    messages: &MessageList,
    addresses: AddressSpace,
) -> io::Result<()> {
    writeln!(out, "source,destination,payload")?;
    for message in messages.iter() {
        let source = addresses.hex(message.source);
        let destination = addresses.hex(message.destination);
        write!(out, "{source},{destination},")?;
        for byte in message.payload {
            write!(out, "{byte:02X}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

// Splits a line of a list into its fields.

/// A field and the column of its first character, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct CsvField<'a> {
    pub text: Cow<'a, str>,
    pub column: usize,
}

/// Fields of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct CsvFields<'a> {
    /// Empty for a blank line and for one that is only a comment.
    pub fields: Vec<CsvField<'a>>,
    /// Column after the last field, where another field would begin.
    pub end: usize,
}

/// Splits a line. An error includes its column.
pub fn split(line: &str) -> Result<CsvFields<'_>, (usize, MessageFileProblem)> {
    let mut cursor = Cursor { rest: line, column: 1 };
    let mut fields = Vec::new();
    loop {
        cursor.skip_blanks();
        let column = cursor.column;
        let text = if cursor.rest.starts_with('"') {
            Cow::Owned(cursor.quoted()?)
        } else {
            Cow::Borrowed(cursor.plain())
        };
        let end = cursor.column;
        cursor.skip_blanks();
        let more = cursor.rest.starts_with(',');
        if more || !fields.is_empty() || end > column {
            fields.push(CsvField { text, column });
        }
        if !more {
            return Ok(CsvFields { fields, end });
        }
        cursor.advance(1);
    }
}

/// Remaining text of a line, and the column at which it begins.
struct Cursor<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Cursor<'a> {
    /// Consumes the next `bytes` bytes.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.column += taken.chars().count();
        taken
    }

    fn skip_blanks(&mut self) {
        self.advance(self.rest.len() - self.rest.trim_start().len());
    }

    /// Parses a field without quotes: up to a comma, a comment or the end, without trailing blanks.
    fn plain(&mut self) -> &'a str {
        let end = self.rest.find([',', '#']).unwrap_or(self.rest.len());
        let length = self.rest[..end].trim_end().len();
        self.advance(length)
    }

    /// Parses a field in quotes. A doubled quote inside represents one quote.
    fn quoted(&mut self) -> Result<String, (usize, MessageFileProblem)> {
        let start = self.column;
        let mut text = String::new();
        self.advance(1);
        loop {
            let Some(length) = self.rest.find('"') else {
                return Err((start, MessageFileProblem::OpenQuote));
            };
            text += self.advance(length);
            self.advance(1);
            if !self.rest.starts_with('"') {
                break;
            }
            text += self.advance(1);
        }
        let mut after = Cursor { ..*self };
        after.skip_blanks();
        let column = after.column;
        match after.plain() {
            "" => Ok(text),
            found => {
                let found = found.to_owned();
                Err((column, MessageFileProblem::AfterQuote { found }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;
    use crate::traffic::file::parse;
    use crate::traffic::Message;

    fn text(messages: &[Message], addresses: AddressSpace) -> String {
        let mut text = Vec::new();
        write(&mut text, &messages.into(), addresses).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn addresses_and_payloads_are_written_in_hex() {
        let messages = [
            Message { source: 0x2A3, destination: 5, payload: vec![0xDE, 0x0D] },
            Message { source: 1, destination: 1, payload: Vec::new() },
        ];
        assert_eq!(
            text(&messages, Hypercube::new(12).unwrap().into()),
            "source,destination,payload\n0x2A3,0x005,DE0D\n0x001,0x001,\n"
        );
    }

    #[test]
    fn message_file_round_trip() {
        for (payload, pattern) in [(0, "random"), (1, "complement"), (78, "relation:2")] {
            let recipe = crate::traffic::Recipe {
                pattern: pattern.parse().unwrap(),
                seed: 3,
                payload,
                order: Default::default(),
            };
            let cube = AddressSpace::from(Hypercube::new(5).unwrap());
            let messages = recipe.messages(cube).unwrap();
            let back: Vec<Message> = parse(text(&messages, cube).as_bytes(), cube)
                .unwrap()
                .into_iter()
                .map(|record| Message {
                    source: record.source,
                    destination: record.destination,
                    payload: record.payload.unwrap(),
                })
                .collect();
            assert_eq!(back, messages);
        }
    }
}

#[cfg(test)]
mod fields_tests {
    use super::*;

    fn cut(line: &str) -> Vec<(String, usize)> {
        let fields = split(line).unwrap().fields;
        fields.into_iter().map(|field| (field.text.into_owned(), field.column)).collect()
    }

    fn fields(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
        expected.iter().map(|&(text, column)| (text.to_owned(), column)).collect()
    }

    #[test]
    fn fields_are_separated_by_commas() {
        assert_eq!(cut("1,0x2,AB"), fields(&[("1", 1), ("0x2", 3), ("AB", 7)]));
        assert_eq!(cut(" 1 ,\t2 "), fields(&[("1", 2), ("2", 6)]));
        assert_eq!(cut("1,"), fields(&[("1", 1), ("", 3)]));
        assert_eq!(cut(",,"), fields(&[("", 1), ("", 2), ("", 3)]));
        assert_eq!(cut("é,2"), fields(&[("é", 1), ("2", 3)]));
        assert_eq!(cut("1 2"), fields(&[("1 2", 1)]));
    }

    #[test]
    fn blank_lines_and_comments_have_no_fields() {
        for line in ["", "  \t", "# 1,2", "  #"] {
            assert_eq!(cut(line), fields(&[]));
        }
        assert_eq!(cut("1,2 # 3,4"), fields(&[("1", 1), ("2", 3)]));
        assert_eq!(cut("1,2,#"), fields(&[("1", 1), ("2", 3), ("", 5)]));
    }

    #[test]
    fn a_quoted_field_may_contain_commas_and_quotes() {
        assert_eq!(cut("\"1\", \"2\" ,3"), fields(&[("1", 1), ("2", 6), ("3", 11)]));
        assert_eq!(cut("\"a,#b\",\"\"#"), fields(&[("a,#b", 1), ("", 8)]));
        assert_eq!(cut("\"\"\"x\"\"\""), fields(&[("\"x\"", 1)]));
    }

    #[test]
    fn an_unclosed_quote_is_rejected_with_its_column() {
        assert!(matches!(split("1,\"2"), Err((3, MessageFileProblem::OpenQuote))));
        match split("1,\"2\" x,3") {
            Err((7, MessageFileProblem::AfterQuote { found })) => assert_eq!(found, "x"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_end_column_follows_the_last_field() {
        for (line, end) in [("5", 2), ("5  # x", 2), ("5,", 3), ("5,\"6\" ", 6)] {
            assert_eq!(split(line).unwrap().end, end);
        }
    }
}
