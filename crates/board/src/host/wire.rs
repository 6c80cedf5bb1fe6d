//! Frames on the line between a board and its host, and lines of text between frames.
//!
//! A frame is a zero byte, its body in COBS, and a zero byte. One zero between two frames is
//! enough. The body:
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | version of the protocol, [`VERSION`] |
//! | 1 | kind |
//! | 2 | sequence number, low byte first |
//! | 0 to [`PAYLOAD_MAX`] | payload |
//! | 4 | CRC-32 (ISO-HDLC, as in Ethernet and zlib) of all bytes before it, low byte first |
//!
//! Version, sequence number and CRC have these positions in all versions. A version is 1 to 9, so
//! the second byte of a frame is not printable and no frame looks like a line of text.

use crc::{Crc, CRC_32_ISO_HDLC};

/// Version of the protocol.
pub const VERSION: u8 = 1;

/// Largest payload of a frame, in bytes.
pub const PAYLOAD_MAX: usize = 1024;

/// Bytes before the payload. `TRAILER` is the number of bytes after it.
const HEADER: usize = 4;
const TRAILER: usize = 4;

/// Largest number of bytes between two zeros. COBS adds one byte, and one for each 254.
const SEGMENT_MAX: usize = HEADER + PAYLOAD_MAX + TRAILER + 1 + PAYLOAD_MAX / 254 + 1;

/// CRC-32 of a frame or a program.
pub fn crc32(bytes: &[u8]) -> u32 {
    Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(bytes)
}

/// Frame of this version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFrame {
    pub kind: u8,
    pub sequence: u16,
    pub payload: Vec<u8>,
}

impl HostFrame {
    /// Encodes the frame with both zero bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.with_version(VERSION)
    }

    /// Encodes the frame with another version number.
    pub fn with_version(&self, version: u8) -> Vec<u8> {
        let [low, high] = self.sequence.to_le_bytes();
        let mut body = vec![version, self.kind, low, high];
        body.extend(&self.payload);
        body.extend(crc32(&body).to_le_bytes());
        let mut bytes = vec![0];
        bytes.extend(cobs::encode_vec(&body));
        bytes.push(0);
        bytes
    }
}

/// Reason why the bytes between two zeros are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbled {
    /// The bytes are longer than the longest frame.
    TooLong,
    /// The bytes are not valid COBS, or are shorter than a frame.
    Malformed,
    /// The CRC does not match.
    BadCrc,
}

/// Item received on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineItem {
    Frame(HostFrame),
    /// Frame of another version with a correct CRC.
    Foreign {
        version: u8,
        sequence: u16,
    },
    /// Non-empty line of printable ASCII, without its line end.
    Line(String),
    Garbled(Garbled),
}

/// Finds frames and lines in received bytes, which come in pieces of any length.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    /// Bytes since the last zero or the end of the last line.
    segment: Vec<u8>,
    /// The segment is too long, and its end has not come yet.
    too_long: bool,
}

impl Receiver {
    /// Returns the frames and lines that these bytes complete.
    pub fn receive(&mut self, bytes: &[u8]) -> Vec<LineItem> {
        let mut received = vec![];
        for &byte in bytes {
            match byte {
                0 => received.extend(self.frame()),
                b'\n' | b'\r' => received.extend(self.line(byte)),
                _ => self.push(byte),
            }
        }
        received
    }

    fn push(&mut self, byte: u8) {
        match self.segment.len() < SEGMENT_MAX {
            true => self.segment.push(byte),
            false => self.too_long = true,
        }
    }

    /// Handles a zero byte: the bytes before it may be a frame.
    fn frame(&mut self) -> Option<LineItem> {
        let segment = std::mem::take(&mut self.segment);
        if std::mem::take(&mut self.too_long) {
            return Some(LineItem::Garbled(Garbled::TooLong));
        }
        (!segment.is_empty()).then(|| decode(&segment))
    }

    /// Handles a line end, which may also be a byte of a frame.
    fn line(&mut self, end: u8) -> Option<LineItem> {
        // The first byte of a frame can be a line end, so the ends of empty lines are kept.
        let ends = |byte: &&u8| matches!(**byte, b'\n' | b'\r');
        let blank = self.segment.iter().take_while(ends).count();
        let text = &self.segment[blank..];
        let printable = text.iter().all(|byte| matches!(byte, b' '..=b'~'));
        if text.is_empty() {
            self.segment = vec![end];
            return None;
        }
        if printable {
            let line = (!self.too_long).then(|| String::from_utf8_lossy(text).into_owned());
            *self = Receiver::default();
            return line.map(LineItem::Line);
        }
        match self.segment.get(1) {
            // The bytes are not a frame of any version, but a line with unprintable bytes.
            Some(10..) => *self = Receiver::default(),
            _ => self.push(end),
        }
        None
    }
}

