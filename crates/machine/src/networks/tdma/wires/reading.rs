//! Meaning of the bytes on a wire.

use super::Capture;
use crate::networks::tdma::{FrameError, TdmaFrame, HEADER_ROUTED, HEADER_SEQUENCE};
use crate::wave::{decode_uart, WireByte};
use std::fmt::{self, Write as _};

/// Decoded phase of a link: the frame, and the answer of the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub bytes: Vec<ReadByte>,
    /// Frame, or the reason why the bytes are not a frame.
    pub frame: Result<TdmaFrame, FrameError>,
    /// Answer. `None` if no answer is due, because the link has no answers or nothing was sent.
    pub answer: Option<Answer>,
}

/// Byte on the wire and its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadByte {
    pub byte: WireByte,
    pub part: FramePart,
}

/// Role of a byte in its frame or answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePart {
    Sync,
    Header(u8),
    Length(u8),
    /// Byte 0 or 1 of the destination.
    Destination(usize),
    Payload(u8),
    /// Byte 0 or 1 of the CRC, high byte first.
    Crc(usize),
    /// Byte sent after the end of the frame.
    After,
    /// Byte 0 or 1 of the answer, with the answer.
    Answer(usize, Answer),
    /// Byte sent after the end of the answer.
    AfterAnswer,
}

/// Answer of the receiver to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// CRC of the frame: the receiver has it (ACK).
    Ack,
    /// Complement of the CRC: the receiver's buffer is full (NAK).
    Nak,
    Timeout,
    /// Any other bytes.
    Invalid,
}

impl Reading {
    /// Decodes a captured phase.
    pub fn new(capture: &Capture) -> Self {
        let bytes = decode_uart(&capture.levels, capture.clocks_per_bit);
        let answers = |byte: &WireByte| capture.answer_start.is_some_and(|at| byte.start >= at);
        let (sent, answered): (Vec<WireByte>, Vec<WireByte>) =
            bytes.into_iter().partition(|byte| !answers(byte));
        let values = |bytes: &[WireByte]| bytes.iter().map(|b| b.value).collect::<Vec<u8>>();
        let (frame, reply) = (values(&sent), values(&answered));
        let due = capture.acked && !frame.is_empty();
        let answer = (due || !reply.is_empty()).then(|| Answer::new(&frame, &reply));
        let parts = frame_parts(&frame).into_iter();
        let reply_parts = (0..reply.len()).map(|place| match (place, answer) {
            (0 | 1, Some(answer)) => FramePart::Answer(place, answer),
            _ => FramePart::AfterAnswer,
        });
        let bytes = sent.into_iter().chain(answered);
        Reading {
            bytes: bytes
                .zip(parts.chain(reply_parts))
                .map(|(byte, part)| ReadByte { byte, part })
                .collect(),
            frame: TdmaFrame::decode(&frame, capture.sender, capture.dim),
            answer,
        }
    }
}

impl Answer {
    /// Decodes the answer bytes `reply` to `frame`, which ends with its CRC.
    fn new(frame: &[u8], reply: &[u8]) -> Self {
        let crc = frame.last_chunk::<2>();
        match (reply, crc) {
            ([], _) => Answer::Timeout,
            (&[a, b], Some(&[high, low])) if [a, b] == [high, low] => Answer::Ack,
            (&[a, b], Some(&[high, low])) if [a, b] == [!high, !low] => Answer::Nak,
            _ => Answer::Invalid,
        }
    }
}

/// Returns the role of each byte of a frame, by its position.
fn frame_parts(bytes: &[u8]) -> Vec<FramePart> {
    let header = bytes.get(1).copied().unwrap_or(0);
    let routed = header & HEADER_ROUTED != 0;
    let end = 3 + usize::from(bytes.get(2).copied().unwrap_or(0));
    let part = |(place, &byte): (usize, &u8)| match place {
        0 => FramePart::Sync,
        1 => FramePart::Header(byte),
        2 => FramePart::Length(byte),
        3 | 4 if routed && end >= 5 => FramePart::Destination(place - 3),
        _ if place < end => FramePart::Payload(byte),
        _ if place < end + 2 => FramePart::Crc(place - end),
        _ => FramePart::After,
    };
    bytes.iter().enumerate().map(part).collect()
}

