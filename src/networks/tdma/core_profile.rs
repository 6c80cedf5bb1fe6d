//! What one core did with its time.

/// What one core did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreProfile {
    /// Clock cycles in which it worked, or waited for memory.
    pub awake: u64,
    /// Clock cycles in which it slept.
    pub asleep: u64,
    /// Clock cycles after it had stopped for good.
    pub stopped: u64,
    /// Instructions that it finished.
    pub instructions: u64,
    /// For every phase the clock cycles until the software had decided what the
    /// node sends.
    pub service: Vec<u32>,
}
