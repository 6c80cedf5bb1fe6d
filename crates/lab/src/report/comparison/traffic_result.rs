//! Result of a machine for a list of messages. Times are in bit-times, so that machines can be
//! compared.

use machine::{Delivery, RunStats, Timebase};

/// Result of a machine for its messages.
#[derive(Clone, Debug, Default)]
pub struct TrafficResult {
    /// Outcome of each message, in order.
    pub deliveries: Vec<Delivery>,
    /// Arrival time of each message in bit-times from the start, or `None` if it did not arrive.
    pub arrivals: Vec<Option<u64>>,
    /// Periods until the last arrival.
    pub periods: u64,
    /// Number of messages sent across a wire.
    pub hops: u64,
    /// Hops divided by the number of possible hops, which is one per wire, direction and period.
    /// `None` if nothing moved.
    pub wire_utilisation: Option<f64>,
    /// Number of messages whose last bits reached their processor ORed with another message's bits.
    pub ored: u64,
    /// Duplicate messages, and messages that the machine accepted although they were wrong.
    pub wrong: u64,
}

impl TrafficResult {
    /// Converts the account of a machine with this timebase.
    pub fn new(account: &RunStats, timebase: Timebase) -> Self {
        let arrival = |fate: &Delivery| Some(timebase.arrival_time(fate.arrival_step()?));
        TrafficResult {
            deliveries: account.deliveries.clone(),
            arrivals: account.deliveries.iter().map(arrival).collect(),
            periods: account.periods,
            hops: account.hops,
            wire_utilisation: account.wire_utilisation,
            ored: account.mixed,
            wrong: account.duplicated + account.undetected,
        }
    }

    /// Recomputes the number of periods with this timebase. The period of a machine that was
    /// compiled for its messages is its schedule.
    #[must_use]
    pub fn in_periods(self, timebase: Timebase) -> Self {
        let last = self.arrivals.iter().copied().flatten().max();
        TrafficResult {
            periods: last.map_or(0, |last| last.div_ceil(timebase.period)),
            ..self
        }
    }
}
