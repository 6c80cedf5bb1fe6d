//! Activity of one core over time.

/// Activity counts of one core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreProfile {
    /// Clock cycles in which the core worked or waited for memory.
    pub awake: u64,
    /// Clock cycles in which the core slept.
    pub asleep: u64,
    /// Clock cycles after the core had stopped permanently.
    pub stopped: u64,
    /// Instructions retired.
    pub instructions: u64,
    /// For every phase, the clock cycles until the software had decided what the node sends.
    pub service: Vec<u32>,
}
