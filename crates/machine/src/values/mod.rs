//! Input values that hosts send to the programs on the nodes, and the values that the programs
//! return. The format is CSV with a node and its values in each line.
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
//! * A value is a word: decimal from -2147483648 to 4294967295, or hexadecimal after `0x`. One
//!   `ctrl_recv` takes one word. One `ctrl_send` of 4 bytes returns one word, low byte first. A
//!   longer `ctrl_send` returns one word for each 4 bytes. A `ctrl_send` whose length is no
//!   multiple of 4 returns one value `bytes:` with its bytes in hex.
//! * Several lines of the same node are joined. Nodes are decimal, or hexadecimal after `0x`.
//! * The header line is optional. `#` begins a comment. Blank lines, and blanks around a field, are
//!   ignored.
//!
//! A written file reads back unchanged. The results of one run can therefore be the input or the
//! expected results of the next run.

mod error;
mod read;
mod write;

pub use error::{ValuesError, ValuesProblem};
pub use read::{parse, read, VALUES_FILE_MAX};
pub use write::write;

use std::fmt;

/// Value that a program receives or returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramValue {
    /// Message of 4 bytes, low byte first.
    Word(u32),
    /// Message of another length, at least 1 byte.
    Bytes(Vec<u8>),
}

impl ProgramValue {
    /// Returns the values of a message.
    pub fn of_message(bytes: &[u8]) -> Vec<ProgramValue> {
        match bytes.len().is_multiple_of(4) {
            true => {
                let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
                bytes
                    .chunks(4)
                    .map(|b| ProgramValue::Word(word(b)))
                    .collect()
            }
            false => vec![ProgramValue::Bytes(bytes.to_vec())],
        }
    }

    /// Returns the message that carries the value.
    pub fn message(&self) -> Vec<u8> {
        match self {
            ProgramValue::Word(word) => word.to_le_bytes().to_vec(),
            ProgramValue::Bytes(bytes) => bytes.clone(),
        }
    }

    /// Whether both values are equal, or are words that differ by at most `tolerance`. Words are
    /// signed.
    fn is_near(&self, other: &ProgramValue, tolerance: u32) -> bool {
        match (self, other) {
            (ProgramValue::Word(a), ProgramValue::Word(b)) => {
                (*a as i32).abs_diff(*b as i32) <= tolerance || a == b
            }
            _ => self == other,
        }
    }
}

/// Formats the value as in a file, with words signed.
impl fmt::Display for ProgramValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramValue::Word(word) => write!(f, "{}", *word as i32),
            ProgramValue::Bytes(bytes) => {
                write!(f, "bytes:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
            }
        }
    }
}

/// Values of all nodes, indexed by node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values(pub Vec<Vec<ProgramValue>>);

/// Returned value that differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDifference {
    pub node: u32,
    /// Position among the values of the node, from 0.
    pub position: usize,
    /// Returned value; `None` if the node returned fewer values.
    pub returned: Option<ProgramValue>,
    /// Expected value; `None` if the node returned more values.
    pub expected: Option<ProgramValue>,
}

impl Values {
    /// Returns no values for `nodes` nodes.
    pub fn none(nodes: u32) -> Self {
        Values(vec![vec![]; nodes as usize])
    }

    /// Returns the length of the longest message in bytes.
    pub fn longest(&self) -> usize {
        let lengths = self.0.iter().flatten().map(|value| value.message().len());
        lengths.max().unwrap_or(0)
    }

    /// Returns the first difference of each node from the expected values. Words may differ by
    /// `tolerance`.
    pub fn differences(&self, expected: &Values, tolerance: u32) -> Vec<ValueDifference> {
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
                    all.push(ValueDifference {
                        node,
                        position: place,
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
    fn messages_of_four_bytes_are_words() {
        let words = [
            ProgramValue::Word(0x0403_0201),
            ProgramValue::Word(u32::MAX),
        ];
        let message = [1, 2, 3, 4, 255, 255, 255, 255];
        assert_eq!(ProgramValue::of_message(&message), words);
        let messages: Vec<u8> = words.iter().flat_map(ProgramValue::message).collect();
        assert_eq!(messages, message);
        let bytes = ProgramValue::Bytes(vec![0x61, 0xFF, 0]);
        assert_eq!(
            ProgramValue::of_message(&[0x61, 0xFF, 0]),
            std::slice::from_ref(&bytes)
        );
        assert_eq!(bytes.to_string(), "bytes:61FF00");
        assert_eq!(words[1].to_string(), "-1");
    }

    #[test]
    fn differences_lists_the_first_of_each_node() {
        let values = |rows: &[&[u32]]| {
            let row = |row: &&[u32]| row.iter().map(|word| ProgramValue::Word(*word)).collect();
            Values(rows.iter().map(row).collect())
        };
        let returned = values(&[&[1, 2], &[5], &[], &[7, 8], &[u32::MAX]]);
        let expected = values(&[&[1, 2], &[5, 6], &[1], &[9, 9], &[1]]);
        let found = |tolerance| {
            let found = returned.differences(&expected, tolerance);
            let places = found.iter().map(|d| (d.node, d.position));
            places.collect::<Vec<_>>()
        };
        assert_eq!(found(0), [(1, 1), (2, 0), (3, 0), (4, 0)]);
        // -1 and 1 are 2 apart.
        assert_eq!(found(1), [(1, 1), (2, 0), (3, 0), (4, 0)]);
        assert_eq!(found(2), [(1, 1), (2, 0)]);
        let fewer = &returned.differences(&expected, 0)[0];
        assert_eq!(
            (&fewer.returned, &fewer.expected),
            (&None, &Some(ProgramValue::Word(6)))
        );
        assert!(returned.differences(&returned, 0).is_empty());
    }
}
