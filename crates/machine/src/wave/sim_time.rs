//! Clock cycles with their steps.

/// Clock cycle of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimTime {
    /// Clock cycle, counted from the start.
    pub clock: u64,
    /// Step, counted from the start.
    pub t: u64,
    /// Finished clock cycles of the step.
    pub in_step: u64,
}
