//! Clock cycles by the steps that they are in.

/// A clock cycle of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Counted from the start.
    pub clock: u64,
    /// The step, counted from the start.
    pub t: u64,
    /// Clock cycles of the step that are over.
    pub in_step: u64,
}
