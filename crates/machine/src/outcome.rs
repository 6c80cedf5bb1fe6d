//! Outcome of the messages of a run, in the same terms for every network.

use super::{
    ChannelUse, EndReason, LocatedTrap, LogLine, MessageEvent, NodeEvent, ProgramResults, Timebase,
};
use interconnect::routing::Channel;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Figure that only some networks have.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonEntry {
    /// Name in `--json`.
    pub key: &'static str,
    pub value: Value,
    /// Text after the value in a separate line of the summary, which is printed if the value is a
    /// count above zero. The text begins with a plural: `frames sent again`.
    pub label: Option<&'static str>,
}

impl JsonEntry {
    /// Figure for `--json` only.
    pub fn new(key: &'static str, value: impl Into<Value>) -> Self {
        JsonEntry { key, value: value.into(), label: None }
    }

    /// Count that is printed if it is above zero.
    pub fn count(key: &'static str, count: u64, words: &'static str) -> Self {
        JsonEntry { label: Some(words), ..JsonEntry::new(key, count) }
    }
}

/// Message in a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldMessage {
    pub channel: Channel,
    /// Destination node of the message.
    pub destination: u32,
}

/// Results of a run, in the same terms for every network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunStats {
    pub end: EndReason,
    /// Number of finished steps.
    pub steps: u64,
    pub clock_cycles: u64,
    /// Outcome of each message, in order.
    pub deliveries: Vec<Delivery>,
    /// Number of messages sent across a wire.
    pub hops: u64,
    /// Number of messages that arrived more than once.
    pub duplicated: u64,
    /// Number of items that the machine accepted although they were wrong.
    pub undetected: u64,
    /// Number of messages whose last bits reached their processor mixed with another message.
    pub mixed: u64,
    /// Number of lost or dropped messages that neither the mode nor a dead node on their route
    /// excuses.
    pub unexcused: u64,
    /// Periods that had begun at the last hop or arrival.
    pub periods: u64,
    /// Length of the run in bit-times, as the network counts them.
    pub bit_times: u64,
    /// Hops divided by the number of possible hops in these periods. `None` if no period began.
    pub wire_utilisation: Option<f64>,
    /// Load of each channel between nodes. `None` if the driver does not count it.
    pub channel_use: Option<ChannelUse>,
    /// Figures that only this network has.
    pub entries: Vec<JsonEntry>,
    /// Lines of the summary about duration and hops.
    pub summary_lines: Vec<String>,
    /// Halted cores, by node.
    pub traps: Vec<LocatedTrap>,
    /// Messages in channels at the end of the run, as far as the driver can see them.
    pub held_messages: Vec<HeldMessage>,
    /// Log of the messages, if it was requested.
    pub events: Vec<MessageEvent>,
    /// Log of the nodes.
    pub notes: Vec<NodeEvent>,
    /// Return values of programs that were given data.
    pub programs: Option<ProgramResults>,
}

impl RunStats {
    /// Count that only this network has.
    ///
    /// # Panics
    /// If the network has no such count.
    pub fn figure(&self, key: &str) -> u64 {
        let entry = self.entries.iter().find(|entry| entry.key == key);
        let value = entry.and_then(|entry| entry.value.as_u64());
        value.unwrap_or_else(|| panic!("the network has no count `{key}`"))
    }

    /// Number of messages with such an outcome.
    pub fn count(&self, wanted: impl Fn(Delivery) -> bool) -> u64 {
        self.deliveries.iter().filter(|delivery| wanted(**delivery)).count() as u64
    }

    /// Arrival steps of the messages, counted from the start.
    pub fn arrivals(&self) -> Histogram {
        let arrived = self.deliveries.iter().filter_map(|delivery| delivery.arrival_step());
        arrived.map(u64::from).collect()
    }
}

/// Latencies of the delivered messages. A latency lasts from the start of the run to the end of the
/// step of the arrival. All values are `None` if no message was delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    pub min: Option<u64>,
    pub p50: Option<u64>,
    pub p99: Option<u64>,
    pub max: Option<u64>,
    pub unit: &'static str,
}

impl Latency {
    /// Computes the statistics of latencies in this unit.
    pub fn of(latencies: &Histogram, unit: &'static str) -> Self {
        Latency {
            min: latencies.percentile(0),
            p50: latencies.percentile(50),
            p99: latencies.percentile(99),
            max: latencies.percentile(100),
            unit,
        }
    }
}

