//! What programs on the nodes are given by their hosts, and what they return: CSV with a
//! node and its values in each line.
//!
//! ```text
//! node,values
//! 0x0,5,-7              # two words of 32 bits
//! 0x3,0xFFFF0000        # the same as -65536
//! 6                     # nothing
//! 7,bytes:61FF00        # a message of three bytes
//! *,1                   # every node that has no line of its own
//! ```
//!
//! * A value is a word: decimal from -2147483648 to 4294967295, or hexadecimal after `0x`. It is
//!   what one `ctrl_recv` takes, and what one `ctrl_send` of 4 bytes gives, low byte first.
//!   Of a longer `ctrl_send` each 4 bytes are a value; one of another length is a value
//!   `bytes:` with its bytes in hex.
//! * Lines of the same node are read as one. Nodes are decimal, or hexadecimal after `0x`.
//! * The header line may be left out; `#` begins a comment; blank lines, and blanks around a
//!   field, do not count.
//!
//! What is written reads back as it was, so what one run returned can be what the next is
//! given, or what is expected of it.

mod error;
mod read;
mod write;

pub use error::{ValuesError, ValuesProblem};
pub use read::{parse, read, VALUES_FILE_MAX};
pub use write::write;

use std::fmt;

/// What a program is given or returns at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A message of 4 bytes, low byte first.
    Word(u32),
    /// A message of another length, 1 at least.
    Bytes(Vec<u8>),
}

impl Value {
    /// The values of a message.
    pub fn of_message(bytes: &[u8]) -> Vec<Value> {
        match bytes.len().is_multiple_of(4) {
            true => {
                let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
                bytes.chunks(4).map(|b| Value::Word(word(b))).collect()
            }
            false => vec![Value::Bytes(bytes.to_vec())],
        }
    }

    /// The message that has it.
    pub fn message(&self) -> Vec<u8> {
        match self {
            Value::Word(word) => word.to_le_bytes().to_vec(),
            Value::Bytes(bytes) => bytes.clone(),
        }
    }

    /// Whether it is this one, or a word that differs by up to `tolerance`; words have signs.
    fn is_near(&self, other: &Value, tolerance: u32) -> bool {
        match (self, other) {
            (Value::Word(a), Value::Word(b)) => {
                (*a as i32).abs_diff(*b as i32) <= tolerance || a == b
            }
            _ => self == other,
        }
    }
}

/// As it stands in a file; words with a sign.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Word(word) => write!(f, "{}", *word as i32),
            Value::Bytes(bytes) => {
                write!(f, "bytes:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
            }
        }
    }
}

/// The values of all nodes, by node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values(pub Vec<Vec<Value>>);

/// A value that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub node: u32,
    /// The place in its values, from 0.
    pub place: usize,
    /// `None`: it returned fewer.
    pub returned: Option<Value>,
    /// `None`: it returned more.
    pub expected: Option<Value>,
}

impl Values {
    /// Nothing, for so many nodes.
    pub fn none(nodes: u32) -> Self {
        Values(vec![vec![]; nodes as usize])
    }

    /// Bytes of the longest message.
    pub fn longest(&self) -> usize {
        let lengths = self.0.iter().flatten().map(|value| value.message().len());
        lengths.max().unwrap_or(0)
    }

    /// The first difference of each node from what is expected; words may differ by
    /// `tolerance`.
    pub fn differences(&self, expected: &Values, tolerance: u32) -> Vec<Difference> {
        let mut all = vec![];
        for (node, (returned, expected)) in (0..).zip(self.0.iter().zip(&expected.0)) {
            for place in 0..returned.len().max(expected.len()) {
                let (returned, expected) = (returned.get(place), expected.get(place));
                let same = match (returned, expected) {
                    (Some(a), Some(b)) => a.is_near(b, tolerance),
                    _ => false,
                };
                if !same {
                    let (returned, expected) = (returned.cloned(), expected.cloned());
                    all.push(Difference {
                        node,
                        place,
                        returned,
                        expected,
                    });
                    break;
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_words_or_bytes() {
        let words = [Value::Word(0x0403_0201), Value::Word(u32::MAX)];
        let message = [1, 2, 3, 4, 255, 255, 255, 255];
        assert_eq!(Value::of_message(&message), words);
        let messages: Vec<u8> = words.iter().flat_map(Value::message).collect();
        assert_eq!(messages, message);
        let bytes = Value::Bytes(vec![0x61, 0xFF, 0]);
        assert_eq!(
            Value::of_message(&[0x61, 0xFF, 0]),
            std::slice::from_ref(&bytes)
        );
        assert_eq!(bytes.to_string(), "bytes:61FF00");
        assert_eq!(words[1].to_string(), "-1");
    }

    #[test]
    fn the_first_difference_of_each_node_is_found() {
        let values = |rows: &[&[u32]]| {
            let row = |row: &&[u32]| row.iter().map(|word| Value::Word(*word)).collect();
            Values(rows.iter().map(row).collect())
        };
        let returned = values(&[&[1, 2], &[5], &[], &[7, 8], &[u32::MAX]]);
        let expected = values(&[&[1, 2], &[5, 6], &[1], &[9, 9], &[1]]);
        let found = |tolerance| {
            let found = returned.differences(&expected, tolerance);
            let places = found.iter().map(|d| (d.node, d.place));
            places.collect::<Vec<_>>()
        };
        assert_eq!(found(0), [(1, 1), (2, 0), (3, 0), (4, 0)]);
        // -1 and 1 are 2 apart.
        assert_eq!(found(1), [(1, 1), (2, 0), (3, 0), (4, 0)]);
        assert_eq!(found(2), [(1, 1), (2, 0)]);
        let fewer = &returned.differences(&expected, 0)[0];
        assert_eq!(
            (&fewer.returned, &fewer.expected),
            (&None, &Some(Value::Word(6)))
        );
        assert!(returned.differences(&returned, 0).is_empty());
    }
}
