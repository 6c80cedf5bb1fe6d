//! Errors between a host and its board.

use super::message::ErrorCode;
use super::wire::VERSION;
use crate::port::PortError;
use thiserror::Error;

/// Reason why a board does not execute a request.
#[derive(Debug, Error)]
pub enum HostError {
    #[error(transparent)]
    Port(#[from] PortError),
    /// Timeout: no reply to a request arrived in this time.
    #[error("timeout: the board has not answered for {seconds} s{}", heard(.said))]
    Timeout { seconds: u64, said: Vec<String> },
    #[error("the board is busy: {said}")]
    Busy { said: String },
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
    TooLarge {
        program: String,
        bytes: usize,
        limit: u32,
    },
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
}

/// Describes the text of a board that sends no frames.
fn heard(said: &[String]) -> String {
    match said.last() {
        None => "; it may be off, or the port belongs to another device".into(),
        Some(last) => format!(
            " in frames; it said {last:?}: does its image know the host protocol? One with patterns \
             only is for phasecube monitor"
        ),
    }
}