/// Decodes the bytes between two zeros.
fn decode(segment: &[u8]) -> LineItem {
    let body = match cobs::decode_vec(segment) {
        Ok(body) if body.len() >= HEADER + TRAILER => body,
        _ => return LineItem::Garbled(Garbled::Malformed),
    };
    let (printed, check) = body.split_at(body.len() - TRAILER);
    if crc32(printed).to_le_bytes() != check {
        return LineItem::Garbled(Garbled::BadCrc);
    }
    let (version, kind) = (printed[0], printed[1]);
    let sequence = u16::from_le_bytes([printed[2], printed[3]]);
    match version {
        VERSION => {
            LineItem::Frame(HostFrame { kind, sequence, payload: printed[HEADER..].to_vec() })
        }
        _ => LineItem::Foreign { version, sequence },
    }
}

// Little-endian numbers in the payload of a frame.

/// Reads a payload from its beginning.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Takes the next `count` bytes, or returns `None` if fewer are left.
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    pub fn u16(&mut self) -> Option<u16> {
        let bytes = self.bytes(2)?;
        bytes.try_into().ok().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes(4)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        let bytes = self.bytes(8)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }

    /// Takes all remaining bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Takes all remaining bytes as text. Invalid UTF-8 is replaced.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.rest()).into_owned()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(payload: &[u8]) -> HostFrame {
        HostFrame { kind: 0x41, sequence: 0x0A42, payload: payload.to_vec() }
    }

    /// Worked out by hand: COBS replaces each zero by the distance to the next one. Python's
    /// binascii.crc32 gives the CRC.
    #[test]
    fn a_frame_has_the_documented_bytes() {
        let hello = HostFrame { kind: 1, sequence: 5, payload: vec![] };
        // binascii.crc32(bytes([1, 1, 5, 0]))
        let check = 0xE54D260B_u32.to_le_bytes();
        let expected = [&[0, 4, 1, 1, 5, 5][..], &check, &[0]].concat();
        assert_eq!(hello.to_bytes(), expected);
        // Check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn frames_are_received_in_pieces_of_any_length() {
        for length in [0, 1, 8, 9, 12, 244, 246, 247, 254, 500, PAYLOAD_MAX] {
            for fill in [0, 1, 10, 13, 65] {
                let sent = frame(&vec![fill; length]);
                let bytes = sent.to_bytes();
                for piece in [1, 3, bytes.len()] {
                    let mut receiver = Receiver::default();
                    let received = bytes.chunks(piece).flat_map(|piece| receiver.receive(piece));
                    let received: Vec<LineItem> = received.collect();
                    assert_eq!(received, [LineItem::Frame(sent.clone())], "{length} of {fill}");
                }
            }
        }
    }

    #[test]
    fn text_lines_are_received_between_frames() {
        let line = |text: &str| LineItem::Line(text.to_owned());
        let sent = frame(&[0, 10, 13, 0]);
        let mut bytes = b"ready\r\n\n\ncomplement 7\n".to_vec();
        bytes.extend(sent.to_bytes());
        bytes.extend(b"x\n");
        // Noise before a line invalidates only that line.
        bytes.extend(b"\x80\x90a\nnext\n");
        let received = Receiver::default().receive(&bytes);
        let frame = LineItem::Frame(sent);
        let expected = [line("ready"), line("complement 7"), frame, line("x"), line("next")];
        assert_eq!(received, expected);
    }

    /// Flips every single bit, cuts at every position, and omits one zero.
    #[test]
    fn a_damaged_frame_is_rejected_and_the_next_one_received() {
        let (sent, next) = (frame(b"payload 0"), frame(b"next"));
        let bytes = sent.to_bytes();
        let received_after = |damaged: &[u8]| {
            let mut receiver = Receiver::default();
            let mut received = receiver.receive(damaged);
            received.extend(receiver.receive(&next.to_bytes()));
            received
        };
        for place in 1..bytes.len() - 1 {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                let received = received_after(&damaged);
                assert!(!received.contains(&LineItem::Frame(sent.clone())), "{place} {bit}");
                assert_eq!(received.last(), Some(&LineItem::Frame(next.clone())));
            }
            let received = received_after(&bytes[..place]);
            assert!(!received.contains(&LineItem::Frame(sent.clone())), "{place}");
            assert_eq!(received.last(), Some(&LineItem::Frame(next.clone())));
        }
        let both = [LineItem::Frame(sent.clone()), LineItem::Frame(next.clone())];
        assert_eq!(received_after(&bytes[1..]), both);
        assert_eq!(received_after(&bytes[..bytes.len() - 1]), both);
    }

    #[test]
    fn foreign_versions_and_overlong_frames_are_reported() {
        let foreign = frame(b"?").with_version(2);
        let received = Receiver::default().receive(&foreign);
        let (version, sequence) = (2, 0x0A42);
        assert_eq!(received, [LineItem::Foreign { version, sequence }]);
        let mut receiver = Receiver::default();
        assert_eq!(receiver.receive(&vec![0x80; 1 << 20]), []);
        let garbled = LineItem::Garbled(Garbled::TooLong);
        assert_eq!(receiver.receive(&[0]), [garbled]);
        assert!(receiver.segment.capacity() < 2 * SEGMENT_MAX);
    }
}