/// Returns the name of one of two bytes.
fn byte_name(low: bool) -> &'static str {
    match low {
        true => "low byte",
        false => "high byte",
    }
}

/// Prints the role for a reader, in a few words.
impl fmt::Display for FramePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FramePart::Sync => write!(f, "sync"),
            FramePart::Header(header) => {
                let routed = match header & HEADER_ROUTED {
                    0 => "header",
                    _ => "header: a routed message",
                };
                let sequence = match header & HEADER_SEQUENCE {
                    0 => "",
                    _ => ", sequence bit set",
                };
                write!(f, "{routed}{sequence}")
            }
            FramePart::Length(length) => write!(f, "length: {length} bytes of payload"),
            FramePart::Destination(place) => write!(f, "destination, {}", byte_name(place == 0)),
            FramePart::Payload(byte) if (b' '..=b'~').contains(&byte) => {
                write!(f, "payload '{}'", char::from(byte))
            }
            FramePart::Payload(_) => write!(f, "payload"),
            FramePart::Crc(place) => write!(f, "CRC, {}", byte_name(place == 1)),
            FramePart::After => write!(f, "after the frame"),
            FramePart::Answer(place, answer) => {
                write!(f, "answer {answer}, {}", byte_name(place == 1))
            }
            FramePart::AfterAnswer => write!(f, "after the answer"),
        }
    }
}

impl FramePart {
    /// Length of the longest [`field`](Self::field), in characters.
    pub const LONGEST_FIELD: usize = 12;

    /// Returns the role in one word without spaces, for a waveform.
    pub fn field(self) -> &'static str {
        match self {
            FramePart::Sync => "sync",
            FramePart::Header(_) => "header",
            FramePart::Length(_) => "length",
            FramePart::Destination(0) => "dest_low",
            FramePart::Destination(_) => "dest_high",
            FramePart::Payload(_) => "payload",
            FramePart::Crc(0) => "crc_high",
            FramePart::Crc(_) => "crc_low",
            FramePart::After => "after_frame",
            FramePart::Answer(0, _) => "answer_high",
            FramePart::Answer(..) => "answer_low",
            FramePart::AfterAnswer => "after_answer",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Ack => "ACK",
            Answer::Nak => "NAK",
            Answer::Timeout => "timeout",
            Answer::Invalid => "nonsense",
        })
    }
}

// Drawing of a frame, as a logic analyser with a UART decoder shows it.

/// Columns of one bit-time.
const COLUMNS: usize = 3;

/// Bit-times of one byte.
const BITS: usize = 10;

/// Draws the wire, one byte on each line, with the meaning of each byte. `name` returns the printed
/// name of a node.
pub fn draw(capture: &Capture, name: impl Fn(u32) -> String) -> String {
    let per_bit = capture.clocks_per_bit;
    let reading = Reading::new(capture);
    let (sender, receiver) = (name(capture.sender), name(capture.receiver));
    let mut text = format!(
        "Phase {}: node {sender} drives the wire, node {receiver} listens. One bit-time is {per_bit} clock cycles.\n\n\
         \x20  time  S  0  1  2  3  4  5  6  7  P   byte  meaning\n",
        capture.phase,
    );
    let length = capture.levels.len();
    let mut line = |at: usize, end: usize, byte: &str, meaning: &str| {
        let time = at as f64 / per_bit as f64;
        let wave = wave(&capture.levels[..end], at, per_bit);
        let _ = writeln!(text, "{time:>7.2}  {wave}  {byte:>4}  {meaning}");
    };
    let idle = |from: usize, to: usize| format!("idle, {}", bit_times(to - from, per_bit));
    let mut over = 0;
    for read in &reading.bytes {
        let (from, broken) = (read.byte.start, !read.byte.stop_bit_high);
        // A pause shorter than a byte is visible on the previous line.
        if over == 0 || from > over + BITS * per_bit {
            line(over, from, "", &idle(over, from));
        }
        over = length.min(from + BITS * per_bit);
        let broken = if broken { " (no stop bit)" } else { "" };
        let value = format!("{:02X}", read.byte.value);
        line(from, over, &value, &format!("{}{broken}", read.part));
    }
    line(over, length, "", &idle(over, length));
    let _ = match &reading.frame {
        Ok(_) => writeln!(text, "\nThe CRC fits a frame of node {sender} in its phase."),
        Err(why) => writeln!(text, "\nNot a frame of node {sender}: {why}."),
    };
    if let Some(answer) = reading.answer {
        let _ = match answer {
            Answer::Timeout => writeln!(text, "Node {receiver} does not answer."),
            Answer::Ack => writeln!(text, "Node {receiver} answers ACK: it has the frame."),
            Answer::Nak => writeln!(text, "Node {receiver} answers NAK: its buffer is full."),
            Answer::Invalid => writeln!(
                text,
                "What node {receiver} answers is neither the CRC nor its complement."
            ),
        };
    }
    text
}

