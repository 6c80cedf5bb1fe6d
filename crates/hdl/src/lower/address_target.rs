//! Meaning of the addresses in a kernel.

use lockstep::design::SignalId;

/// Item at an address, seen from the block whose kernel is built.
#[derive(Clone)]
pub(super) enum AddressTarget {
    Signal(SignalId),
    /// Clock input of the block itself.
    BlockClock(String),
    /// Clock pin of a cell or instance (`state.clock`).
    ChildClock(String),
    /// Item that a kernel must not use, with the reason.
    OutOfReach(String),
}
