//! Traffic patterns with their usual names (docs/traffic.md).

use crate::topology::number::{self, NumberError};
use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// Traffic pattern: the destinations of each node's messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrafficPattern {
    /// Every node s sends to s ^ C; for 2, 4, 8, .. nodes.
    Xor(u64),
    /// Node s of N sends to N-1-s, which is the opposite corner of a cube.
    Complement,
    /// To the address with its bits in reverse order; for 2, 4, 8, .. nodes.
    Bitrev,
    /// To the address with its halves swapped; for an even number of bits.
    Transpose,
    /// To the address rotated left by one bit; for 2, 4, 8, .. nodes.
    Shuffle,
    /// One random permutation of the nodes.
    Permutation,
    /// Each node, in order, draws its destination.
    Random,
    /// All nodes send to node 0.
    Hotspot,
    /// H random permutations drawn one after the other: node s sends to p1(s), then p2(s), and so
    /// on.
    Relation(u64),
    /// Every node sends to every other node; for 2, 4, 8, .. nodes.
    TotalExchange,
    /// A file in the format of [`super::file`].
    File(PathBuf),
}

/// All patterns, as help and error messages list them.
const ACCEPTED: &str = "xor:C, complement, bitrev, transpose, shuffle, permutation, random, \
                        hotspot, relation:H, total-exchange, file:PATH";

/// Error: a text names no pattern. The message states the accepted patterns.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    #[error("there is no pattern \"{0}\"; accepted: {ACCEPTED}")]
    Unknown(String),
    #[error("{name} needs {what}; accepted: {name}:{letter}")]
    NoArgument {
        name: &'static str,
        what: &'static str,
        letter: &'static str,
    },
    #[error("{name} takes no argument, but \":{argument}\" follows; accepted: {name}")]
    Argument { name: String, argument: String },
    #[error("{name}: {error}")]
    Number {
        name: &'static str,
        error: NumberError,
    },
    #[error("relation:0 sends nothing; accepted: relation:H with H of 1 or more")]
    EmptyRelation,
}

impl TrafficPattern {
    /// Every pattern, as a command line takes them.
    pub const ACCEPTED: &'static str = ACCEPTED;

    /// Reads a pattern from a word of a command line. The path of `file:PATH` need not be UTF-8.
    ///
    /// # Errors
    /// As [`from_str`](FromStr::from_str).
    pub fn from_word(word: &OsStr) -> Result<Self, PatternError> {
        #[cfg(unix)]
        if word.to_str().is_none() {
            use std::os::unix::ffi::OsStrExt;
            if let Some(path) = word.as_bytes().strip_prefix(b"file:") {
                return Ok(Self::File(OsStr::from_bytes(path).into()));
            }
        }
        word.to_string_lossy().parse()
    }
}

impl FromStr for TrafficPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        let plain = match name {
            "xor" => {
                let offset = required(argument, "xor", "an offset", "C")?;
                return Ok(Self::Xor(numeric("xor", offset)?));
            }
            "relation" => {
                let count = required(argument, "relation", "a number of permutations", "H")?;
                return match numeric("relation", count)? {
                    0 => Err(PatternError::EmptyRelation),
                    count => Ok(Self::Relation(count)),
                };
            }
            "file" => {
                let path = required(argument, "file", "a path", "PATH")?;
                return Ok(Self::File(path.into()));
            }
            "complement" => Self::Complement,
            "bitrev" => Self::Bitrev,
            "transpose" => Self::Transpose,
            "shuffle" => Self::Shuffle,
            "permutation" => Self::Permutation,
            "random" => Self::Random,
            "hotspot" => Self::Hotspot,
            "total-exchange" => Self::TotalExchange,
            _ => return Err(PatternError::Unknown(text.to_owned())),
        };
        match argument {
            None => Ok(plain),
            Some(argument) => Err(PatternError::Argument {
                name: name.to_owned(),
                argument: argument.to_owned(),
            }),
        }
    }
}

fn required<'a>(
    argument: Option<&'a str>,
    name: &'static str,
    what: &'static str,
    letter: &'static str,
) -> Result<&'a str, PatternError> {
    argument
        .filter(|argument| !argument.is_empty())
        .ok_or(PatternError::NoArgument { name, what, letter })
}

fn numeric(name: &'static str, text: &str) -> Result<u64, PatternError> {
    number::parse(text).map_err(|error| PatternError::Number { name, error })
}

impl fmt::Display for TrafficPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Xor(offset) => write!(f, "xor:0x{offset:X}"),
            Self::Complement => f.write_str("complement"),
            Self::Bitrev => f.write_str("bitrev"),
            Self::Transpose => f.write_str("transpose"),
            Self::Shuffle => f.write_str("shuffle"),
            Self::Permutation => f.write_str("permutation"),
            Self::Random => f.write_str("random"),
            Self::Hotspot => f.write_str("hotspot"),
            Self::Relation(count) => write!(f, "relation:{count}"),
            Self::TotalExchange => f.write_str("total-exchange"),
            Self::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_name_round_trips() {
        for (text, pattern) in [
            ("xor:0x5", TrafficPattern::Xor(5)),
            ("complement", TrafficPattern::Complement),
            ("bitrev", TrafficPattern::Bitrev),
            ("transpose", TrafficPattern::Transpose),
            ("shuffle", TrafficPattern::Shuffle),
            ("permutation", TrafficPattern::Permutation),
            ("random", TrafficPattern::Random),
            ("hotspot", TrafficPattern::Hotspot),
            ("relation:3", TrafficPattern::Relation(3)),
            ("total-exchange", TrafficPattern::TotalExchange),
            ("file:a:b.csv", TrafficPattern::File("a:b.csv".into())),
        ] {
            assert_eq!(text.parse(), Ok(pattern.clone()));
            assert_eq!(pattern.to_string(), text);
            let name = text.split(':').next().unwrap();
            assert!(ACCEPTED.split(", ").any(|known| known.starts_with(name)));
        }
        assert_eq!("xor:10".parse(), Ok(TrafficPattern::Xor(10)));
    }

    #[test]
    fn errors_state_problem_and_accepted_form() {
        for (text, message) in [
            (
                "",
                format!("there is no pattern \"\"; accepted: {ACCEPTED}"),
            ),
            (
                "bit-rev",
                format!("there is no pattern \"bit-rev\"; accepted: {ACCEPTED}"),
            ),
            ("xor", "xor needs an offset; accepted: xor:C".to_owned()),
            ("xor:", "xor needs an offset; accepted: xor:C".to_owned()),
            (
                "xor:five",
                "xor: \"five\" is not a number; accepted: decimal, or hexadecimal after 0x"
                    .to_owned(),
            ),
            (
                "relation",
                "relation needs a number of permutations; accepted: relation:H".to_owned(),
            ),
            (
                "relation:0",
                "relation:0 sends nothing; accepted: relation:H with H of 1 or more".to_owned(),
            ),
            ("file:", "file needs a path; accepted: file:PATH".to_owned()),
            (
                "hotspot:3",
                "hotspot takes no argument, but \":3\" follows; accepted: hotspot".to_owned(),
            ),
        ] {
            assert_eq!(
                text.parse::<TrafficPattern>().unwrap_err().to_string(),
                message
            );
        }
    }
}
