//! A network under steady load: what is measured, and when it falls behind.

use super::{Carried, MachineReport};
use crate::machine::{ratio, Latency};
use crate::traffic::MOMENTS;
use serde::Serialize;

/// When messages come, and which of them are measured, in periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LoadWindow {
    /// Until the machine is as full as it gets.
    pub warm_up: u64,
    /// Then messages that come are measured.
    pub measured: u64,
}

impl LoadWindow {
    /// The same number of nodes times periods for small machines, so that enough
    /// messages come.
    pub fn of(nodes: u64) -> Self {
        let measured = (512 / nodes).clamp(32, 64);
        LoadWindow {
            warm_up: measured / 4,
            measured,
        }
    }

    /// Periods in which messages come.
    pub fn periods(self) -> u64 {
        self.warm_up + self.measured
    }

    /// The bit-times in which messages of these moments come, on a machine of this
    /// period: the same messages come to every machine, each in its own time.
    pub fn created(self, moments: &[u64], period: u64) -> Vec<u64> {
        let time = |moment: &u64| moment * period / MOMENTS;
        moments.iter().map(time).collect()
    }
}

/// What a machine does with so much load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadPoint {
    pub machine: &'static str,
    /// Messages per node and period, as asked for.
    pub load: f64,
    /// As they came.
    pub offered: f64,
    /// Messages per node and period that arrived in the measured ones.
    pub accepted: f64,
    /// Messages per node that came in 1,000 bit-times.
    pub offered_per_1000_bit_times: f64,
    /// Messages that were measured.
    pub measured: u64,
    /// Of these, lost.
    pub lost: u64,
    /// From when a message came until it arrived, in bit-times.
    pub latency: Latency,
    /// The mean of these, in bit-times; `None` if nothing arrived.
    pub mean_latency: Option<f64>,
    /// Of the median, in periods.
    pub p50_periods: Option<f64>,
    /// More came than arrived: what waits grew by over a tenth of what came in the
    /// measured periods.
    pub saturated: bool,
}

impl LoadPoint {
    /// `created` are the bit-times in which the messages came.
    pub fn new(
        machine: &MachineReport,
        nodes: u64,
        load: f64,
        window: LoadWindow,
        created: &[u64],
        carried: &Carried,
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
        // What was lost waits no more.
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
