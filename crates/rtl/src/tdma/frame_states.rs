//! What a frame engine is built for, what it does, and what became of frames.

use super::PhasePlan;
use hdl::lower::word;
use rust_hdl::prelude::*;

/// What a node is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnginePlan {
    /// Receivers answer; else nobody learns what became of a frame.
    pub acked: bool,
    /// Each link serves the registers that want it in turns, else in ascending
    /// order, as published.
    pub turns: bool,
    /// Messages lie in a pool of places, else in a register for each link.
    pub pool: bool,
    /// Longest payload of a frame in bytes, the destination included.
    pub payload: u64,
    pub phase: PhasePlan,
}

impl EnginePlan {
    /// The same for a node with a pool of places. Of these the nearest message goes first, so that
    /// no link serves in turns.
    ///
    /// # Panics
    /// If links have no answers.
    #[must_use]
    pub fn pooled(self) -> Self {
        assert!(
            self.acked,
            "a pool of places refuses what it has no place for"
        );
        EnginePlan {
            turns: false,
            pool: true,
            ..self
        }
    }
}

/// Where a node is in a frame. In the lower two bits of its number a step has which
/// byte is on the wire, so the order matters: sync, header, a byte of the message, or
/// one of the CRC.
#[word]
pub enum Step {
    Sync,
    Header,
    Length,
    Crc,
    /// Nothing to do before the next window.
    Rest,
    /// The frame is over, the answer slot has not begun.
    Settle,
    Payload,
    Answer,
}

/// What is written down of a link in the message memory.
#[word]
pub enum Entry {
    Nothing,
    /// Its silences in a row.
    Silences,
    /// The register whose turn it is next.
    Turn,
}

/// What became of the frame that a node sent in a phase.
#[word]
pub enum Sent {
    /// It sent none.
    Nothing,
    /// No answer, or one that makes no sense.
    Silent,
    /// The neighbour's register was full.
    Refused,
    /// The neighbour has the message. Without answers: it was sent.
    Taken,
}

/// What became of the frame that a node received in a phase.
#[word]
pub enum Received {
    /// It heard none.
    Nothing,
    /// What it heard was no good frame.
    Damaged,
    /// As `Damaged`, and what was in the register is lost; only without answers.
    Spoiled,
    /// A frame that it had already, acknowledged once more.
    Repeat,
    /// The register was full.
    Refused,
    /// The message is in the register.
    Stored,
    /// The message is in the register and what was there is lost; only without
    /// answers.
    Overwrote,
}
