//! Measurement of a machine under steady load, the same for all networks and commands
//! (docs/measuring.md).
//!
//! * [`LoadWindow`]: warm-up, measured periods and drain;
//! * [`LoadRun`]: one run, as it is measured;
//! * [`LoadPoint`]: the figures of a run, or of several runs with different seeds;
//! * [`confidence95`]: half the width of a confidence interval.

use super::comparison::{MachineReport, TrafficResult};
use interconnect::traffic::STEPS_PER_PERIOD;
use machine::{ratio, Histogram, Latency};
use serde::Serialize;

/// Periods in which messages are created, and in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LoadWindow {
    /// Warm-up periods, until the number of waiting messages is steady.
    pub warm_up: u64,
    /// Number of periods, after the warm-up, whose messages are measured.
    pub measured: u64,
    /// Number of periods, after the measured ones, in which messages are created and not measured.
    /// The measured messages then arrive under the same load.
    pub drain: u64,
}

impl LoadWindow {
    /// Keeps the product of nodes and periods constant for small machines, so that they have enough
    /// messages.
    pub fn for_nodes(nodes: u64) -> Self {
        let measured = (512 / nodes).clamp(32, 64);
        LoadWindow { warm_up: measured / 4, measured, drain: 0 }
    }

    /// Number of periods in which messages are created.
    pub fn periods(self) -> u64 {
        self.warm_up + self.measured + self.drain
    }

    /// Begin and end of the measured periods, and the end of the drain, in bit-times on a machine
    /// with this period.
    pub fn bounds(self, period: u64) -> [u64; 3] {
        let periods = [self.warm_up, self.warm_up + self.measured, self.periods()];
        periods.map(|periods| periods * period)
    }

    /// Creation times in bit-times, on a machine with this period. Every machine gets the same
    /// messages, scaled to its own period.
    pub fn creation_times(self, moments: &[u64], period: u64) -> Vec<u64> {
        let time = |moment: &u64| moment * period / STEPS_PER_PERIOD;
        moments.iter().map(time).collect()
    }
}

/// One run of a machine under steady load.
#[derive(Clone, Copy, Debug)]
pub struct LoadRun<'a> {
    pub machine: &'a MachineReport,
    pub nodes: u64,
    /// Requested load, in messages per node and period.
    pub load: f64,
    pub window: LoadWindow,
    /// Creation times of the messages, in bit-times.
    pub created: &'a [u64],
    /// Payloads of the messages, in bytes.
    pub bytes: &'a [usize],
    pub carried: &'a TrafficResult,
}

/// Result of a machine under one load. With several seeds, the loads are means over the runs, the
/// mean latency is the mean of the runs' means, and the ranks are over the messages of all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadPoint {
    pub machine: &'static str,
    /// Requested load, in messages per node and period.
    pub load: f64,
    /// Actual load, in messages per node and period.
    pub offered: f64,
    /// Messages per node and period that arrived in the measured periods.
    pub accepted: f64,
    /// Actual load in flits, which are bytes of payload, per node and clock cycle.
    pub offered_flits: f64,
    /// Flits per node and clock cycle that arrived in the measured periods.
    pub accepted_flits: f64,
    /// Created messages per node in 1,000 bit-times.
    pub offered_per_1000_bit_times: f64,
    /// Number of measured messages.
    pub measured: u64,
    /// Number of measured messages that were lost.
    pub lost: u64,
    /// Number of measured messages that arrived after the drain.
    pub undrained: u64,
    /// Time from creation to arrival, in bit-times.
    pub latency: Latency,
    pub percentiles: Percentiles,
    /// Mean of the latencies, in bit-times. `None` if nothing arrived.
    pub mean_latency: Option<f64>,
    /// Median latency in periods. `None` if nothing arrived.
    pub p50_periods: Option<f64>,
    /// True if more messages were created than arrived. The number of waiting messages then grew by
    /// more than a tenth of the messages created in the measured periods, and by more than noise
    /// (docs/measuring.md). With several seeds, true if most runs are saturated.
    pub saturated: bool,
    /// Number of runs with different seeds.
    pub seeds: u64,
    /// Half the width of the 95 % confidence interval of `mean_latency`, over the seeds. `None` with
    /// one seed.
    pub mean_latency_ci95: Option<f64>,
    /// The same of `accepted`.
    pub accepted_ci95: Option<f64>,
    /// The same of `accepted_flits`.
    pub accepted_flits_ci95: Option<f64>,
    /// Latencies of the measured messages.
    #[serde(skip)]
    pub latencies: Histogram,
}

