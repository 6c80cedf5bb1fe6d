//! The three kinds of ejector that a chip can be built with.

/// How many messages the ejector of a chip takes out in one petit cycle
/// (`cm1-message-router`, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EjectMode {
    /// All that are at home. Those for the same processor are ORed.
    Or,
    /// For each processor the one in the lowest row.
    PerProcessor,
    /// The one in the lowest row.
    PerChip,
}
