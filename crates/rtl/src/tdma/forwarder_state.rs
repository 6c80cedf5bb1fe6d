//! The states of a forwarder.
use hdl::prelude::*;

/// State of a forwarder in its work at the beginning of a phase.
///
/// The order of the states saves logic cells: most transitions change one bit of the state number.
#[word]
pub enum ForwarderState {
    /// Idle until the next phase.
    Done,
    /// Takes a message from the host into the injection buffer.
    Inject,
    /// Examines the next buffer.
    Examine,
    /// Looks up the round-robin turn of the link. Requests the byte in the first clock cycle and
    /// has it in the second.
    Turn,
    /// Has the low byte of the destination, and needs the high one.
    HighByte,
    /// Sends a byte of the message to the host.
    Deliver,
    /// Has the last byte of the destination, and decides about the message.
    Decide,
    /// Reads a byte of the message for the host.
    Fetch,
}
