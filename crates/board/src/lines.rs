//! Text lines that a board sends: a word, then `key=value` pairs separated by spaces
//! (firmware/README.md, "Host port").

use machine::text::format_count;
use serde::Serialize;
use std::fmt;

/// Line from a board.
#[derive(Clone, Debug, PartialEq)]
pub enum BoardTextLine {
    /// Identification of the design on the board.
    Banner(String),
    /// The board waits for a command.
    Ready,
    /// Error for an invalid command, with the accepted ones.
    Error(String),
    /// A run starts.
    Run(RunLine),
    /// Network of the following lines. Absent if the board has only the cube.
    Network(String),
    Message(MessageLine),
    Done(DoneLine),
    Cm1Done(Cm1DoneLine),
    BytesDone(BytesDoneLine),
    /// Any other text.
    Other(String),
}

/// Traffic of a run. `phasecube run` makes the same traffic from the same pattern and seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunLine {
    pub pattern: String,
    pub seed: u64,
    pub messages: u64,
    pub to_self: u64,
}

/// Delivered message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct MessageLine {
    /// Arrival time since the start of the run: phases on the cube's links, petit cycles in the
    /// CM-1. In a byte network, clock cycles until the supervisor saw the message.
    pub t: u64,
    pub from: u64,
    pub to: u64,
    /// Payload in hexadecimal.
    pub payload: String,
}

/// Counters of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoneLine {
    pub delivered: u64,
    pub lost: u64,
    /// Arrivals that were not sent, reached the wrong node, or were duplicates.
    pub wrong: u64,
    pub hops: u64,
    pub naks: u64,
    pub timeouts: u64,
    /// Phases in which a node missed its deadline for the decision.
    pub late: u64,
    pub superframes: u64,
    /// Clock cycles until the supervisor saw the last arrival, programs included. Only in a
    /// comparison, where the CM-1 follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<u64>,
}

/// Counters of a run through the CM-1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cm1DoneLine {
    pub delivered: u64,
    pub lost: u64,
    /// As in [`DoneLine`].
    pub wrong: u64,
    /// Petit cycles until the last message arrived.
    pub petits: u64,
    /// Bit-times of a router that never waits for its processors.
    pub bit_times: u64,
    /// Clock cycles until the supervisor saw the last arrival, programs included.
    pub clocks: u64,
}

/// Counters of a run through a byte network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BytesDoneLine {
    pub delivered: u64,
    pub lost: u64,
    /// As in [`DoneLine`].
    pub wrong: u64,
    /// Number of bytes sent over channels between nodes.
    pub bytes: u64,
    /// Clock cycles until the supervisor saw the last arrival, programs included.
    pub clocks: u64,
}

impl BoardTextLine {
    /// Parses a line without its line end.
    pub fn parse(text: &str) -> BoardTextLine {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let line = match word {
            "phasecube" => Some(BoardTextLine::Banner(rest.into())),
            "ready" if rest.is_empty() => Some(BoardTextLine::Ready),
            "error" => Some(BoardTextLine::Error(rest.into())),
            "run" => run(rest).map(BoardTextLine::Run),
            "message" => message(rest).map(BoardTextLine::Message),
            "network" => field(rest, "name").map(|name| BoardTextLine::Network(name.into())),
            "done" if field(rest, "petits").is_some() => cm1_done(rest).map(BoardTextLine::Cm1Done),
            "done" if field(rest, "bytes").is_some() => {
                bytes_done(rest).map(BoardTextLine::BytesDone)
            }
            "done" => done(rest).map(BoardTextLine::Done),
            _ => None,
        };
        line.unwrap_or_else(|| BoardTextLine::Other(text.into()))
    }
}

/// Value of a field.
fn field<'a>(fields: &'a str, key: &str) -> Option<&'a str> {
    let mut pairs = fields.split(' ').filter_map(|field| field.split_once('='));
    pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// Parses a decimal number, or a hexadecimal one after `0x`.
fn number(fields: &str, key: &str) -> Option<u64> {
    let value = field(fields, key)?;
    match value.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}

fn run(fields: &str) -> Option<RunLine> {
    Some(RunLine {
        pattern: field(fields, "pattern")?.into(),
        seed: number(fields, "seed")?,
        messages: number(fields, "messages")?,
        to_self: number(fields, "to_self")?,
    })
}

fn message(fields: &str) -> Option<MessageLine> {
    Some(MessageLine {
        t: number(fields, "t")?,
        from: number(fields, "from")?,
        to: number(fields, "to")?,
        payload: field(fields, "payload")?.into(),
    })
}

fn done(fields: &str) -> Option<DoneLine> {
    let count = |key| number(fields, key);
    Some(DoneLine {
        delivered: count("delivered")?,
        lost: count("lost")?,
        wrong: count("wrong")?,
        hops: count("hops")?,
        naks: count("refused")?,
        timeouts: count("silences")?,
        late: count("late")?,
        superframes: count("superframes")?,
        clocks: count("clocks"),
    })
}

fn cm1_done(fields: &str) -> Option<Cm1DoneLine> {
    let count = |key| number(fields, key);
    Some(Cm1DoneLine {
        delivered: count("delivered")?,
        lost: count("lost")?,
        wrong: count("wrong")?,
        petits: count("petits")?,
        bit_times: count("bit_times")?,
        clocks: count("clocks")?,
    })
}

