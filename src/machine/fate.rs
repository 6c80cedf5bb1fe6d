//! What becomes of messages, in every network.

/// What became of one message.
///
/// Times are in steps of the machine, counted from the start: phases in the TDMA cube,
/// petit cycles in the CM-1. They are counted in 32 bits; a run ends before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Not known yet: it is in the machine, or was never sent.
    UnderWay,
    /// Source and destination are the same: it never entered the network.
    ToSelf,
    /// It arrived in this step, unchanged, and was handed over.
    Delivered { t: u32 },
    /// In this step another message took its place, or it arrived damaged, or the
    /// machine was empty without it.
    Lost { t: u32 },
    /// It was given up, and certainly not delivered.
    Undelivered,
    /// It was given up, and the machine does not know whether it was delivered.
    Unknown,
}

impl Fate {
    /// The step in which it arrived.
    pub fn arrived(self) -> Option<u32> {
        match self {
            Fate::Delivered { t } => Some(t),
            _ => None,
        }
    }
}