fn bit_times(samples: usize, per_bit: usize) -> String {
    format!("{:.2} bit-times", samples as f64 / per_bit as f64)
}

/// Draws up to ten bit-times of the wire, from sample `at` to the end. A column is low if any of
/// its samples was low.
fn wave(levels: &[bool], at: usize, per_bit: usize) -> String {
    let mut before = at == 0 || levels[at - 1];
    let mut wave = String::new();
    for column in 0..BITS * COLUMNS {
        let from = at + column * per_bit / COLUMNS;
        let to = (at + (column + 1) * per_bit / COLUMNS).max(from + 1);
        if from >= levels.len() {
            wave.push(' ');
            continue;
        }
        let high = !levels[from..to.min(levels.len())].contains(&false);
        wave.push(match (before, high) {
            (true, true) => '‾',
            (true, false) => '\\',
            (false, false) => '_',
            (false, true) => '/',
        });
        before = high;
    }
    wave
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::tdma::TdmaFrame;

    /// Returns a phase with these bytes, and two bit-times of idle before and after.
    fn capture(sender: u32, bytes: &[u8], clocks_per_bit: usize) -> Capture {
        let mut bits = vec![true; 2];
        for byte in bytes {
            bits.push(false);
            bits.extend((0..8).map(|bit| byte >> bit & 1 == 1));
            bits.push(true);
        }
        bits.extend([true; 2]);
        let levels = bits.iter().flat_map(|bit| vec![*bit; clocks_per_bit]);
        Capture {
            phase: 3,
            dim: 0,
            sender,
            receiver: 1 - sender,
            clocks_per_bit,
            levels: levels.collect(),
            answer_start: None,
            acked: false,
        }
    }

    fn name(node: u32) -> String {
        node.to_string()
    }

    #[test]
    fn frames_are_drawn_one_byte_per_line() {
        let bytes = TdmaFrame::routed(0, b"A").encode(1, 0);
        let expected = "\
Phase 3: node 1 drives the wire, node 0 listens. One bit-time is 8 clock cycles.

   time  S  0  1  2  3  4  5  6  7  P   byte  meaning
   0.00  ‾‾‾‾‾‾                                idle, 2.00 bit-times
   2.00  \\_____/‾‾\\__/‾‾\\__/‾‾\\__/‾‾‾‾‾    AA  sync
  12.00  \\_______________________/‾‾‾‾‾    80  header: a routed message
  22.00  \\__/‾‾‾‾‾\\_________________/‾‾    03  length: 3 bytes of payload
  32.00  \\__________________________/‾‾    00  destination, low byte
  42.00  \\__________________________/‾‾    00  destination, high byte
  52.00  \\__/‾‾\\______________/‾‾\\__/‾‾    41  payload 'A'
";
        let drawn = draw(&capture(1, &bytes, 8), name);
        assert!(drawn.starts_with(expected), "{drawn}");
        assert!(drawn.contains("  CRC, low byte\n  82.00  ‾‾‾‾‾‾                          "));
        assert!(drawn
            .ends_with("  idle, 2.00 bit-times\n\nThe CRC fits a frame of node 1 in its phase.\n"));
    }

    #[test]
    fn invalid_frames_are_drawn_with_the_error() {
        let mut bytes = TdmaFrame::routed(0, &[0xFF]).encode(0, 0);
        bytes[5] ^= 1;
        bytes.push(0);
        let drawn = draw(&capture(0, &bytes, 4), name);
        assert!(drawn.contains("  FE  payload\n"), "{drawn}");
        assert!(drawn.contains("  00  after the frame\n"), "{drawn}");
        assert!(drawn.contains("\nNot a frame of node 0: "), "{drawn}");
        let silent = draw(&capture(0, &[], 4), name);
        assert!(silent.contains("idle, 4.00 bit-times"), "{silent}");
    }
}
