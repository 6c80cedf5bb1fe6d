//! The kinds of ejector that a chip can have.

/// Selection of the messages that the ejector of a chip takes out in one petit cycle
/// (`cm1-message-router`, sections 3.3 and 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EjectMode {
    /// All messages that have reached their chip. Messages for the same processor are ORed.
    Or,
    /// For each processor the message in the lowest row.
    PerProcessor,
    /// The message in the lowest row.
    PerChip,
    /// Messages for one bank of virtual processors, that is, with the VP-ADDRESS that the front end
    /// selects. For each processor the message in the lowest row.
    Bank,
}
