//! Input values that hosts send to the programs on the nodes, and the values that the programs
//! return. The format is CSV with a node and its values in each line.
//!
//! ```text
//! node,values
//! 0x0,5,-7              # two words of 32 bits
//! 0x3,0xFFFF0000        # the same as -65536
//! 6                     # nothing
//! 7,bytes:61FF00        # a message of three bytes
//! 8,text:hello          # a message of five bytes
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

use crate::bounded;
use interconnect::topology::{number, AddressOutOfRange, AddressSpace};
use interconnect::traffic::file::{decode, split, CsvField, MessageFileProblem, TextPosition};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

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
                bytes.chunks(4).map(|b| ProgramValue::Word(word(b))).collect()
            }
            false => vec![ProgramValue::Bytes(bytes.to_vec())],
        }
    }

    /// Returns the value that one message with these bytes carries.
    fn of_bytes(bytes: &[u8]) -> ProgramValue {
        match bytes.try_into() {
            Ok(word) => ProgramValue::Word(u32::from_le_bytes(word)),
            Err(_) => ProgramValue::Bytes(bytes.to_vec()),
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
                    all.push(ValueDifference { node, position: place, returned, expected });
                    break;
                }
            }
        }
        all
    }
}

// Reads the values of nodes.

/// Largest file of values in bytes.
pub const VALUES_FILE_MAX: u64 = 1 << 30;

/// Problem and its location.
type LocatedProblem = (Option<TextPosition>, ValuesProblem);

/// Values of a file, and the nodes that it does not mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadValues {
    pub values: Values,
    /// Nodes without a line, if there is no line for `*`.
    pub without_line: Vec<u32>,
}

/// Reads a file of values for the nodes with these addresses.
///
/// # Errors
/// If the file cannot be read, or a line is invalid.
pub fn read(path: &Path, addresses: AddressSpace) -> Result<ReadValues, ValuesError> {
    let wrong = |(place, problem)| ValuesError { path: path.to_owned(), location: place, problem };
    let bytes = bounded::read(path, VALUES_FILE_MAX);
    let bytes = bytes.map_err(|error| wrong((None, ValuesProblem::Unreadable(error))))?;
    parse(&bytes, addresses).map_err(wrong)
}

/// Parses values. Each error in a line has its location.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], addresses: AddressSpace) -> Result<ReadValues, LocatedProblem> {
    let mut rows: Vec<Option<Vec<ProgramValue>>> = vec![None; addresses.nodes() as usize];
    // Line number and values of the line for `*`.
    let mut others: Option<(usize, Vec<ProgramValue>)> = None;
    let mut first = true;
    for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let at = |column| Some(TextPosition { line, column });
        let text = decode(text, line == 1).map_err(|(column, p)| (at(column), p.into()))?;
        let fields = split(text).map_err(|(column, p)| (at(column), p.into()))?;
        let Some((head, rest)) = fields.fields.split_first() else {
            continue;
        };
        let was_first = std::mem::take(&mut first);
        if was_first && is_header(head, rest) {
            continue;
        }
        let values = rest.iter().map(|field| {
            let value = value(&field.text);
            value.map_err(|problem| (at(field.column), problem))
        });
        // Checks the node first, because an error there is more informative.
        if head.text == "*" {
            if let Some((line, _)) = others {
                return Err((at(head.column), ValuesProblem::TwoDefaults { line }));
            }
            others = Some((line, values.collect::<Result<_, _>>()?));
            continue;
        }
        let node = node(&head.text, addresses, was_first);
        let node = node.map_err(|problem| (at(head.column), problem))?;
        let row = rows[node as usize].get_or_insert_default();
        for value in values {
            row.push(value?);
        }
    }
    if others.is_none() && rows.iter().all(Option::is_none) {
        return Err((None, ValuesProblem::Empty));
    }
    let is_missing = |row: &Option<_>| row.is_none() && others.is_none();
    let nodes = (0..).zip(&rows);
    let without_line = nodes.filter_map(|(node, row)| is_missing(row).then_some(node));
    let without_line = without_line.collect();
    let others = others.map(|(_, values)| values).unwrap_or_default();
    let rows = rows.into_iter();
    let values = Values(rows.map(|row| row.unwrap_or(others.clone())).collect());
    Ok(ReadValues { values, without_line })
}

