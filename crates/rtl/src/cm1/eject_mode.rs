//! The three kinds of ejector that a chip can be built with.

/// Which messages the ejector of a chip takes out in one petit cycle
/// (`cm1-message-router`, sections 3.3 and 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EjectMode {
    /// All that are at home. Those for the same processor are ORed.
    Or,
    /// For each processor the one in the lowest row.
    PerProcessor,
    /// The one in the lowest row.
    PerChip,
    /// Those for one bank of virtual processors, that is with one VP-ADDRESS: the front end says
    /// which. For each processor the one in the lowest row.
    Bank,
}
