use super::fields::{self, Field};
use super::{FileError, Place, Problem, Record};
use crate::topology::number::{self, NumberError};
use crate::topology::Hypercube;
use crate::traffic::PAYLOAD_MAX;
use std::fs;
use std::path::Path;

/// Reads the list in a file.
pub fn read(path: &Path, cube: Hypercube) -> Result<Vec<Record>, FileError> {
    let whole = |problem| FileError {
        path: path.to_owned(),
        place: None,
        problem,
    };
    let bytes = fs::read(path).map_err(|error| whole(Problem::Unreadable(error)))?;
    parse(&bytes, cube).map_err(|(place, problem)| FileError {
        place,
        ..whole(problem)
    })
}

/// Reads a list; every error of a line comes with its place.
pub fn parse(bytes: &[u8], cube: Hypercube) -> Result<Vec<Record>, (Option<Place>, Problem)> {
    let text = decode(bytes).map_err(|(place, problem)| (Some(place), problem))?;
    let mut records = Vec::new();
    let mut first = true;
    for (line, text) in (1..).zip(text.lines()) {
        let at = |(column, problem)| (Some(Place { line, column }), problem);
        let fields::Fields { fields, end } = fields::split(text).map_err(at)?;
        if fields.is_empty() {
            continue;
        }
        if !(first && is_header(&fields)) {
            records.push(record(&fields, end, first, cube).map_err(at)?);
        }
        first = false;
    }
    if records.is_empty() {
        return Err((None, Problem::Empty));
    }
    Ok(records)
}

/// The text without the byte order mark that spreadsheets put before it.
fn decode(bytes: &[u8]) -> Result<&str, (Place, Problem)> {
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        let before = String::from_utf8_lossy(valid);
        let last_line = before.rsplit('\n').next().unwrap_or_default();
        let place = Place {
            line: before.matches('\n').count() + 1,
            column: last_line.chars().count() + 1,
        };
        (place, Problem::NotUtf8(rest[0]))
    })
}

fn is_header(fields: &[Field]) -> bool {
    let named = |index: usize, name: &str| {
        let field: Option<&Field> = fields.get(index);
        field.is_some_and(|field| field.text.eq_ignore_ascii_case(name))
    };
    let payload = ["payload", "payload hex", "payload_hex"];
    named(0, "source")
        && named(1, "destination")
        && (fields.len() == 2
            || fields.len() == 3 && payload.into_iter().any(|name| named(2, name)))
}

fn record(
    fields: &[Field],
    end: usize,
    first: bool,
    cube: Hypercube,
) -> Result<Record, (usize, Problem)> {
    if let Some(extra) = fields.get(3) {
        let found = extra.text.clone().into_owned();
        return Err((extra.column, Problem::Extra { found }));
    }
    let source = node(fields.first(), "source", end, cube).map_err(|error| match error {
        (column, Problem::NotANumber { found, cube, .. }) if first => {
            (column, Problem::NoHeader { found, cube })
        }
        error => error,
    })?;
    Ok(Record {
        source,
        destination: node(fields.get(1), "destination", end, cube)?,
        payload: fields
            .get(2)
            .map(|field| payload(&field.text).map_err(|problem| (field.column, problem)))
            .transpose()?,
    })
}

fn node(
    field: Option<&Field>,
    column: &'static str,
    end: usize,
    cube: Hypercube,
) -> Result<u32, (usize, Problem)> {
    let Some(field) = field else {
        return Err((end, Problem::Missing { column }));
    };
    let found = field.text.as_ref();
    let problem = match number::parse(found) {
        Ok(value) => match cube.address(value) {
            Ok(node) => return Ok(node),
            Err(error) => Problem::Outside { column, error },
        },
        Err(NumberError::NotANumber(_)) if found.is_empty() => Problem::Missing { column },
        Err(NumberError::NotANumber(found)) => Problem::NotANumber {
            column,
            found,
            cube,
        },
        Err(NumberError::TooLarge(found)) => Problem::FarOutside {
            column,
            found,
            cube,
        },
    };
    Err((field.column, problem))
}

fn payload(found: &str) -> Result<Vec<u8>, Problem> {
    let digits = found
        .strip_prefix("0x")
        .or(found.strip_prefix("0X"))
        .unwrap_or(found);
    let nibbles = digits
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .map(|value| value as u8)
                .ok_or_else(|| Problem::NotHex {
                    found: found.to_owned(),
                    digit,
                })
        })
        .collect::<Result<Vec<u8>, Problem>>()?;
    if nibbles.len() % 2 == 1 {
        return Err(Problem::OddDigits {
            found: found.to_owned(),
            digits: nibbles.len(),
        });
    }
    let bytes: Vec<u8> = nibbles
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect();
    if bytes.len() > PAYLOAD_MAX {
        return Err(Problem::TooLong { bytes: bytes.len() });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