/// Results of a run with its parameters, as `run --json` prints them (docs/command-line.md).
#[derive(Clone, Debug)]
pub struct Outcome {
    pub network: &'static str,
    pub nodes: u64,
    /// Build parameters of the machine.
    pub settings: Vec<JsonEntry>,
    pub pattern: String,
    pub seed: u64,
    pub engine: &'static str,
    /// Number of messages whose source is their destination.
    pub to_self: u64,
    pub wall_seconds: f64,
    pub stats: RunStats,
    pub timebase: Timebase,
    /// The log, if it was requested.
    pub log: Option<Vec<LogLine>>,
    /// Result of the check of return values, for `--json`. `None` if no values were expected.
    pub check: Option<Value>,
}

impl Outcome {
    pub fn messages(&self) -> u64 {
        self.stats.deliveries.len() as u64
    }

    /// Number of delivered messages, including those that were at their destination from the start.
    pub fn delivered(&self) -> u64 {
        let home = |delivery| matches!(delivery, Delivery::Delivered { .. } | Delivery::ToSelf);
        self.stats.count(home)
    }

    /// Number of messages that were overwritten, or sent without arriving.
    pub fn lost(&self) -> u64 {
        self.stats.count(|delivery| matches!(delivery, Delivery::Lost { .. }))
    }

    /// Number of dropped messages that were certainly not delivered.
    pub fn undelivered(&self) -> u64 {
        self.stats.count(|delivery| delivery == Delivery::Undelivered)
    }

    /// Number of dropped messages of which only the simulator knows that they were not delivered.
    pub fn unknown(&self) -> u64 {
        self.stats.count(|delivery| delivery == Delivery::Unknown)
    }

    /// Number of messages that were under way at the end of the run.
    pub fn unfinished(&self) -> u64 {
        self.stats.count(|delivery| delivery == Delivery::UnderWay)
    }

    /// Latency from the start to the end of the step of the arrival.
    pub fn latency(&self) -> Latency {
        let steps = self.stats.deliveries.iter().filter_map(|delivery| delivery.arrival_step());
        let latencies = steps.map(|t| u64::from(t) + 1).collect();
        Latency::of(&latencies, self.timebase.steps_name)
    }

    /// Nodes times clock cycles per second of wall time.
    pub fn node_cycles_per_second(&self) -> f64 {
        let node_cycles = self.nodes * self.stats.clock_cycles;
        node_cycles as f64 / self.wall_seconds.max(1e-9)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stats = &self.stats;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("network", self.network)?;
        map.serialize_entry("nodes", &self.nodes)?;
        for entry in &self.settings {
            map.serialize_entry(entry.key, &entry.value)?;
        }
        map.serialize_entry("pattern", &self.pattern)?;
        map.serialize_entry("seed", &self.seed)?;
        map.serialize_entry("engine", self.engine)?;
        map.serialize_entry("messages", &self.messages())?;
        map.serialize_entry("to_self", &self.to_self)?;
        map.serialize_entry("delivered", &self.delivered())?;
        map.serialize_entry("lost", &self.lost())?;
        map.serialize_entry("duplicated", &stats.duplicated)?;
        map.serialize_entry("undelivered", &self.undelivered())?;
        map.serialize_entry("unknown", &self.unknown())?;
        map.serialize_entry("undetected", &stats.undetected)?;
        map.serialize_entry("unfinished", &self.unfinished())?;
        map.serialize_entry("hops", &stats.hops)?;
        map.serialize_entry("clock_cycles", &stats.clock_cycles)?;
        map.serialize_entry("bit_times", &stats.bit_times)?;
        map.serialize_entry("latency", &self.latency())?;
        map.serialize_entry("wire_utilisation", &stats.wire_utilisation)?;
        map.serialize_entry("channel_loads", &stats.channel_use)?;
        for entry in &stats.entries {
            map.serialize_entry(entry.key, &entry.value)?;
        }
        map.serialize_entry("traps", &stats.traps)?;
        if let Some(programs) = &stats.programs {
            map.serialize_entry("programs", &programs.json())?;
        }
        if let Some(check) = &self.check {
            map.serialize_entry("check", check)?;
        }
        map.serialize_entry("wall_seconds", &self.wall_seconds)?;
        map.serialize_entry("node_cycles_per_second", &self.node_cycles_per_second())?;
        if let Some(log) = &self.log {
            map.serialize_entry("log", log)?;
        }
        map.end()
    }
}