/// Further ranks of the latencies, in bit-times. All are `None` if nothing arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Percentiles {
    pub p5: Option<u64>,
    pub p25: Option<u64>,
    pub p75: Option<u64>,
    pub p90: Option<u64>,
    pub p95: Option<u64>,
    /// Latency that 99.9 % do not exceed.
    pub p999: Option<u64>,
}

impl Percentiles {
    fn of(latencies: &Histogram) -> Self {
        Percentiles {
            p5: latencies.quantile(50),
            p25: latencies.quantile(250),
            p75: latencies.quantile(750),
            p90: latencies.quantile(900),
            p95: latencies.quantile(950),
            p999: latencies.quantile(999),
        }
    }
}

impl LoadPoint {
    /// Measures a run.
    pub fn new(run: &LoadRun) -> Self {
        let timebase = run.machine.timebase;
        let period = timebase.period;
        let [from, to, drained] = run.window.bounds(period);
        let within = |time: u64| (from..to).contains(&time);
        let messages = || {
            let times = run.created.iter().copied().zip(&run.carried.arrivals);
            times.zip(run.bytes.iter().map(|bytes| *bytes as u64))
        };
        let (mut measured, mut measured_bytes, mut undrained) = (0u64, 0, 0);
        let (mut arrived, mut arrived_bytes) = (0u64, 0);
        let mut latencies = vec![];
        for ((created, arrival), bytes) in messages() {
            if within(created) {
                measured += 1;
                measured_bytes += bytes;
                latencies.extend(arrival.map(|arrival| arrival - created));
                undrained += u64::from(arrival.is_some_and(|arrival| arrival >= drained));
            }
            if arrival.is_some_and(within) {
                arrived += 1;
                arrived_bytes += bytes;
            }
        }
        // A lost message is not part of the backlog.
        let waiting = |now: u64| {
            let waits = |(created, arrival): (u64, &Option<u64>)| {
                created < now && arrival.is_some_and(|time| time >= now)
            };
            messages().filter(|(times, _)| waits(*times)).count() as f64
        };
        let node_periods = (run.nodes * run.window.measured) as f64;
        let flits =
            |bytes: u64| bytes as f64 / node_periods / (period * timebase.clocks_per_bit) as f64;
        let offered = measured as f64 / node_periods;
        let lost = measured - latencies.len() as u64;
        let mean_latency = ratio(latencies.iter().sum(), latencies.len() as u64);
        let latencies: Histogram = latencies.into_iter().collect();
        LoadPoint {
            machine: run.machine.machine,
            load: run.load,
            offered,
            accepted: arrived as f64 / node_periods,
            offered_flits: flits(measured_bytes),
            accepted_flits: flits(arrived_bytes),
            offered_per_1000_bit_times: offered * 1000.0 / period as f64,
            measured,
            lost,
            undrained,
            mean_latency,
            saturated: has_grown([waiting(from), waiting(to)], measured),
            seeds: 1,
            ..LoadPoint::ranks(latencies, period)
        }
    }

    /// A point with the ranks of these latencies only.
    fn ranks(latencies: Histogram, period: u64) -> Self {
        let latency = Latency::of(&latencies, "bit-times");
        LoadPoint {
            machine: "",
            load: 0.0,
            offered: 0.0,
            accepted: 0.0,
            offered_flits: 0.0,
            accepted_flits: 0.0,
            offered_per_1000_bit_times: 0.0,
            measured: 0,
            lost: 0,
            undrained: 0,
            latency,
            percentiles: Percentiles::of(&latencies),
            mean_latency: None,
            p50_periods: latency.p50.and_then(|p50| ratio(p50, period)),
            saturated: false,
            seeds: 0,
            mean_latency_ci95: None,
            accepted_ci95: None,
            accepted_flits_ci95: None,
            latencies,
        }
    }

