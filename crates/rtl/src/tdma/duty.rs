//! The states of a forwarder.

use hdl::lower::word;
use rust_hdl::prelude::*;

/// State of a forwarder in its work at the beginning of a phase.
///
/// The order of the states saves logic cells: most transitions change one bit of the state number.
#[word]
pub enum Duty {
    /// Idle until the next phase.
    Done,
    /// Takes a message from the host into the injection buffer.
    Inject,
    /// Examines the next buffer.
    Look,
    /// Looks up the round-robin turn of the link. Requests the byte in the first clock cycle and
    /// has it in the second.
    Recall,
    /// Has the low byte of the destination, and needs the high one.
    Low,
    /// Sends a byte of the message to the host.
    Hand,
    /// Has the last byte of the destination, and decides about the message.
    Judge,
    /// Reads a byte of the message for the host.
    Fetch,
}
