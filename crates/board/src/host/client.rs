//! Host end of the line: sends a request and waits for its reply.

use super::message::{BoardReply, ErrorCode, HostRequest};
use super::wire::{LineItem, Receiver, VERSION};
use crate::port::{BoardPort, PortError};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;
use thiserror::Error;

/// Time without a reply after which a request is repeated.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Number of latest text lines that are stored.
const LINES_MAX: usize = 16;

/// Sends requests to a board one at a time. A request that is lost or damaged is repeated, and the
/// board executes it once.
pub struct Client {
    port: Box<dyn BoardPort>,
    receiver: Receiver,
    sequence: u16,
    /// Text lines received from the board.
    lines: Vec<String>,
    /// Timeout for a reply, in the board's time.
    timeout: Duration,
}

impl Client {
    /// Uses an open line. `patience` is the timeout for a reply, in the board's time.
    pub fn new(port: Box<dyn BoardPort>, patience: Duration) -> Self {
        Client {
            port,
            receiver: Receiver::default(),
            // A random start differs from the numbers of an earlier client, whose frames may still
            // be on the line.
            sequence: RandomState::new().build_hasher().finish() as u16,
            lines: vec![],
            timeout: patience,
        }
    }

    /// Changes the timeout for a reply.
    pub fn set_timeout(&mut self, patience: Duration) {
        self.timeout = patience;
    }

    /// Returns the latest text lines that the board sent.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Sends a request and returns its reply.
    ///
    /// # Errors
    /// If no reply comes before the timeout, the reply has the kind of another request, or the
    /// board refuses.
    pub fn request(&mut self, request: &HostRequest) -> Result<BoardReply, HostError> {
        self.sequence = self.sequence.wrapping_add(1);
        let frame = request.to_frame(self.sequence);
        let bytes = frame.to_bytes();
        let (mut waited, mut since) = (Duration::ZERO, Duration::ZERO);
        let mut garbled = false;
        self.port.send(&bytes)?;
        loop {
            let (came, took) = self.port.receive().map_err(|error| self.closed_error(error))?;
            (waited, since) = (waited + took, since + took);
            for received in self.receiver.receive(&came) {
                match received {
                    LineItem::Frame(reply) => match BoardReply::from_frame(&reply) {
                        // The board cannot read the sequence number of a garbled frame.
                        Some(BoardReply::Error { code: ErrorCode::Garbled, .. }) => garbled = true,
                        _ if reply.sequence != self.sequence => {}
                        Some(BoardReply::Error { code, text }) => {
                            return Err(HostError::Refused { code, text })
                        }
                        Some(printed) if reply.kind & 0x7F == frame.kind => return Ok(printed),
                        _ => return Err(HostError::UnexpectedReply),
                    },
                    LineItem::Foreign { version, sequence } if sequence == self.sequence => {
                        return Err(HostError::Version { theirs: version });
                    }
                    LineItem::Line(line) => {
                        self.lines.push(line);
                        let over = self.lines.len().saturating_sub(LINES_MAX);
                        self.lines.drain(..over);
                    }
                    LineItem::Foreign { .. } | LineItem::Garbled(_) => {}
                }
            }
            if waited >= self.timeout {
                return Err(HostError::Timeout {
                    seconds: waited.as_secs(),
                    printed: self.lines.clone(),
                });
            }
            // A garbled request is repeated early. The short wait protects a line on which every
            // frame is damaged.
            if since >= RETRY_INTERVAL || garbled && since >= RETRY_INTERVAL / 20 {
                (since, garbled) = (Duration::ZERO, false);
                self.port.send(&bytes)?;
            }
        }
    }

    /// Converts the end of the line to an error. The board's last text line may give the reason.
    fn closed_error(&self, error: PortError) -> HostError {
        match self.lines.last() {
            Some(printed) if printed.starts_with("error ") => {
                HostError::Busy { printed: printed.clone() }
            }
            _ => error.into(),
        }
    }
}

// Errors between a host and its board.

/// Reason why a board does not execute a request.
#[derive(Debug, Error)]
pub enum HostError {
    #[error(transparent)]
    Port(#[from] PortError),
    /// Timeout: no reply to a request arrived in this time.
    #[error("timeout: the board has not answered for {seconds} s{}", received(.printed))]
    Timeout { seconds: u64, printed: Vec<String> },
    #[error("the board is busy: {printed}")]
    Busy { printed: String },
    #[error("the board speaks version {theirs} of the host protocol; accepted: {VERSION}")]
    Version { theirs: u8 },
    /// The board's own error text.
    #[error("the board rejects the request: {text}")]
    Refused { code: ErrorCode, text: String },
    #[error("the board sent an unexpected reply; accepted: a board with host protocol {VERSION}")]
    UnexpectedReply,
    #[error(
        "{program} has {bytes} bytes; accepted: up to {limit}, which a node of this board has"
    )]
    TooLarge { program: String, bytes: usize, limit: u32 },
    #[error("a message has {bytes} bytes; accepted: 1 to {limit} on this board")]
    Message { bytes: usize, limit: u8 },
    #[error("a payload has {bytes} bytes; accepted: up to {limit} on this board")]
    Payload { bytes: usize, limit: u8 },
    #[error("there is no node {found}; accepted: 0x0 to 0x{last:X}")]
    Node { found: String, last: u32 },
    #[error("the board has failed: {0}")]
    Failed(String),
    #[error("no program was loaded; accepted: load one first")]
    NoProgram,
    #[error(
        "{program} does not run on the board: its CRC is 0x{expected:08X}, and the board's program \
         has 0x{found:08X}; accepted: the program that was loaded"
    )]
    OtherProgram { program: String, found: u32, expected: u32 },
}

/// Describes the text of a board that sends no frames.
fn received(printed: &[String]) -> String {
    match printed.last() {
        None => "; it may be off, or the port belongs to another device".into(),
        Some(last) => format!(
            " in frames; it sent {last:?}: does its image know the host protocol? One with patterns \
             only is for phasecube monitor"
        ),
    }
}
