//! End and length of a run.

/// End of a run. Periods (superframes, petit cycles) are counted from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Every message is accounted for.
    Complete,
    /// No message has moved for this number of periods.
    Deadlock { periods: u64 },
    /// Messages have moved for this number of periods, but none has reached a final outcome.
    Livelock { periods: u64 },
    /// The limit of periods was reached.
    Limit { periods: u64 },
    /// All programs have ended or halted, and messages are left.
    Halted { periods: u64 },
    /// The run was stopped on request.
    Stopped { periods: u64 },
}

/// End and length of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunEnd {
    pub end: EndReason,
    /// Number of finished steps.
    pub steps: u64,
    pub clock_cycles: u64,
}
