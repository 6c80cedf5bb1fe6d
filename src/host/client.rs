//! The host's end of the line: a request, and the reply to it.

use super::error::HostError;
use super::message::{ErrorCode, Reply, Request};
use super::wire::{Heard, Receiver};
use crate::board::port::{HostPort, PortError};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

/// After so long without a reply a request is sent again.
const AGAIN: Duration = Duration::from_secs(1);

/// Lines of text that are kept.
const LINES: usize = 16;

/// Asks a board one thing after the other. What is lost or damaged on the way is asked again;
/// the board does it once.
pub struct Client {
    port: Box<dyn HostPort>,
    receiver: Receiver,
    sequence: u16,
    /// What the board said in text.
    lines: Vec<String>,
    /// How long it may be silent, in the board's time.
    patience: Duration,
}

impl Client {
    /// On a line that is open. A board may be silent for so long.
    pub fn new(port: Box<dyn HostPort>, patience: Duration) -> Self {
        Client {
            port,
            receiver: Receiver::default(),
            // Not that of another client, whose frames may still be on the line.
            sequence: RandomState::new().build_hasher().finish() as u16,
            lines: vec![],
            patience,
        }
    }

    /// From now on it may be silent for so long.
    pub fn be_patient(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// The latest lines of text that came.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The reply to a request.
    ///
    /// # Errors
    /// If there is none, it is none to this request, or it refuses.
    pub fn ask(&mut self, request: &Request) -> Result<Reply, HostError> {
        self.sequence = self.sequence.wrapping_add(1);
        let frame = request.to_frame(self.sequence);
        let bytes = frame.to_bytes();
        let (mut waited, mut since) = (Duration::ZERO, Duration::ZERO);
        let mut garbled = false;
        self.port.send(&bytes)?;
        loop {
            let (came, took) = self.port.receive().map_err(|error| self.gone(error))?;
            (waited, since) = (waited + took, since + took);
            for heard in self.receiver.take(&came) {
                match heard {
                    Heard::Frame(reply) => match Reply::of_frame(&reply) {
                        // Nothing is known of what could not be read, its number neither.
                        Some(Reply::Error {
                            code: ErrorCode::Garbled,
                            ..
                        }) => garbled = true,
                        _ if reply.sequence != self.sequence => {}
                        Some(Reply::Error { code, text }) => {
                            return Err(HostError::Refused { code, text })
                        }
                        Some(said) if reply.kind & 0x7F == frame.kind => return Ok(said),
                        _ => return Err(HostError::NotUnderstood),
                    },
                    Heard::Foreign { version, sequence } if sequence == self.sequence => {
                        return Err(HostError::Version { theirs: version });
                    }
                    Heard::Line(line) => {
                        self.lines.push(line);
                        let over = self.lines.len().saturating_sub(LINES);
                        self.lines.drain(..over);
                    }
                    Heard::Foreign { .. } | Heard::Garbled(_) => {}
                }
            }
            if waited >= self.patience {
                return Err(HostError::Silent {
                    seconds: waited.as_secs(),
                    said: self.lines.clone(),
                });
            }
            // What it could not read is sent again at once, but for a line on which nothing
            // comes through.
            if since >= AGAIN || garbled && since >= AGAIN / 20 {
                (since, garbled) = (Duration::ZERO, false);
                self.port.send(&bytes)?;
            }
        }
    }

    /// Why the line is at its end: what the board said last, if it was that.
    fn gone(&self, error: PortError) -> HostError {
        match self.lines.last() {
            Some(said) if said.starts_with("error ") => HostError::Busy { said: said.clone() },
            _ => error.into(),
        }
    }
}
