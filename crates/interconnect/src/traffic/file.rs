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
//!   [`MESSAGES_MAX`](super::MESSAGES_MAX) messages.

mod error;
mod fields;
mod read;
mod write;

pub use error::{MessageFileError, MessageFileProblem, TextPosition};
pub use fields::{split, CsvField};
pub use read::decode;
pub use read::{parse, read, LINE_MAX, LIST_MAX};
pub use write::write;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    pub source: u32,
    pub destination: u32,
    /// Payload, or `None` if the line has no such field.
    pub payload: Option<Vec<u8>>,
}
