//! Meaning of the bytes on a wire.

use super::Capture;
use crate::networks::tdma::{FrameError, TdmaFrame, HEADER_ROUTED, HEADER_SEQUENCE};
use crate::wave::{decode_uart, WireByte};
use std::fmt;

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
