//! Interconnection networks without circuits: topologies, routing relations, schedules and traffic.
//!
//! * [`topology`]: nodes, ports, and which ports are connected;
//! * [`routing`]: the next hop of a message and its time, as relations and schedules;
//! * [`traffic`]: messages, and the patterns that generate them.
//!
//! ```
//! use interconnect::topology::Hypercube;
//! use interconnect::routing::tdma::PhaseSchedule;
//!
//! // A superframe of the 3-cube: each node is heard once in each dimension.
//! let cube = Hypercube::new(3).unwrap();
//! assert_eq!(PhaseSchedule::phases(cube.dims()), 6);
//! ```

pub mod routing;
pub mod topology;
pub mod traffic;

/// Lines of the rows of a CSV text, counted from 1.
///
/// The position that the `csv` reader reports may precede the row: the end of a line of CR and LF,
/// empty lines and comments lie between.
#[derive(Clone, Debug)]
pub struct RowLines<'a> {
    text: &'a [u8],
    /// `#` begins a comment line.
    has_comments: bool,
    /// Start of the latest row, in bytes.
    at: usize,
    line: u64,
}

impl<'a> RowLines<'a> {
    pub fn new(text: &'a str, has_comments: bool) -> Self {
        RowLines { text: text.as_bytes(), has_comments, at: 0, line: 1 }
    }

    /// Returns the line of the row at this position of the reader, in bytes. Rows must be requested
    /// in ascending order.
    pub fn line_of(&mut self, byte: u64) -> u64 {
        let byte = usize::try_from(byte).unwrap_or(usize::MAX).min(self.text.len());
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let is_between = match rest[0] {
                b'\r' | b'\n' => true,
                b'#' => self.has_comments,
                _ => false,
            };
            if self.at >= byte && !is_between {
                break;
            }
            let end = rest.iter().position(|byte| *byte == b'\n');
            self.line += u64::from(end.is_some());
            self.at += end.map_or(rest.len(), |end| end + 1);
        }
        self.line
    }
}

/// Compiles and runs the code in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
