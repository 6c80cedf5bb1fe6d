//! Reading a list line by line, because a device or a pipe may have no end.

use super::super::file;
use super::{CsvField, MessageFileError, MessageFileProblem, MessageRecord, TextPosition};
use crate::topology::number::{self, NumberError};
use crate::topology::AddressSpace;
use crate::traffic::{MESSAGES_MAX, PAYLOAD_MAX};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Maximum length of a line in bytes, including its comment.
pub const LINE_MAX: usize = 4096;

/// Maximum length of a list in bytes. The limit leaves room for [`MESSAGES_MAX`] messages with the
/// longest payloads, and for comments.
pub const LIST_MAX: u64 = 4 << 30;

type PositionedProblem = (Option<TextPosition>, MessageFileProblem);

/// Reads the list in a file, and passes up to [`MESSAGES_MAX`] messages to `each`.
pub fn read(
    path: &Path,
    addresses: AddressSpace,
    each: impl FnMut(MessageRecord),
) -> Result<(), MessageFileError> {
    let wrong =
        |(place, problem)| MessageFileError { path: path.to_owned(), position: place, problem };
    let unreadable = |error| wrong((None, MessageFileProblem::Unreadable(error)));
    let file = File::open(path).map_err(unreadable)?;
    parse_with(&mut BufReader::new(file), addresses, MESSAGES_MAX, each).map_err(wrong)
}

/// Parses a list. Every error in a line includes its position.
pub fn parse(
    bytes: &[u8],
    addresses: AddressSpace,
) -> Result<Vec<MessageRecord>, PositionedProblem> {
    let mut records = Vec::new();
    parse_with(&mut &*bytes, addresses, MESSAGES_MAX, |record| records.push(record))?;
    Ok(records)
}

/// Parses up to `most` messages.
fn parse_with(
    input: &mut impl BufRead,
    addresses: AddressSpace,
    most: u64,
    mut each: impl FnMut(MessageRecord),
) -> Result<(), PositionedProblem> {
    let (mut line, mut records, mut read) = (Vec::new(), 0, 0);
    let mut first = true;
    for number in 1.. {
        line.clear();
        let limit = LINE_MAX as u64 + 1;
        let length = input.take(limit).read_until(b'\n', &mut line);
        let length = length.map_err(|error| (None, MessageFileProblem::Unreadable(error)))?;
        if length == 0 {
            break;
        }
        read += length as u64;
        let at = |(column, problem)| {
            let line = number;
            (Some(TextPosition { line, column }), problem)
        };
        if length > LINE_MAX {
            return Err(at((1, MessageFileProblem::LongLine)));
        }
        if read > LIST_MAX {
            return Err(at((1, MessageFileProblem::LongList)));
        }
        let text = decode(&line, number == 1).map_err(at)?;
        let file::CsvFields { fields, end } = file::split(text).map_err(at)?;
        if fields.is_empty() {
            continue;
        }
        if !(first && is_header(&fields)) {
            if records == most {
                return Err(at((1, MessageFileProblem::TooMany)));
            }
            records += 1;
            each(record(&fields, end, first, addresses).map_err(at)?);
        }
        first = false;
    }
    match records {
        0 => Err((None, MessageFileProblem::Empty)),
        _ => Ok(()),
    }
}

/// Decodes a line without its line end. The first line may start with the byte order mark of
/// spreadsheets, which is removed. An error includes its column.
pub fn decode(line: &[u8], first: bool) -> Result<&str, (usize, MessageFileProblem)> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mark = "\u{FEFF}".as_bytes();
    let line = match line.strip_prefix(mark) {
        Some(rest) if first => rest,
        _ => line,
    };
    std::str::from_utf8(line).map_err(|error| {
        let (valid, rest) = line.split_at(error.valid_up_to());
        let column = String::from_utf8_lossy(valid).chars().count() + 1;
        (column, MessageFileProblem::NotUtf8(rest[0]))
    })
}

fn is_header(fields: &[CsvField]) -> bool {
    let named = |index: usize, name: &str| {
        let field: Option<&CsvField> = fields.get(index);
        field.is_some_and(|field| field.text.eq_ignore_ascii_case(name))
    };
    let payload = ["payload", "payload hex", "payload_hex"];
    named(0, "source")
        && named(1, "destination")
        && (fields.len() == 2
            || fields.len() == 3 && payload.into_iter().any(|name| named(2, name)))
}

fn record(
    fields: &[CsvField],
    end: usize,
    first: bool,
    addresses: AddressSpace,
) -> Result<MessageRecord, (usize, MessageFileProblem)> {
    if let Some(extra) = fields.get(3) {
        let found = extra.text.clone().into_owned();
        return Err((extra.column, MessageFileProblem::Extra { found }));
    }
    let source = node(fields.first(), "source", end, addresses).map_err(|error| match error {
        (column, MessageFileProblem::NotANumber { found, addresses, .. }) if first => {
            (column, MessageFileProblem::NoHeader { found, addresses })
        }
        error => error,
    })?;
    Ok(MessageRecord {
        source,
        destination: node(fields.get(1), "destination", end, addresses)?,
        payload: fields
            .get(2)
            .map(|field| payload(&field.text).map_err(|problem| (field.column, problem)))
            .transpose()?,
    })
}

fn node(
    field: Option<&CsvField>,
    column: &'static str,
    end: usize,
    addresses: AddressSpace,
) -> Result<u32, (usize, MessageFileProblem)> {
    let Some(field) = field else {
        return Err((end, MessageFileProblem::Missing { column }));
    };
    let found = field.text.as_ref();
    let problem = match number::parse(found) {
        Ok(value) => match addresses.address(value) {
            Ok(node) => return Ok(node),
            Err(error) => MessageFileProblem::Outside { column, error },
        },
        Err(NumberError::NotANumber(_)) if found.is_empty() => {
            MessageFileProblem::Missing { column }
        }
        Err(NumberError::NotANumber(found)) => {
            MessageFileProblem::NotANumber { column, found, addresses }
        }
        Err(NumberError::TooLarge(found)) => {
            MessageFileProblem::FarOutside { column, found, addresses }
        }
    };
    Err((field.column, problem))
}

fn payload(found: &str) -> Result<Vec<u8>, MessageFileProblem> {
    let digits = found.strip_prefix("0x").or(found.strip_prefix("0X")).unwrap_or(found);
    let nibbles = digits
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .map(|value| value as u8)
                .ok_or_else(|| MessageFileProblem::NotHex { found: found.to_owned(), digit })
        })
        .collect::<Result<Vec<u8>, MessageFileProblem>>()?;
    if nibbles.len() % 2 == 1 {
        return Err(MessageFileProblem::OddDigits {
            found: found.to_owned(),
            digits: nibbles.len(),
        });
    }
    let bytes: Vec<u8> = nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    if bytes.len() > PAYLOAD_MAX {
        return Err(MessageFileProblem::TooLong { bytes: bytes.len() });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