// Outcome of messages, for every network.

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
    /// Returns the step in which the message arrived, counted from 0, or None.
    pub fn arrival_step(self) -> Option<u32> {
        match self {
            Delivery::Delivered { t } => Some(t),
            _ => None,
        }
    }
}

// Statistics that have no value without samples, and their text form.
//
// Both counts of a ratio cover the same time.

/// Returns `part / whole`, or `None` if `whole` is zero.
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Formats a ratio in percent: `97.3 %`, or `none`.
pub fn format_percent(ratio: Option<f64>) -> String {
    match ratio {
        Some(ratio) => format!("{:.1} %", 100.0 * ratio),
        None => "none".to_owned(),
    }
}

/// Formats a count in decimal, or `none`.
pub fn format_optional(value: Option<u64>) -> String {
    value.map_or("none".into(), |value| value.to_string())
}

/// Formats a number with this number of decimals, or `none`.
pub fn format_number(value: Option<f64>, decimals: usize) -> String {
    value.map_or("none".into(), |value| format!("{value:.decimals$}"))
}

// Percentiles over the latencies of millions of messages.

/// Counts of each number, for millions of numbers with few different values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: BTreeMap<u64, u64>,
    total: u64,
}

impl Histogram {
    /// Number of entries.
    pub fn len(&self) -> u64 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Returns the smallest number such that at least `percent` % of all entries are not above it.
    /// `None` if there are no entries.
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        self.quantile(10 * percent)
    }

    /// As [`percentile`](Self::percentile), in thousandths.
    pub fn quantile(&self, per_mille: u64) -> Option<u64> {
        let rank = (self.total * per_mille).div_ceil(1000).max(1);
        let mut below = 0;
        for (number, count) in &self.counts {
            below += count;
            if below >= rank {
                return Some(*number);
            }
        }
        None
    }

    /// Adds the entries of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (number, count) in other.iter() {
            *self.counts.entry(number).or_default() += count;
        }
        self.total += other.total;
    }

    /// Numbers with their counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().map(|(number, count)| (*number, *count))
    }
}

impl FromIterator<u64> for Histogram {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let mut all = 0;
        for number in numbers {
            *counts.entry(number).or_default() += 1;
            all += 1;
        }
        let counts = counts.into_iter().collect();
        Histogram { counts, total: all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_percentiles_are_ranks() {
        let latency = Latency::of(&(1..=200).rev().collect(), "phases");
        let Latency { min, p50, p99, max, unit } = latency;
        assert_eq!([min, p50, p99, max], [1, 100, 198, 200].map(Some));
        assert_eq!(unit, "phases");
    }

    /// Users' scripts find every key, whether there are samples or not.
    #[test]
    fn latency_without_samples_is_null() {
        let latency = Latency::of(&Histogram::default(), "phases");
        assert_eq!(
            serde_json::to_string(&latency).unwrap(),
            r#"{"min":null,"p50":null,"p99":null,"max":null,"unit":"phases"}"#
        );
    }
}

#[cfg(test)]
mod ratio_tests {
    use super::*;

    #[test]
    fn a_ratio_with_a_zero_denominator_is_none() {
        assert_eq!(ratio(0, 0), None);
        assert_eq!(ratio(0, 4), Some(0.0));
        assert_eq!(format_percent(ratio(3, 4)), "75.0 %");
        let none = [format_percent(None), format_optional(None), format_number(None, 2)];
        assert_eq!(none, ["none"; 3]);
        assert_eq!(
            (format_optional(Some(0)), format_number(Some(0.5), 2)),
            ("0".into(), "0.50".into())
        );
    }
}

#[cfg(test)]
mod histogram_tests {
    use super::*;

    #[test]
    fn percentiles_are_taken_from_counts() {
        let histogram: Histogram = [5, 3, 5, 9, 5, 3, 5, 5, 5, 5].into_iter().collect();
        let counts: Vec<(u64, u64)> = histogram.iter().collect();
        assert_eq!(counts, [(3, 2), (5, 7), (9, 1)]);
        assert_eq!(histogram.len(), 10);
        let ranks = [0, 20, 21, 90, 91, 100].map(|percent| histogram.percentile(percent));
        assert_eq!(ranks, [3, 3, 5, 5, 9, 9].map(Some));
        assert_eq!(Histogram::default().percentile(50), None);
        assert!(Histogram::default().is_empty());
    }
}
