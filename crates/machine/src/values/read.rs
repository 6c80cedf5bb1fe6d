//! Reads the values of nodes.

use super::{ProgramValue, Values, ValuesError, ValuesProblem};
use crate::bounded;
use interconnect::topology::{number, AddressSpace};
use interconnect::traffic::file::{decode, split, CsvField, TextPosition};
use std::path::Path;

/// Largest file of values in bytes.
pub const VALUES_FILE_MAX: u64 = 1 << 30;

/// Problem and its location.
type LocatedProblem = (Option<TextPosition>, ValuesProblem);

/// Reads a file of values for the nodes with these addresses.
///
/// # Errors
/// If the file cannot be read, or a line is invalid.
pub fn read(path: &Path, addresses: AddressSpace) -> Result<Values, ValuesError> {
    let wrong = |(place, problem)| ValuesError {
        path: path.to_owned(),
        location: place,
        problem,
    };
    let bytes = bounded::read(path, VALUES_FILE_MAX);
    let bytes = bytes.map_err(|error| wrong((None, ValuesProblem::Unreadable(error))))?;
    parse(&bytes, addresses).map_err(wrong)
}

/// Parses values. Each error in a line has its location.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], addresses: AddressSpace) -> Result<Values, LocatedProblem> {
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
    let others = others.map(|(_, values)| values).unwrap_or_default();
    let rows = rows.into_iter();
    Ok(Values(
        rows.map(|row| row.unwrap_or(others.clone())).collect(),
    ))
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
    let wrong = || ValuesProblem::NotAValue {
        found: found.to_owned(),
    };
    if let Some(digits) = found.strip_prefix("bytes:") {
        return bytes(found, digits);
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
    let wrong = || ValuesProblem::NotBytes {
        found: found.to_owned(),
    };
    let nibbles: Option<Vec<u8>> = digits
        .chars()
        .map(|digit| digit.to_digit(16).map(|value| value as u8))
        .collect();
    let nibbles = nibbles.ok_or_else(|| ValuesProblem::NotAValue {
        found: found.to_owned(),
    })?;
    if nibbles.is_empty() || nibbles.len() % 2 == 1 {
        return Err(wrong());
    }
    let bytes: Vec<u8> = nibbles
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect();
    Ok(match bytes[..].try_into() {
        Ok(word) => ProgramValue::Word(u32::from_le_bytes(word)),
        Err(_) => ProgramValue::Bytes(bytes),
    })
}

#[cfg(test)]
mod tests {
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
        let values = parse(text.as_bytes(), addresses()).unwrap().0;
        assert_eq!(values[0], words(&[5, -7i32 as u32, u32::MAX]));
        assert_eq!(values[3][0], ProgramValue::Word(0xFFFF_0000));
        assert_eq!(values[3][1], ProgramValue::Bytes(vec![0x61, 0xFF, 0]));
        assert_eq!(values[4], words(&[9, 0x0403_0201]));
        assert_eq!(values[6], []);
        for node in [1, 2, 5, 7] {
            assert_eq!(values[node], words(&[1, 0x8000_0000]));
        }
        let header = parse(b"node,cell,generations\n1,2,3\n", addresses()).unwrap();
        assert_eq!(header.0[1], words(&[2, 3]));
    }

    #[test]
    fn errors_state_their_location() {
        let wrong = |text: &str| {
            let path = std::path::PathBuf::from("d.csv");
            let (place, problem) = parse(text.as_bytes(), addresses()).unwrap_err();
            ValuesError {
                path,
                location: place,
                problem,
            }
            .to_string()
        };
        for (text, says) in [
            (
                "1,2\nx,3",
                "d.csv:2:1: \"x\" is not a node; accepted: 0x0 to 0x7 (0 to 7), ",
            ),
            (
                "nodes,2",
                "d.csv:1:1: the first line begins with \"nodes\"; accepted: a node, ",
            ),
            ("node,2", "d.csv:1:1: the first line begins with \"node\"; "),
            (
                "\n 8,1",
                "d.csv:2:2: the node 8 (0x8) is outside the 3-cube; accepted: ",
            ),
            (
                "1,2,\n",
                "d.csv:1:5: \"\" is not a value; accepted: -2147483648 to ",
            ),
            ("1,4294967296", "d.csv:1:3: \"4294967296\" is not a value; "),
            (
                "1,-2147483649",
                "d.csv:1:3: \"-2147483649\" is not a value; ",
            ),
            ("1,-0x1", "is not a value; "),
            ("1,1.5", "d.csv:1:3: \"1.5\" is not a value; "),
            (
                "1,bytes:",
                "d.csv:1:3: \"bytes:\" is empty or has an odd number ",
            ),
            ("1,bytes:123", "is empty or has an odd number "),
            ("1,bytes:1g", "is not a value; "),
            ("*,1\n*,2", "d.csv:2:1: * is in a second line, after line 1"),
            ("1,\"2", "d.csv:1:3: the quote is not closed"),
            (
                "# nothing\n",
                "d.csv: holds no node; accepted: lines of node,value",
            ),
        ] {
            let said = wrong(text);
            assert!(said.contains(says), "{text:?}: {said}");
        }
        let (place, _) = parse(b"1,2\n3,\xFF", addresses()).unwrap_err();
        assert_eq!(place, Some(TextPosition { line: 2, column: 3 }));
    }
}
