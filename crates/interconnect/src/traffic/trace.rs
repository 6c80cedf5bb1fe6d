//! Traces: messages with their times, from CSV.
//!
//! ```text
//! time,source,destination,bytes
//! 0,0x0,0x3,8
//! 17,1,0,
//! ```
//!
//! Times are clock cycles from the start. `bytes` is the length of a random payload; the column is
//! optional, and an empty field is the default length.

use super::recipe::Payloads;
use super::{Message, MESSAGES_MAX, PAYLOAD_MAX};
use crate::topology::number::{self, NumberError};
use crate::topology::{AddressOutOfRange, AddressSpace};
use crate::RowLines;
use thiserror::Error;

const COLUMNS: &str = "time,source,destination[,bytes]";

/// Messages with their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In the order of their times.
    pub messages: Vec<Message>,
    /// Time of each message in clock cycles.
    pub times: Vec<u64>,
}

/// Error in a trace, with its line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct TraceError {
    pub line: u64,
    pub problem: TraceProblem,
}

/// Kind of error. The message states the accepted form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceProblem {
    #[error("{0}")]
    Csv(String),
    #[error("the columns are {0:?}; accepted: {COLUMNS}")]
    Columns(String),
    #[error("{column}: {error}")]
    Number { column: &'static str, error: NumberError },
    #[error("the {column} {error}")]
    Outside { column: &'static str, error: AddressOutOfRange },
    #[error("the time {0} is too late; accepted: clock cycles below 2^32")]
    Late(u64),
    #[error("a message cannot carry {0} bytes; accepted: 0 to {PAYLOAD_MAX}")]
    Long(u64),
    #[error(
        "the trace has no message; accepted: lines of {COLUMNS}, up to {MESSAGES_MAX} messages"
    )]
    Empty,
    #[error("this is one message too many; accepted: up to {MESSAGES_MAX}")]
    TooMany,
}

impl Trace {
    /// Reads a trace. Payloads are drawn from `seed`, and `payload` is their default length. Messages
    /// to their own source are left out.
    ///
    /// # Errors
    /// If a line is wrong, with its number.
    pub fn parse(
        text: &str,
        nodes: AddressSpace,
        seed: u64,
        payload: usize,
    ) -> Result<Self, TraceError> {
        let at = |line: u64| move |problem: TraceProblem| TraceError { line, problem };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut rows = RowLines::new(text, true);
        let csv_error = |error: csv::Error| {
            let byte = error.position().map_or(0, csv::Position::byte);
            let line = RowLines::new(text, true).line_of(byte);
            at(line)(TraceProblem::Csv(error.to_string()))
        };
        let columns = reader.headers().map_err(csv_error)?;
        let columns = columns.iter().collect::<Vec<_>>().join(",");
        if !["time,source,destination", "time,source,destination,bytes"].contains(&&*columns) {
            return Err(at(rows.line_of(0))(TraceProblem::Columns(columns)));
        }
        let mut lines = vec![];
        for record in reader.records() {
            let record = record.map_err(csv_error)?;
            let line = rows.line_of(record.position().map_or(0, csv::Position::byte));
            let parsed = parse_line(&record, nodes, payload).map_err(at(line))?;
            if lines.len() as u64 == MESSAGES_MAX {
                return Err(at(line)(TraceProblem::TooMany));
            }
            lines.push(parsed);
        }
        lines.retain(|line| line.source != line.destination);
        if lines.is_empty() {
            return Err(at(1)(TraceProblem::Empty));
        }
        lines.sort_by_key(|line| line.time);
        let mut payloads = Payloads::new(seed, PAYLOAD_MAX);
        let message = |line: &TraceLine| Message {
            source: line.source,
            destination: line.destination,
            payload: payloads.next()[..line.bytes].to_vec(),
        };
        Ok(Trace {
            times: lines.iter().map(|line| line.time).collect(),
            messages: lines.iter().map(message).collect(),
        })
    }

    /// Longest payload in bytes.
    pub fn longest(&self) -> usize {
        let lengths = self.messages.iter().map(|message| message.payload.len());
        lengths.max().unwrap_or(0)
    }

    /// Mean payload in bytes.
    pub fn mean_length(&self) -> f64 {
        let lengths = self.messages.iter().map(|message| message.payload.len());
        lengths.sum::<usize>() as f64 / self.messages.len().max(1) as f64
    }
}

struct TraceLine {
    time: u64,
    source: u32,
    destination: u32,
    bytes: usize,
}

fn parse_line(
    record: &csv::StringRecord,
    nodes: AddressSpace,
    payload: usize,
) -> Result<TraceLine, TraceProblem> {
    let value = |place: usize, column: &'static str| {
        let number = number::parse(record.get(place).unwrap_or(""));
        number.map_err(|error| TraceProblem::Number { column, error })
    };
    let node = |place: usize, column: &'static str| {
        let node = nodes.address(value(place, column)?);
        node.map_err(|error| TraceProblem::Outside { column, error })
    };
    let time = value(0, "time")?;
    if time >= 1 << 32 {
        return Err(TraceProblem::Late(time));
    }
    let bytes = match record.get(3) {
        None | Some("") => payload,
        Some(_) => match value(3, "bytes")? {
            bytes if bytes <= PAYLOAD_MAX as u64 => bytes as usize,
            bytes => return Err(TraceProblem::Long(bytes)),
        },
    };
    Ok(TraceLine { time, source: node(1, "source")?, destination: node(2, "destination")?, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Trace, TraceError> {
        Trace::parse(text, AddressSpace::new(4).unwrap(), 1, 5)
    }

    #[test]
    fn traces_are_sorted_by_time() {
        let trace = parse(
            "time,source,destination,bytes\n20,0x1,2,8\n# a comment\n3,0,3,\n20,3,0,0\n4,2,2,1\n",
        )
        .unwrap();
        assert_eq!(trace.times, [3, 20, 20]);
        let ends = trace.messages.iter();
        let ends: Vec<_> = ends.map(|m| (m.source, m.destination, m.payload.len())).collect();
        assert_eq!(ends, [(0, 3, 5), (1, 2, 8), (3, 0, 0)]);
        assert_eq!(trace.longest(), 8);
        let short = parse("time,source,destination\n1,0,1\n").unwrap();
        assert_eq!(short.messages[0].payload.len(), 5);
    }

    #[test]
    fn wrong_lines_are_named() {
        for (lines, text) in [
            ("1,0,4,", "line 2: the destination 4 (0x4) is outside the machine of 4 nodes; accepted: 0x0 to 0x3 (0 to 3)"),
            ("1,0,1,\nx,0,1,", "line 3: time: \"x\" is not a number; accepted: decimal, or hexadecimal after 0x"),
            ("# one\r\n# two\r\n1,0,1,79", "line 4: a message cannot carry 79 bytes; accepted: 0 to 78"),
            ("1,0,1,79", "line 2: a message cannot carry 79 bytes; accepted: 0 to 78"),
            ("4294967296,0,1,", "line 2: the time 4294967296 is too late; accepted: clock cycles below 2^32"),
        ] {
            let error = parse(&format!("time,source,destination,bytes\n{lines}\n")).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
        let error = parse("source,destination\n0,1\n").unwrap_err();
        assert!(error
            .to_string()
            .starts_with("line 1: the columns are \"source,destination\"; accepted: time"));
        let error = parse("time,source,destination\n").unwrap_err();
        assert!(error.to_string().starts_with("line 1: the trace has no message"));
    }
}
