//! What a machine made of messages, in bit-times, so that machines can be compared.

use crate::machine::{Account, Fate, Timebase};

/// What a machine did with its messages.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// What became of each message, in order.
    pub fates: Vec<Fate>,
    /// Of each message when it was at its destination, in bit-times from the
    /// start; `None` if it did not arrive.
    pub arrivals: Vec<Option<u64>>,
    /// Periods up to the last arrival.
    pub periods: u64,
    /// Messages across a wire.
    pub hops: u64,
    /// Hops, over one for each wire, direction and period; `None` if nothing moved.
    pub wire_utilisation: Option<f64>,
    /// Messages whose last bits reached their processor ORed onto another one's.
    pub ored: u64,
    /// Messages that arrived twice, and what the machine took for right and is
    /// not.
    pub wrong: u64,
}

impl Carried {
    /// Of a machine with this time.
    pub fn new(account: &Account, timebase: Timebase) -> Self {
        let arrival = |fate: &Fate| Some(timebase.arrived(fate.arrived()?));
        Carried {
            fates: account.fates.clone(),
            arrivals: account.fates.iter().map(arrival).collect(),
            periods: account.periods,
            hops: account.hops,
            wire_utilisation: account.wire_utilisation,
            ored: account.mixed,
            wrong: account.duplicated + account.undetected,
        }
    }

    /// The same with the periods of this time: those of a machine that was made for its
    /// messages are as long as its schedule.
    #[must_use]
    pub fn in_periods(self, timebase: Timebase) -> Self {
        let last = self.arrivals.iter().copied().flatten().max();
        Carried {
            periods: last.map_or(0, |last| last.div_ceil(timebase.period)),
            ..self
        }
    }
}