fn bytes_done(fields: &str) -> Option<BytesDoneLine> {
    let count = |key| number(fields, key);
    Some(BytesDoneLine {
        delivered: count("delivered")?,
        lost: count("lost")?,
        wrong: count("wrong")?,
        bytes: count("bytes")?,
        clocks: count("clocks")?,
    })
}

/// Formats the line for display.
impl fmt::Display for BoardTextLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardTextLine::Banner(what) => write!(f, "on the board: {what}"),
            BoardTextLine::Ready => f.write_str("the board waits for a command"),
            BoardTextLine::Error(accepted) => {
                write!(f, "the board rejects the command; {accepted}")
            }
            BoardTextLine::Run(run) => write!(
                f,
                "run: {} with seed {:#x}, {}, {} of them to their own source",
                run.pattern,
                run.seed,
                format_count(run.messages, "message"),
                run.to_self
            ),
            BoardTextLine::Message(message) => message.fmt(f),
            BoardTextLine::Network(name) => write!(f, "network: {name}"),
            BoardTextLine::Done(done) => {
                write!(
                    f,
                    "done: {} delivered, {} lost, {} wrong; {}, {}, {} NAKs, {}, {} missed deadlines",
                    done.delivered,
                    done.lost,
                    done.wrong,
                    format_count(done.superframes, "superframe"),
                    format_count(done.hops, "hop"),
                    done.naks,
                    format_count(done.timeouts, "timeout"),
                    done.late
                )?;
                match done.clocks {
                    Some(clocks) => write!(f, "; {clocks} clock cycles"),
                    None => Ok(()),
                }
            }
            BoardTextLine::Cm1Done(done) => write!(
                f,
                "done: {} delivered, {} lost, {} wrong; {}, {} bit-times; {} clock cycles",
                done.delivered,
                done.lost,
                done.wrong,
                format_count(done.petits, "petit cycle"),
                done.bit_times,
                done.clocks
            ),
            BoardTextLine::BytesDone(done) => write!(
                f,
                "done: {} delivered, {} lost, {} wrong; {} bytes over channels; {} clock cycles",
                done.delivered, done.lost, done.wrong, done.bytes, done.clocks
            ),
            BoardTextLine::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for MessageLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t {:>3}  {:#x} -> {:#x}  {}", self.t, self.from, self.to, self.payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines come from the documentation of the protocol.
    #[test]
    fn lines_are_parsed() {
        assert_eq!(
            BoardTextLine::parse("phasecube cube nodes=8"),
            BoardTextLine::Banner("cube nodes=8".into())
        );
        assert_eq!(BoardTextLine::parse("ready"), BoardTextLine::Ready);
        let run = "run pattern=xor:3 seed=0x000000000000000a messages=8 to_self=1";
        assert_eq!(
            BoardTextLine::parse(run),
            BoardTextLine::Run(RunLine {
                pattern: "xor:3".into(),
                seed: 10,
                messages: 8,
                to_self: 1,
            })
        );
        let message = "message t=5 from=0x1 to=0x6 payload=00ff";
        let read = BoardTextLine::parse(message);
        assert_eq!(read.to_string(), "t   5  0x1 -> 0x6  00ff");
        let done =
            "done delivered=8 lost=1 wrong=2 hops=3 refused=4 silences=5 late=6 superframes=7";
        let BoardTextLine::Done(done) = BoardTextLine::parse(done) else {
            panic!("{done}");
        };
        assert_eq!((done.delivered, done.lost, done.superframes), (8, 1, 7));
        assert_eq!(done.clocks, None);
    }

    #[test]
    fn lines_of_a_comparison_are_parsed() {
        assert_eq!(BoardTextLine::parse("network name=cm1"), BoardTextLine::Network("cm1".into()));
        let tdma = "done delivered=8 lost=0 wrong=0 hops=3 refused=0 silences=0 late=0 \
                    superframes=7 clocks=9";
        let BoardTextLine::Done(tdma) = BoardTextLine::parse(tdma) else {
            panic!("{tdma}");
        };
        assert_eq!(tdma.clocks, Some(9));
        let cm1 = "done delivered=8 lost=1 wrong=2 petits=3 bit_times=4 clocks=5";
        assert_eq!(
            BoardTextLine::parse(cm1),
            BoardTextLine::Cm1Done(Cm1DoneLine {
                delivered: 8,
                lost: 1,
                wrong: 2,
                petits: 3,
                bit_times: 4,
                clocks: 5,
            })
        );
        let bytes = "done delivered=8 lost=1 wrong=2 bytes=3 clocks=4";
        assert_eq!(
            BoardTextLine::parse(bytes),
            BoardTextLine::BytesDone(BytesDoneLine {
                delivered: 8,
                lost: 1,
                wrong: 2,
                bytes: 3,
                clocks: 4,
            })
        );
        let cut = "done delivered=8 lost=1 wrong=2 petits=3";
        assert_eq!(BoardTextLine::parse(cut), BoardTextLine::Other(cut.into()));
    }

    #[test]
    fn other_text_is_kept_unchanged() {
        for text in ["", "hello", "run pattern=a", "message t=x from=0 to=1 payload=", "ready?"] {
            assert_eq!(BoardTextLine::parse(text), BoardTextLine::Other(text.into()), "{text}");
        }
    }
}
