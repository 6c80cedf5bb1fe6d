//! Measures a network under steady load, and detects saturation.

use super::{MachineReport, TrafficResult};
use interconnect::traffic::STEPS_PER_PERIOD;
use machine::{ratio, Latency};
use serde::Serialize;

/// Periods in which messages are created, and in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LoadWindow {
    /// Warm-up periods, until the number of waiting messages is steady.
    pub warm_up: u64,
    /// Number of periods, after the warm-up, whose messages are measured.
    pub measured: u64,
}

impl LoadWindow {
    /// Keeps the product of nodes and periods constant for small machines, so that they have enough
    /// messages.
    pub fn for_nodes(nodes: u64) -> Self {
        let measured = (512 / nodes).clamp(32, 64);
        LoadWindow {
            warm_up: measured / 4,
            measured,
        }
    }

    /// Number of periods in which messages are created.
    pub fn periods(self) -> u64 {
        self.warm_up + self.measured
    }

    /// Creation times in bit-times, on a machine with this period. Every machine gets the same
    /// messages, scaled to its own period.
    pub fn creation_times(self, moments: &[u64], period: u64) -> Vec<u64> {
        let time = |moment: &u64| moment * period / STEPS_PER_PERIOD;
        moments.iter().map(time).collect()
    }
}

/// Result of a machine under one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadPoint {
    pub machine: &'static str,
    /// Requested load, in messages per node and period.
    pub load: f64,
    /// Actual load, in messages per node and period.
    pub offered: f64,
    /// Messages per node and period that arrived in the measured periods.
    pub accepted: f64,
    /// Created messages per node in 1,000 bit-times.
    pub offered_per_1000_bit_times: f64,
    /// Number of measured messages.
    pub measured: u64,
    /// Number of measured messages that were lost.
    pub lost: u64,
    /// Time from creation to arrival, in bit-times.
    pub latency: Latency,
    /// Mean of the latencies, in bit-times. `None` if nothing arrived.
    pub mean_latency: Option<f64>,
    /// Median latency in periods. `None` if nothing arrived.
    pub p50_periods: Option<f64>,
    /// True if more messages were created than arrived. The number of waiting messages then grew by
    /// more than a tenth of the messages created in the measured periods.
    pub saturated: bool,
}

impl LoadPoint {
    /// `created` contains the creation times of the messages, in bit-times.
    pub fn new(
        machine: &MachineReport,
        nodes: u64,
        load: f64,
        window: LoadWindow,
        created: &[u64],
        carried: &TrafficResult,
    ) -> Self {
        let period = machine.timebase.period;
        let (from, to) = (window.warm_up * period, window.periods() * period);
        let within = |time: u64| (from..to).contains(&time);
        let pairs = || created.iter().copied().zip(&carried.arrivals);
        let measured: Vec<(u64, &Option<u64>)> =
            pairs().filter(|(time, _)| within(*time)).collect();
        let latencies: Vec<u64> = measured
            .iter()
            .filter_map(|(created, arrival)| Some((**arrival)? - created))
            .collect();
        let arrived = pairs()
            .filter(|(_, arrival)| arrival.is_some_and(within))
            .count();
        // A lost message is not part of the backlog.
        let waiting = |now: u64| {
            let waits = |(created, arrival): &(u64, &Option<u64>)| {
                *created < now && arrival.is_some_and(|time| time >= now)
            };
            pairs().filter(waits).count() as f64
        };
        let per_node_and_period = |count: usize| count as f64 / (nodes * window.measured) as f64;
        let offered = per_node_and_period(measured.len());
        let lost = measured.len() - latencies.len();
        let mean_latency = ratio(latencies.iter().sum(), latencies.len() as u64);
        let latency = Latency::of(&latencies.into_iter().collect(), "bit-times");
        LoadPoint {
            machine: machine.machine,
            load,
            offered,
            accepted: per_node_and_period(arrived),
            offered_per_1000_bit_times: offered * 1000.0 / period as f64,
            measured: measured.len() as u64,
            lost: lost as u64,
            latency,
            mean_latency,
            p50_periods: latency.p50.and_then(|p50| ratio(p50, period)),
            saturated: waiting(to) - waiting(from) > measured.len() as f64 / 10.0,
        }
    }
}
