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
    /// Each node, in order, draws another node.
    Uniform,
    /// Node s of a torus goes almost half way around the ring of each dimension: each digit k of its
    /// address, of radix K, to k + ceil(K / 2) - 1. Without radices, all nodes are one ring.
    Tornado(Radices),
    /// To the next node in each dimension: each digit k to k + 1. Radices are as for the tornado.
    Neighbour(Radices),
    /// All nodes send to node 0.
    Hotspot,
    /// This percentage of the messages goes to node 0, and the others to other nodes at random.
    HotspotShare(u64),
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
                        uniform, tornado, tornado:KxK, neighbour, neighbour:KxK, hotspot, \
                        hotspot:PERCENT, relation:H, total-exchange, file:PATH";

/// Error: a text names no pattern. The message states the accepted patterns.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    #[error("there is no pattern \"{0}\"; accepted: {ACCEPTED}")]
    Unknown(String),
    #[error("{name} needs {what}; accepted: {name}:{letter}")]
    NoArgument { name: &'static str, what: &'static str, letter: &'static str },
    #[error("{name} takes no argument, but \":{argument}\" follows; accepted: {name}")]
    Argument { name: String, argument: String },
    #[error("{name}: {error}")]
    Number { name: &'static str, error: NumberError },
    #[error("relation:0 sends nothing; accepted: relation:H with H of 1 or more")]
    EmptyRelation,
    #[error("hotspot:{0} is no percentage; accepted: hotspot:PERCENT with 1 to 100")]
    Percent(u64),
    #[error("{name}: {found:?} are no radices; accepted: {name}:KxK with a number of 2 or more for each dimension")]
    Radices { name: &'static str, found: String },
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
            "hotspot" if argument.is_some() => {
                let percent = required(argument, "hotspot", "a percentage", "PERCENT")?;
                return match numeric("hotspot", percent)? {
                    percent @ 1..=100 => Ok(Self::HotspotShare(percent)),
                    percent => Err(PatternError::Percent(percent)),
                };
            }
            "tornado" => return Ok(Self::Tornado(Radices::parse("tornado", argument)?)),
            "neighbour" => return Ok(Self::Neighbour(Radices::parse("neighbour", argument)?)),
            "complement" => Self::Complement,
            "bitrev" => Self::Bitrev,
            "transpose" => Self::Transpose,
            "shuffle" => Self::Shuffle,
            "permutation" => Self::Permutation,
            "random" => Self::Random,
            "uniform" => Self::Uniform,
            "hotspot" => Self::Hotspot,
            "total-exchange" => Self::TotalExchange,
            _ => return Err(PatternError::Unknown(text.to_owned())),
        };
        match argument {
            None => Ok(plain),
            Some(argument) => {
                Err(PatternError::Argument { name: name.to_owned(), argument: argument.to_owned() })
            }
        }
    }
}

/// Radices of the dimensions of a torus, the lowest first. Empty for one ring of all nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Radices(pub Vec<u32>);

impl Radices {
    fn parse(name: &'static str, argument: Option<&str>) -> Result<Self, PatternError> {
        let Some(text) = argument else {
            return Ok(Radices::default());
        };
        let radix = |word: &str| word.parse().ok().filter(|radix| *radix >= 2);
        let radices = text.split('x').map(radix).collect::<Option<_>>();
        radices.map(Radices).ok_or_else(|| PatternError::Radices { name, found: text.to_owned() })
    }

    /// Returns the node whose digits are those of `node`, each changed by `digit(digit, radix)`.
    /// `None` if the product of the radices is not the number of nodes.
    pub(super) fn map(
        &self,
        nodes: u32,
        digit: impl Fn(u32, u32) -> u32,
    ) -> Option<impl Fn(u32) -> u32> {
        let radices = match self.0.is_empty() {
            true => vec![nodes],
            false => self.0.clone(),
        };
        let product = radices.iter().map(|radix| u64::from(*radix)).product::<u64>();
        (product == u64::from(nodes)).then_some(move |node: u32| {
            let (mut rest, mut place, mut sum) = (node, 1, 0);
            for &radix in &radices {
                sum += place * (digit(rest % radix, radix) % radix);
                rest /= radix;
                place *= radix;
            }
            sum
        })
    }
}

/// `:8x8`, or nothing without radices.
impl fmt::Display for Radices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(u32::to_string).collect();
        match words.is_empty() {
            true => Ok(()),
            false => write!(f, ":{}", words.join("x")),
        }
    }
}

