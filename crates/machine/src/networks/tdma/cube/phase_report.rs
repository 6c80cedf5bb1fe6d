//! Report of a node on a phase that is over.

/// Report of a node on a phase that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhaseReport {
    /// Dimension in which the node took part.
    pub dim: u32,
    pub sent: SentKind,
    /// Buffer from which the node sent. With a pool, the slot from which it sent or into which it
    /// received.
    pub slot: u32,
    pub received: ReceivedKind,
    /// True if the node missed the deadline in a phase in which it could have sent.
    pub late: bool,
}

impl PhaseReport {
    /// Returns the report of a node that did nothing.
    pub fn nothing(dim: u32) -> Self {
        PhaseReport {
            dim,
            sent: SentKind::Nothing,
            slot: 0,
            received: ReceivedKind::Nothing,
            late: false,
        }
    }
}

/// Result of sending, in the encoding of [`Sent`](rtl::tdma::Sent).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentKind {
    Nothing,
    Timeout,
    Nak,
    Taken,
}

/// Result of receiving, in the encoding of [`ReceiveResult`](rtl::tdma::ReceiveResult).
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
        [Nothing, Timeout, Nak, Taken][code as usize]
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

    /// True if the receiver has the message, from this frame or an earlier one.
    pub fn has_message(self) -> bool {
        use ReceivedKind::{Overwrote, Repeat, Stored};
        matches!(self, Stored | Overwrote | Repeat)
    }
}
