//! Frames as bytes (docs/machine.md, "Frame"): a second implementation of the circuits' format, in
//! software.

use super::cube::SyncSource;
use crate::flags::FlagChoice;
use crate::networks::NetworkError;
use clap::Args;
use crc::{Crc, CRC_16_IBM_3740};
use interconnect::routing::tdma::{Routing, ServiceOrder};
use thiserror::Error;

/// First byte of every frame.
const SYNC: u8 = 0xAA;

/// Header bit 7: marks a routed message. Its payload begins with the 16-bit destination, low byte
/// first.
pub const HEADER_ROUTED: u8 = 0x80;

/// Header bit 6: sequence bit of this link and direction.
pub const HEADER_SEQUENCE: u8 = 0x40;

/// Header bits that are always zero.
const HEADER_ZERO: u8 = 0x3F;

/// Bytes of the longest payload, including the destination of a routed message.
pub const PAYLOAD_MAX: usize = 80;

/// Bytes of a frame other than payload: sync, header, length, two of CRC.
pub const OVERHEAD: usize = 5;

/// CRC-16/CCITT: polynomial 0x1021, most significant bit first.
const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_3740);

/// Contents of a frame between sync and CRC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TdmaFrame {
    pub header: u8,
    pub payload: Vec<u8>,
}

/// Reason why the bytes received in a phase are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    #[error("the first byte is {0:#04x}, not the sync byte 0xaa")]
    NoSync(u8),
    #[error("the length is {0}, more than 80")]
    Oversize(u8),
    #[error("the frame ends after {have} of {want} bytes")]
    Unfinished { have: usize, want: usize },
    #[error("{0} bytes follow the frame")]
    Trailing(usize),
    #[error("the CRC is {found:#06x}, not {expected:#06x}")]
    Damaged { found: u16, expected: u16 },
    #[error("the header is {0:#04x}; its lowest six bits are zero")]
    BadHeader(u8),
}

/// Returns the CRC start value for a frame that `sender` transmits across dimension `dim`.
///
/// The value identifies sender and phase. The phase is twice the dimension plus the sender's
/// address bit, so dimension and address contain the same information in 16 bits. Address and phase
/// would need 17 bits for the 12-cube.
fn crc_start(sender: u32, dim: u32) -> u16 {
    let word = sender as u16 ^ (dim << 12) as u16;
    0xFFFF ^ word
}

impl TdmaFrame {
    /// Returns a message to `destination`.
    ///
    /// # Panics
    /// If the payload is longer than 78 bytes.
    pub fn routed(destination: u32, payload: &[u8]) -> Self {
        assert!(payload.len() + 2 <= PAYLOAD_MAX, "the payload fits a frame");
        let mut all = (destination as u16).to_le_bytes().to_vec();
        all.extend_from_slice(payload);
        TdmaFrame { header: HEADER_ROUTED, payload: all }
    }

    /// Returns the destination of a routed message.
    pub fn destination(&self) -> Option<u32> {
        match (self.header & HEADER_ROUTED, self.payload.as_slice()) {
            (HEADER_ROUTED, [low, high, ..]) => Some(u16::from_le_bytes([*low, *high]).into()),
            _ => None,
        }
    }

    /// Returns the bytes of the frame on the wire.
    pub fn encode(&self, sender: u32, dim: u32) -> Vec<u8> {
        let mut bytes = vec![SYNC, self.header, self.payload.len() as u8];
        bytes.extend_from_slice(&self.payload);
        bytes.extend(self.crc(sender, dim).to_be_bytes());
        bytes
    }

    fn crc(&self, sender: u32, dim: u32) -> u16 {
        // The library reflects nothing for this algorithm, so it uses the start value unchanged.
        let mut digest = CRC.digest_with_initial(crc_start(sender, dim));
        digest.update(&[self.header, self.payload.len() as u8]);
        digest.update(&self.payload);
        digest.finalize()
    }

    /// Decodes the bytes received in a phase in which `sender` transmitted across `dim`.
    ///
    /// # Errors
    /// If the bytes are not exactly one valid frame.
    pub fn decode(bytes: &[u8], sender: u32, dim: u32) -> Result<Self, FrameError> {
        let unfinished = |want| FrameError::Unfinished { have: bytes.len(), want };
        let &[sync, header, length, ref rest @ ..] = bytes else {
            return Err(unfinished(OVERHEAD));
        };
        if sync != SYNC {
            return Err(FrameError::NoSync(sync));
        }
        if usize::from(length) > PAYLOAD_MAX {
            return Err(FrameError::Oversize(length));
        }
        let want = OVERHEAD + usize::from(length);
        match bytes.len() {
            have if have < want => return Err(unfinished(want)),
            have if have > want => return Err(FrameError::Trailing(have - want)),
            _ => {}
        }
        let (payload, crc) = rest.split_at(length.into());
        let frame = TdmaFrame { header, payload: payload.to_vec() };
        let found = u16::from_be_bytes([crc[0], crc[1]]);
        let expected = frame.crc(sender, dim);
        if found != expected {
            return Err(FrameError::Damaged { found, expected });
        }
        if header & HEADER_ZERO != 0 {
            return Err(FrameError::BadHeader(header));
        }
        Ok(frame)
    }
}

// Properties of links: answers of receivers, service order of buffers, and delivery order of
// messages.

/// Reaction of a receiver to a frame (docs/machine.md, "Receive buffer").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The receiver answers. A frame without an answer is repeated.
    Acked,
    /// The receiver does not answer, as in the published machine. Messages may be lost.
    Raw,
}