fn required<'a>(
    argument: Option<&'a str>,
    name: &'static str,
    what: &'static str,
    letter: &'static str,
) -> Result<&'a str, PatternError> {
    argument.filter(|argument| !argument.is_empty()).ok_or(PatternError::NoArgument {
        name,
        what,
        letter,
    })
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
            Self::Uniform => f.write_str("uniform"),
            Self::Tornado(radices) => write!(f, "tornado{radices}"),
            Self::Neighbour(radices) => write!(f, "neighbour{radices}"),
            Self::HotspotShare(percent) => write!(f, "hotspot:{percent}"),
            Self::Hotspot => f.write_str("hotspot"),
            Self::Relation(count) => write!(f, "relation:{count}"),
            Self::TotalExchange => f.write_str("total-exchange"),
            Self::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

// Order in which a node of the cube addresses all others in a total exchange.
//
// Every node sends to `node ^ offset` for the same offsets in the same order, so each step is a
// permutation (docs/traffic.md).

/// Order of the offsets 1 to N-1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExchangeOrder {
    /// Ascending order.
    Xor,
    /// An offset and its complement one after the other, the odd one first. The two share no
    /// dimension, so both fit into one superframe. The exchange takes N/2 superframes, the optimum
    /// for minimal routes.
    #[default]
    Pairs,
}

impl ExchangeOrder {
    /// Returns the offsets for a cube of `nodes` nodes, first to last.
    pub fn offsets(self, nodes: u32) -> Vec<u32> {
        let complement = nodes - 1;
        match self {
            Self::Xor => (1..nodes).collect(),
            Self::Pairs => (1..nodes)
                .step_by(2)
                .flat_map(|odd| [odd, odd ^ complement])
                .filter(|&offset| offset != 0)
                .collect(),
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
            ("hotspot:25", TrafficPattern::HotspotShare(25)),
            ("uniform", TrafficPattern::Uniform),
            ("tornado", TrafficPattern::Tornado(Radices(vec![]))),
            ("tornado:8x4", TrafficPattern::Tornado(Radices(vec![8, 4]))),
            ("neighbour:5", TrafficPattern::Neighbour(Radices(vec![5]))),
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
                "bitrev:3",
                "bitrev takes no argument, but \":3\" follows; accepted: bitrev".to_owned(),
            ),
            (
                "hotspot:101",
                "hotspot:101 is no percentage; accepted: hotspot:PERCENT with 1 to 100".to_owned(),
            ),
            (
                "tornado:4x1",
                "tornado: \"4x1\" are no radices; accepted: tornado:KxK with a number of 2 or more \
                 for each dimension"
                    .to_owned(),
            ),
        ] {
            assert_eq!(
                text.parse::<TrafficPattern>().unwrap_err().to_string(),
                message
            );
        }
    }
}

#[cfg(test)]
mod exchange_tests {
    use super::*;
    use crate::routing::tdma::PhaseSchedule;
    use crate::routing::Schedule;
    use crate::topology::Hypercube;
    use std::collections::BTreeSet;

    #[test]
    fn both_orders_hold_every_offset_once() {
        for nodes in [2, 4, 8, 16, 32, 64] {
            for order in [ExchangeOrder::Xor, ExchangeOrder::Pairs] {
                let mut offsets = order.offsets(nodes);
                offsets.sort_unstable();
                assert_eq!(offsets, (1..nodes).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn xor_ascends() {
        assert_eq!(ExchangeOrder::Xor.offsets(8), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn pairs_are_complements_with_the_odd_one_first() {
        assert_eq!(ExchangeOrder::Pairs.offsets(2), [1]);
        assert_eq!(ExchangeOrder::Pairs.offsets(8), [1, 6, 3, 4, 5, 2, 7]);
    }

    /// docs/traffic.md: in each superframe two offsets use every wire in every phase. The first of
    /// them leaves its source before the second.
    #[test]
    fn pairs_fill_every_superframe() {
        for dims in 1..=6 {
            let cube = Hypercube::new(dims).unwrap();
            let schedule = PhaseSchedule::new(cube);
            let offsets = ExchangeOrder::Pairs.offsets(cube.nodes());
            let superframes = offsets.chunks(2);
            assert_eq!(superframes.len() as u32, cube.nodes() / 2);
            for pair in superframes {
                let mut sent = BTreeSet::new();
                for source in cube.addresses() {
                    let routes = pair.iter().map(|offset| schedule.hops(source, source ^ offset));
                    let routes: Vec<_> = routes.collect();
                    assert!(routes.is_sorted_by_key(|hops| hops[0].phase));
                    for hop in routes.concat() {
                        assert!(sent.insert((hop.phase, hop.node)));
                    }
                }
                assert_eq!(sent.len() as u32, schedule.period() * cube.nodes() / 2);
            }
        }
    }
}
