//! The parameters and states of a frame engine, and the outcomes of frames.

use super::PhasePlan;
use hdl::prelude::*;

/// Parameters of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnginePlan {
    /// Receivers send answers. Without answers a sender does not learn the outcome of a frame.
    pub acked: bool,
    /// Each link serves the buffers that use it round-robin, otherwise in ascending order, as
    /// published.
    pub round_robin: bool,
    /// Messages are in a pool of slots, otherwise in one buffer per link.
    pub pool: bool,
    /// Longest payload of a frame in bytes, including the destination.
    pub payload: u64,
    pub phase: PhasePlan,
}

impl EnginePlan {
    /// Returns the plan for a node with a pool of slots. The nearest message of a pool goes first,
    /// so links do not serve round-robin.
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
            round_robin: false,
            pool: true,
            ..self
        }
    }
}

/// Step of a node within a frame. The order matters: the lower two bits of a step's number identify
/// the byte on the wire (sync, header, message byte or CRC byte).
#[word]
pub enum FrameState {
    Sync,
    Header,
    Length,
    Crc,
    /// Idle until the next window.
    Idle,
    /// The frame has ended, and the answer slot is not open yet.
    AwaitAnswer,
    Payload,
    Answer,
}

/// Record about a link that is written to the message memory.
#[word]
pub enum LinkRecord {
    Nothing,
    /// Number of consecutive timeouts of the link.
    Timeouts,
    /// Buffer that has the turn next.
    Turn,
}

/// Outcome of the frame that a node sent in a phase.
#[word]
pub enum SendResult {
    /// No frame was sent.
    Nothing,
    /// Timeout: no answer, or an invalid one.
    Timeout,
    /// NAK: the neighbour's buffer was full.
    Nak,
    /// The neighbour has the message. Without answers: the frame was sent.
    Accepted,
}

/// Outcome of the frame that a node received in a phase.
#[word]
pub enum ReceiveResult {
    /// Nothing was received.
    Nothing,
    /// The received bytes were not a valid frame.
    Damaged,
    /// Like `Damaged`, and the content of the buffer is lost. Occurs only without answers.
    Spoiled,
    /// A frame that the node already had; acknowledged again.
    Repeat,
    /// The buffer was full.
    Nak,
    /// The message is in the buffer.
    Stored,
    /// The message is in the buffer, and the previous content is lost. Occurs only without answers.
    Overwrote,
}
