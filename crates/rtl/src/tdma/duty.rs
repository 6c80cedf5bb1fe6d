//! What a forwarder is about.

use hdl::lower::word;
use rust_hdl::prelude::*;

/// What the forwarder does at the beginning of a phase.
///
/// The order saves logic cells: most steps from one to another change one bit of the number.
#[word]
pub enum Duty {
    /// Done, until the next phase.
    Done,
    /// Takes a message from the host into the injection register.
    Inject,
    /// Looks at the next register.
    Look,
    /// Looks up whose turn the link has: asks the memory in one clock cycle, has it in the next.
    Recall,
    /// Has the low byte of the destination, and needs the high one.
    Low,
    /// Hands a byte of the message to the host.
    Hand,
    /// Has the last byte of the destination, and judges the message.
    Judge,
    /// Reads a byte of the message for the host.
    Fetch,
}
