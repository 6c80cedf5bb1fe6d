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
//! * Nodes are decimal, or hexadecimal after `0x`; a payload is pairs of hex
//!   digits, an `0x` before them is allowed.
//! * The header line may be left out. A first line is taken for a header only if
//!   it has these names, so a misspelt number never passes for one.
//! * `#` begins a comment that ends with its line; blank lines are skipped;
//!   blanks around a field do not count; a field may stand in double quotes, but
//!   must end on its line.
//! * A line has up to [`LINE_MAX`] bytes, a list up to [`LIST_MAX`], and
//!   [`MESSAGES_MAX`](super::MESSAGES_MAX) messages.

mod error;
mod fields;
mod read;
mod write;

pub use error::{FileError, Place, Problem};
pub use fields::{split, Field};
pub use read::decode;
pub use read::{parse, read, LINE_MAX, LIST_MAX};
pub use write::write;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub source: u32,
    pub destination: u32,
    /// `None` if the line has no such field.
    pub payload: Option<Vec<u8>>,
}
