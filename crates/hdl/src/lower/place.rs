//! Where a kernel's addresses lead.

use lockstep::design::SignalId;

/// What stands at an address, seen from the block whose kernel is built.
#[derive(Clone)]
pub(super) enum Place {
    Signal(SignalId),
    /// A clock input of the block itself.
    OwnClock(String),
    /// The clock pin of a cell or instance (`state.clock`).
    ChildClock(String),
    /// Something that a kernel must leave alone, and why.
    OutOfReach(String),
}
