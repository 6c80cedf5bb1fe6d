//! What a node says of a phase when it is over.

/// What a node says of a phase when it is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The dimension in which the node took part.
    pub dim: u32,
    pub sent: SentKind,
    /// The register that it sent from; of a pool, the place that it sent from or
    /// received into.
    pub slot: u32,
    pub received: ReceivedKind,
    /// It was not ready when it might have sent.
    pub late: bool,
}

impl Report {
    /// The node did nothing.
    pub fn nothing(dim: u32) -> Self {
        Report {
            dim,
            sent: SentKind::Nothing,
            slot: 0,
            received: ReceivedKind::Nothing,
            late: false,
        }
    }
}

/// As [`Sent`](crate::rtl::tdma::Sent) is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentKind {
    Nothing,
    Silent,
    Refused,
    Taken,
}

/// As [`Received`](crate::rtl::tdma::Received) is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReceivedKind {
    Nothing,
    Damaged,
    Spoiled,
    Repeat,
    Refused,
    Stored,
    Overwrote,
}

impl SentKind {
    pub fn decode(code: u64) -> Self {
        use SentKind::*;
        [Nothing, Silent, Refused, Taken][code as usize]
    }
}

impl ReceivedKind {
    pub fn decode(code: u64) -> Self {
        use ReceivedKind::*;
        let kinds = [
            Nothing, Damaged, Spoiled, Repeat, Refused, Stored, Overwrote,
        ];
        kinds[code as usize]
    }

    /// The receiver has the message, or had it already.
    pub fn has_it(self) -> bool {
        use ReceivedKind::{Overwrote, Repeat, Stored};
        matches!(self, Stored | Overwrote | Repeat)
    }
}
