//! Outcome of messages, for every network.

/// Outcome of one message.
///
/// Times are in steps of the machine, counted from the start: phases in the TDMA cube, petit cycles
/// in the CM-1. Step numbers have 32 bits, and a run ends before an overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Open: the message is in the machine, or was never sent.
    UnderWay,
    /// Source and destination are equal, so the message never entered the network.
    ToSelf,
    /// The message arrived unchanged and was delivered in this step.
    Delivered { t: u32 },
    /// Lost in this step. Another message overwrote it, it arrived damaged, or the machine was
    /// empty without it.
    Lost { t: u32 },
    /// Dropped, and certainly not delivered.
    Undelivered,
    /// Dropped, and the machine does not know whether it was delivered.
    Unknown,
}

impl Delivery {
    /// Step of the arrival.
    pub fn arrival_step(self) -> Option<u32> {
        match self {
            Delivery::Delivered { t } => Some(t),
            _ => None,
        }
    }
}
