//! What every network reports of the messages that it has carried.

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Its destination is on the node of its source, and it never entered the
    /// network.
    Stayed,
    /// It was at its destination after so many bit-times, counted from the start.
    At(u64),
    /// It did not arrive.
    Lost,
}

impl Arrival {
    pub fn bit_times(self) -> Option<u64> {
        match self {
            Arrival::At(time) => Some(time),
            Arrival::Stayed | Arrival::Lost => None,
        }
    }
}

/// What a machine did with its messages.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Of each message, in order.
    pub arrivals: Vec<Arrival>,
    /// Periods up to the last arrival.
    pub periods: u64,
    /// Messages across a wire.
    pub hops: u64,
    /// Hops, over one for each wire, direction and period.
    pub wire_utilisation: f64,
    /// Messages whose last bits reached their processor ORed onto another one's.
    pub ored: u64,
    /// Messages that arrived twice, and what the machine took for right and is
    /// not.
    pub wrong: u64,
    /// Why the run ended before every message was accounted for.
    pub cut_short: Option<String>,
}
