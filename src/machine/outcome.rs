//! What became of the messages of a run.

use super::cube::Trap;
use super::event::LogLine;
use super::Histogram;
use serde::Serialize;

/// What became of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Source and destination are the same: it never entered the network.
    ToSelf,
    /// It arrived, unchanged, at the end of this phase, counted from the start.
    Delivered { phase: u64 },
    /// It was sent and did not arrive; why, in a sentence.
    Lost { why: String },
}

/// Latencies of the delivered messages, from the start of the run to the end of
/// the phase in which they arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    pub min: u64,
    pub p50: u64,
    pub p99: u64,
    pub max: u64,
    pub unit: &'static str,
}

impl Latency {
    /// Over latencies in this unit; all zero if there are none.
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

/// The result of a run, as `run --json` prints it (docs/machine.md, "Command line").
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub network: &'static str,
    pub dims: u32,
    pub nodes: u64,
    pub pattern: String,
    pub seed: u64,
    pub engine: &'static str,
    pub link: &'static str,
    pub messages: u64,
    pub to_self: u64,
    pub delivered: u64,
    /// Overwritten, or sent without arriving; only without answers.
    pub lost: u64,
    /// Handed over more than once.
    pub duplicated: u64,
    /// Given up, certainly not delivered.
    pub undelivered: u64,
    /// Given up, and only the simulator knows that they were not delivered.
    pub unknown: u64,
    /// What the machine took for right and is not.
    pub undetected: u64,
    /// Under way when the run was ended.
    pub unfinished: u64,
    pub hops: u64,
    /// Superframes that had begun when the last message was delivered.
    pub superframes: u64,
    pub clock_cycles: u64,
    pub bit_times: u64,
    pub latency: Latency,
    /// Hops, over all places for one in these superframes.
    pub wire_utilisation: f64,
    pub retries: u64,
    pub refused: u64,
    pub silences: u64,
    pub late: u64,
    pub slips: u64,
    /// Bit-times in which both ends held a wire.
    pub clashes: u64,
    /// The cores that have halted, by node.
    pub traps: Vec<Trap>,
    pub wall_seconds: f64,
    /// Nodes times clock cycles per second of wall time.
    pub node_cycles_per_second: f64,
    /// The log, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Vec<LogLine>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_ranks() {
        let latency = Latency::of(&(1..=200).rev().collect(), "phases");
        let Latency {
            min,
            p50,
            p99,
            max,
            unit,
        } = latency;
        assert_eq!((min, p50, p99, max, unit), (1, 100, 198, 200, "phases"));
        assert_eq!(Latency::default().max, 0);
    }
}
