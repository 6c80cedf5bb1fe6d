//! How a run ended, and how long it was.

/// How a run ended. Periods (superframes, petit cycles) are counted from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every message is accounted for.
    Complete,
    /// No message has moved for this many periods.
    Stuck { periods: u64 },
    /// Messages have moved for this many periods, and none of them has come to an end.
    Livelock { periods: u64 },
    /// The limit of periods was reached.
    Limit { periods: u64 },
    /// All programs have come to an end by themselves or by a fault, and messages are
    /// left.
    Halted { periods: u64 },
    /// Somebody asked it to stop.
    Stopped { periods: u64 },
}

/// How long a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    pub end: End,
    /// Steps that are over.
    pub steps: u64,
    pub clock_cycles: u64,
}