impl FlagChoice for LinkKind {
    const OPTION_NAME: &'static str = "link";
    const ACCEPTED: &'static [(&'static str, Self)] = &[("acked", Self::Acked), ("raw", Self::Raw)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for ServiceOrder {
    const OPTION_NAME: &'static str = "service order";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("turns", Self::RoundRobin), ("ascending", Self::Ascending)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for SyncSource {
    const OPTION_NAME: &'static str = "sync source";
    const ACCEPTED: &'static [(&'static str, Self)] = &[("wire", Self::Wire), ("own", Self::Local)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for Routing {
    const OPTION_NAME: &'static str = "routing";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("ecube", Self::ECube), ("adaptive", Self::Adaptive)];
    const RESERVED: &'static [&'static str] = &[];
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct LinkFlags {
    /// Links of the TDMA machine: acked, which lose nothing; or raw, the published links without
    /// answers, which lose messages [default: acked]
    #[arg(long, value_name = "NAME", value_parser = LinkKind::parser(), hide_possible_values = true)]
    pub link: Option<LinkKind>,

    /// Buffer that a TDMA link serves first, with e-cube routing: turns, the one after the last
    /// that was served; or ascending, the lowest, as raw links always do, so that others may starve
    /// [default: turns]
    #[arg(long, value_name = "NAME", value_parser = ServiceOrder::parser(), hide_possible_values = true)]
    pub service_order: Option<ServiceOrder>,
}

impl LinkFlags {
    /// Refuses a service order that the link does not support.
    ///
    /// # Errors
    /// If buffers of raw links are to be served in turns.
    pub fn check(&self) -> Result<(), NetworkError> {
        match (self.link(), self.service_order) {
            (LinkKind::Raw, Some(ServiceOrder::RoundRobin)) => Err(NetworkError::bad(
                "--service-order turns does not go with --link raw, whose buffers are served in \
                 ascending order; accepted: --service-order ascending, or no --service-order",
            )),
            _ => Ok(()),
        }
    }

    pub fn link(&self) -> LinkKind {
        self.link.unwrap_or(LinkKind::Acked)
    }

    pub fn service_order(&self) -> ServiceOrder {
        self.service_order.unwrap_or(ServiceOrder::RoundRobin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the CRC by its definition, bit by bit: the remainder modulo x^16 + x^12 + x^5 + 1,
    /// most significant bit first.
    fn crc_by_division(start: u16, bytes: &[u8]) -> u16 {
        let mut remainder = start;
        for byte in bytes {
            for bit in (0..8).rev() {
                let feedback = (remainder >> 15) ^ u16::from(byte >> bit & 1);
                remainder = (remainder << 1) ^ (feedback * 0x1021);
            }
        }
        remainder
    }

    /// Checks the check value of CRC-16/CCITT-FALSE from the catalogue.
    #[test]
    fn the_crc_by_division_matches_the_catalogue() {
        assert_eq!(crc_by_division(0xFFFF, b"123456789"), 0x29B1);
    }

    #[test]
    fn a_frame_has_sync_header_length_payload_crc() {
        let frame = TdmaFrame::routed(0x91C, &[1, 2, 3]);
        let bytes = frame.encode(0x2A3, 4);
        assert_eq!(bytes[..8], [0xAA, 0x80, 5, 0x1C, 0x09, 1, 2, 3]);
        let crc = crc_by_division(0xFFFF ^ 0x2A3 ^ 0x4000, &bytes[1..8]);
        assert_eq!(bytes[8..], crc.to_be_bytes());
        assert_eq!(TdmaFrame::decode(&bytes, 0x2A3, 4), Ok(frame.clone()));
        assert_eq!(frame.destination(), Some(0x91C));
    }

    /// On one link, only its two ends can be mistaken for each other.
    #[test]
    fn the_crc_rejects_frames_of_other_senders_and_dimensions() {
        for dim in 0..16 {
            let bytes = TdmaFrame::routed(1, &[]).encode(0x2A3, dim);
            for (sender, other) in [(0x2A3 ^ (1 << dim), dim), (0x2A3, (dim + 1) % 16)] {
                assert!(matches!(
                    TdmaFrame::decode(&bytes, sender, other),
                    Err(FrameError::Damaged { .. })
                ));
            }
        }
    }

    #[test]
    fn every_single_bit_error_is_detected() {
        let frame = TdmaFrame::routed(3, &[0xFF, 0, 0x55]);
        let bytes = frame.encode(2, 0);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(TdmaFrame::decode(&damaged, 2, 0).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn invalid_frames_have_their_errors() {
        let bytes = TdmaFrame::routed(3, &[7]).encode(2, 0);
        assert_eq!(
            TdmaFrame::decode(&bytes[..6], 2, 0),
            Err(FrameError::Unfinished { have: 6, want: 8 })
        );
        assert_eq!(
            TdmaFrame::decode(&[&bytes[..], &[0]].concat(), 2, 0),
            Err(FrameError::Trailing(1))
        );
        assert_eq!(TdmaFrame::decode(&[0xAA, 0, 81], 2, 0), Err(FrameError::Oversize(81)));
        assert_eq!(TdmaFrame::decode(&[0x55; 8], 2, 0), Err(FrameError::NoSync(0x55)));
        let odd = TdmaFrame { header: 0x81, payload: vec![0, 0] };
        assert_eq!(TdmaFrame::decode(&odd.encode(0, 0), 0, 0), Err(FrameError::BadHeader(0x81)));
    }
}