fn is_header(head: &CsvField, rest: &[CsvField]) -> bool {
    let word = |field: &CsvField| {
        let letter = |c: char| c.is_ascii_alphabetic();
        field.text.starts_with(letter) && !field.text.contains(':')
    };
    head.text.eq_ignore_ascii_case("node") && rest.iter().all(word)
}

fn node(found: &str, addresses: AddressSpace, first: bool) -> Result<u32, ValuesProblem> {
    let wrong = || {
        let found = found.to_owned();
        match first {
            true => ValuesProblem::NoHeader { found, addresses },
            false => ValuesProblem::NotANode { found, addresses },
        }
    };
    let value = number::parse(found).map_err(|_| wrong())?;
    addresses.address(value).map_err(ValuesProblem::Outside)
}

fn value(found: &str) -> Result<ProgramValue, ValuesProblem> {
    let wrong = || ValuesProblem::NotAValue { found: found.to_owned() };
    if let Some(digits) = found.strip_prefix("bytes:") {
        return bytes(found, digits);
    }
    if let Some(text) = found.strip_prefix("text:").filter(|text| !text.is_empty()) {
        return Ok(ProgramValue::of_bytes(text.as_bytes()));
    }
    let word = match found.strip_prefix('-') {
        Some(digits) => {
            let decimal = !digits.starts_with("0x") && !digits.starts_with("0X");
            let size = number::parse(digits).ok().filter(|_| decimal);
            let size = size.and_then(|size| i64::try_from(size).ok());
            let value = size.and_then(|size| i32::try_from(-size).ok());
            value.map(|value| value as u32)
        }
        None => {
            let value = number::parse(found).ok();
            value.and_then(|value| u32::try_from(value).ok())
        }
    };
    word.map(ProgramValue::Word).ok_or_else(wrong)
}

fn bytes(found: &str, digits: &str) -> Result<ProgramValue, ValuesProblem> {
    let wrong = || ValuesProblem::NotBytes { found: found.to_owned() };
    let nibbles: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let nibbles = nibbles.ok_or_else(|| ValuesProblem::NotAValue { found: found.to_owned() })?;
    if nibbles.is_empty() || nibbles.len() % 2 == 1 {
        return Err(wrong());
    }
    let bytes: Vec<u8> = nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    Ok(ProgramValue::of_bytes(&bytes))
}