    /// Combines runs of a machine under the same load, with different seeds.
    ///
    /// # Panics
    /// If there is no run.
    pub fn of_seeds(runs: Vec<LoadPoint>, period: u64) -> Self {
        if runs.len() == 1 {
            return runs.into_iter().next().expect("one run");
        }
        let first = runs.first().expect("at least one run");
        let (machine, load) = (first.machine, first.load);
        let mean =
            |value: fn(&LoadPoint) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
        let sum = |value: fn(&LoadPoint) -> u64| runs.iter().map(value).sum();
        let means: Vec<f64> = runs.iter().filter_map(|run| run.mean_latency).collect();
        let interval = |value: fn(&LoadPoint) -> f64| {
            confidence95(&runs.iter().map(value).collect::<Vec<_>>())
        };
        let mut latencies = Histogram::default();
        for run in &runs {
            latencies.merge(&run.latencies);
        }
        LoadPoint {
            machine,
            load,
            offered: mean(|run| run.offered),
            accepted: mean(|run| run.accepted),
            offered_flits: mean(|run| run.offered_flits),
            accepted_flits: mean(|run| run.accepted_flits),
            offered_per_1000_bit_times: mean(|run| run.offered_per_1000_bit_times),
            measured: sum(|run| run.measured),
            lost: sum(|run| run.lost),
            undrained: sum(|run| run.undrained),
            mean_latency: (!means.is_empty())
                .then(|| means.iter().sum::<f64>() / means.len() as f64),
            saturated: 2 * runs.iter().filter(|run| run.saturated).count() > runs.len(),
            seeds: runs.len() as u64,
            mean_latency_ci95: confidence95(&means),
            accepted_ci95: interval(|run| run.accepted),
            accepted_flits_ci95: interval(|run| run.accepted_flits),
            ..LoadPoint::ranks(latencies, period)
        }
    }
}

/// Returns true if the waiting messages grew by more than a tenth of the measured ones, and by more
/// than three standard deviations of the difference of two Poisson counts. Few messages thus prove no
/// growth.
fn has_grown([before, after]: [f64; 2], measured: u64) -> bool {
    let growth = after - before;
    growth > measured as f64 / 10.0 && growth > 3.0 * (before + after).sqrt()
}

/// Quantiles of Student's t distribution at 97.5 %, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Half the width of the 95 % confidence interval of the mean of independent values, by Student's t
/// distribution. `None` with fewer than two values.
pub fn confidence95(values: &[f64]) -> Option<f64> {
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / freedom as f64).sqrt();
    // Beyond 30 degrees within 0.2 % of the quantile.
    let student = STUDENT.get(freedom - 1).copied().unwrap_or(1.96 + 2.4 / freedom as f64);
    Some(student * deviation / n.sqrt())
}

/// Bin of a histogram of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LatencyBin {
    /// Latencies of the bin in bit-times: from the first one, to the last one.
    pub from: u64,
    pub to: u64,
    pub messages: u64,
}

/// Most bins of a histogram.
const BINS: u64 = 64;

/// Returns up to 64 bins with messages, ascending. Their width is a power of two.
pub fn latency_bins(latencies: &Histogram) -> Vec<LatencyBin> {
    let (first, last) = (latencies.quantile(0), latencies.quantile(1000));
    let Some((first, last)) = first.zip(last) else {
        return vec![];
    };
    let mut width = 1u64;
    while last / width - first / width >= BINS {
        width *= 2;
    }
    let mut bins: Vec<LatencyBin> = vec![];
    for (latency, messages) in latencies.iter() {
        let from = latency / width * width;
        match bins.last_mut().filter(|bin| bin.from == from) {
            Some(bin) => bin.messages += messages,
            None => bins.push(LatencyBin { from, to: from + width - 1, messages }),
        }
    }
    bins
}

#[cfg(test)]
mod tests;