/// Writes values with one line per node. [`parse`] returns the same values.
///
/// # Errors
/// If the values cannot be written.
pub fn write(
    out: &mut (impl Write + ?Sized),
    values: &Values,
    addresses: AddressSpace,
) -> io::Result<()> {
    writeln!(out, "node,values")?;
    for (node, values) in (0..).zip(&values.0) {
        write!(out, "{}", addresses.hex(node))?;
        for value in values {
            write!(out, ",{value}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

// Errors in a file of values: the problem, its location, and the accepted form.

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
    NotANode { found: String, addresses: AddressSpace },
    #[error("the first line begins with {found:?}; accepted: a node, {}, *, or the header node,values", addresses.range())]
    NoHeader { found: String, addresses: AddressSpace },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_four_bytes_are_words() {
        let words = [ProgramValue::Word(0x0403_0201), ProgramValue::Word(u32::MAX)];
        let message = [1, 2, 3, 4, 255, 255, 255, 255];
        assert_eq!(ProgramValue::of_message(&message), words);
        let messages: Vec<u8> = words.iter().flat_map(ProgramValue::message).collect();
        assert_eq!(messages, message);
        let bytes = ProgramValue::Bytes(vec![0x61, 0xFF, 0]);
        assert_eq!(ProgramValue::of_message(&[0x61, 0xFF, 0]), std::slice::from_ref(&bytes));
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
        assert_eq!((&fewer.returned, &fewer.expected), (&None, &Some(ProgramValue::Word(6))));
        assert!(returned.differences(&returned, 0).is_empty());
    }
}

#[cfg(test)]
mod read_tests {
    use super::*;
    use interconnect::topology::Hypercube;

    fn addresses() -> AddressSpace {
        Hypercube::new(3).unwrap().into()
    }

    fn words(words: &[u32]) -> Vec<ProgramValue> {
        words.iter().map(|word| ProgramValue::Word(*word)).collect()
    }

    #[test]
    fn each_line_gives_the_values_of_a_node() {
        let text =
            "\u{FEFF}node,values\r\n# a comment\n\n0x0, 5,-7  # two\n3,0xFFFF0000,bytes:61FF00\n\
                    0,4294967295\n6\n*,1,-2147483648\n4,\"9\",bytes:01020304";
        let values = parse(text.as_bytes(), addresses()).unwrap().values.0;
        assert_eq!(values[0], words(&[5, -7i32 as u32, u32::MAX]));
        assert_eq!(values[3][0], ProgramValue::Word(0xFFFF_0000));
        assert_eq!(values[3][1], ProgramValue::Bytes(vec![0x61, 0xFF, 0]));
        assert_eq!(values[4], words(&[9, 0x0403_0201]));
        assert_eq!(values[6], []);
        for node in [1, 2, 5, 7] {
            assert_eq!(values[node], words(&[1, 0x8000_0000]));
        }
        let text = parse(b"1,text:hello,text:abcd,\"text:a,b\"\n", addresses()).unwrap();
        let [hello, abcd, a_b] = &text.values.0[1][..] else {
            panic!("{text:?}");
        };
        assert_eq!(*hello, ProgramValue::Bytes(b"hello".to_vec()));
        assert_eq!(*abcd, ProgramValue::Word(0x6463_6261));
        assert_eq!(*a_b, ProgramValue::Bytes(b"a,b".to_vec()));
        let header = parse(b"node,cell,generations\n1,2,3\n", addresses()).unwrap();
        assert_eq!(header.values.0[1], words(&[2, 3]));
        // Every node has a line, or there is a line for the others.
        assert_eq!(header.without_line, [0, 2, 3, 4, 5, 6, 7]);
        let all = parse(b"1,2\n*,3\n", addresses()).unwrap();
        assert!(all.without_line.is_empty());
    }

    #[test]
    fn errors_state_their_location() {
        let wrong = |text: &str| {
            let path = std::path::PathBuf::from("d.csv");
            let (place, problem) = parse(text.as_bytes(), addresses()).unwrap_err();
            ValuesError { path, location: place, problem }.to_string()
        };
        for (text, says) in [
            ("1,2\nx,3", "d.csv:2:1: \"x\" is not a node; accepted: 0x0 to 0x7 (0 to 7), "),
            ("nodes,2", "d.csv:1:1: the first line begins with \"nodes\"; accepted: a node, "),
            ("node,2", "d.csv:1:1: the first line begins with \"node\"; "),
            ("\n 8,1", "d.csv:2:2: the node 8 (0x8) is outside the 3-cube; accepted: "),
            ("1,2,\n", "d.csv:1:5: \"\" is not a value; accepted: -2147483648 to "),
            ("1,4294967296", "d.csv:1:3: \"4294967296\" is not a value; "),
            ("1,-2147483649", "d.csv:1:3: \"-2147483649\" is not a value; "),
            ("1,-0x1", "is not a value; "),
            ("1,1.5", "d.csv:1:3: \"1.5\" is not a value; "),
            ("1,bytes:", "d.csv:1:3: \"bytes:\" is empty or has an odd number "),
            ("1,bytes:123", "is empty or has an odd number "),
            ("1,bytes:1g", "is not a value; "),
            ("*,1\n*,2", "d.csv:2:1: * is in a second line, after line 1"),
            ("1,\"2", "d.csv:1:3: the quote is not closed"),
            ("# nothing\n", "d.csv: holds no node; accepted: lines of node,value"),
        ] {
            let printed = wrong(text);
            assert!(printed.contains(says), "{text:?}: {printed}");
        }
        let (place, _) = parse(b"1,2\n3,\xFF", addresses()).unwrap_err();
        assert_eq!(place, Some(TextPosition { line: 2, column: 3 }));
    }
}

#[cfg(test)]
mod write_tests {
    use super::*;
    use crate::values::{parse, ProgramValue};
    use interconnect::topology::Hypercube;
    use interconnect::traffic::SplitMix64;

    #[test]
    fn written_values_read_back() {
        let mut random = SplitMix64::new(5);
        let mut value = || match random.below(4) {
            0 => ProgramValue::Bytes(vec![random.below(256) as u8; 1 + random.below(3) as usize]),
            _ => ProgramValue::Word(random.next_u64() as u32),
        };
        let rows = (0..16).map(|node| (0..node % 5).map(|_| value()).collect());
        let values = Values(rows.collect());
        let addresses = Hypercube::new(4).unwrap().into();
        let mut text = vec![];
        write(&mut text, &values, addresses).unwrap();
        assert_eq!(parse(&text, addresses).unwrap().values, values);
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("node,values\n0x0\n0x1,"), "{text}");
    }
}
