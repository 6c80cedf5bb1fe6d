//! Result of a machine for a list of messages.

use super::MachineReport;
use interconnect::traffic::Travelling;
use machine::{ratio, Delivery, Latency, RunStats, Timebase};
use serde::Serialize;
use std::fmt;

/// Result of a machine for a list of messages. Only messages that leave their node count. Messages
/// from a processor to itself or to another processor on the same node do not count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonRun {
    pub machine: &'static str,
    pub pattern: String,
    /// Messages that leave their node.
    pub messages: u64,
    /// Messages that stay on their node.
    pub stayed: u64,
    pub delivered: u64,
    pub lost: u64,
    /// Messages that were delivered ORed with another one. Only the CM-1 can do this, if permitted.
    pub ored: u64,
    /// Duplicates, and messages that were accepted although they were wrong.
    pub wrong: u64,
    /// Superframes or petit cycles that had begun at the last arrival.
    pub periods: u64,
    /// Time from the start to the last arrival, in bit-times.
    pub bit_times: u64,
    /// Time from the start to each arrival, in bit-times.
    pub latency: Latency,
    pub hops: u64,
    /// Hops divided by the number of possible hops, which is one per wire, direction and period.
    /// `None` if nothing moved.
    pub wire_utilisation: Option<f64>,
    /// Messages that all nodes deliver in 1,000 bit-times. `None` if nothing arrived.
    pub per_1000_bit_times: Option<f64>,
    /// Number of wires per node, multiplied by `bit_times`.
    pub wire_bit_times: f64,
    /// Messages delivered in 1,000 bit-times, divided by the number of wires of all nodes. `None`
    /// if nothing arrived.
    pub per_1000_wire_bit_times: Option<f64>,
    /// Time from the start to the last arrival, in microseconds at the clock frequency that the
    /// circuits reach. `None` if they were not synthesised.
    pub microseconds: Option<f64>,
    pub messages_per_second: Option<f64>,
    /// Messages per second and per thousand logic cells of all routers.
    pub per_second_and_1000_router_cells: Option<f64>,
    /// Messages per second and per thousand logic cells of all nodes.
    pub per_second_and_1000_node_cells: Option<f64>,
}

/// A list of messages that a machine cannot run.
#[derive(Clone, Debug, Serialize)]
pub struct NoRun {
    pub machine: &'static str,
    pub pattern: String,
    /// Message of the machine: the reason, and what it can run.
    pub why: String,
}

/// `TDMA compiled has no run of relation:64: ..`
impl fmt::Display for NoRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoRun { machine, pattern, why } = self;
        write!(f, "{machine} has no run of {pattern}: {why}")
    }
}

impl ComparisonRun {
    /// Result of a machine whose `nodes` nodes carried these messages.
    pub fn new(
        machine: &MachineReport,
        pattern: String,
        nodes: u64,
        travelling: &Travelling,
        carried: &TrafficResult,
    ) -> Self {
        let travelled = &carried.arrivals;
        let arrivals: Vec<u64> = travelled.iter().copied().flatten().collect();
        let delivered = arrivals.len() as u64;
        let bit_times = arrivals.iter().copied().max().unwrap_or(0);
        let silicon = machine.silicon.as_ref();
        let clock_cycles = bit_times * machine.timebase.clocks_per_bit;
        let microseconds =
            silicon.and_then(|silicon| silicon.clock_mhz).map(|mhz| clock_cycles as f64 / mhz);
        let messages_per_second =
            microseconds.filter(|time| *time > 0.0).map(|time| delivered as f64 / time * 1e6);
        let wire_bit_times = machine.wires.per_node * bit_times as f64;
        let over = |cells: Option<usize>| {
            let thousands = (cells? as u64 * nodes) as f64 / 1000.0;
            Some(messages_per_second? / thousands)
        };
        ComparisonRun {
            machine: machine.machine,
            pattern,
            messages: travelled.len() as u64,
            stayed: travelling.stayed,
            delivered,
            lost: travelled.len() as u64 - delivered,
            ored: carried.ored,
            wrong: carried.wrong,
            periods: carried.periods,
            bit_times,
            latency: Latency::of(&arrivals.into_iter().collect(), "bit-times"),
            hops: carried.hops,
            wire_utilisation: carried.wire_utilisation,
            per_1000_bit_times: ratio(delivered * 1000, bit_times),
            wire_bit_times,
            per_1000_wire_bit_times: (bit_times > 0)
                .then(|| delivered as f64 * 1000.0 / (wire_bit_times * nodes as f64)),
            microseconds,
            messages_per_second,
            per_second_and_1000_router_cells: over(silicon.map(|s| s.router.cost.logic_cells)),
            per_second_and_1000_node_cells: over(silicon.map(|s| s.node.cost.logic_cells)),
        }
    }
}

// Result of a machine for a list of messages. Times are in bit-times, so that machines can be
// compared.

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
    pub fn new(stats: &RunStats, timebase: Timebase) -> Self {
        let arrival = |delivery: &Delivery| Some(timebase.arrival_time(delivery.arrival_step()?));
        TrafficResult {
            deliveries: stats.deliveries.clone(),
            arrivals: stats.deliveries.iter().map(arrival).collect(),
            periods: stats.periods,
            hops: stats.hops,
            wire_utilisation: stats.wire_utilisation,
            ored: stats.mixed,
            wrong: stats.duplicated + stats.undetected,
        }
    }

    /// Recomputes the number of periods with this timebase. The period of a machine that was
    /// compiled for its messages is its schedule.
    #[must_use]
    pub fn in_periods(self, timebase: Timebase) -> Self {
        let last = self.arrivals.iter().copied().flatten().max();
        TrafficResult { periods: last.map_or(0, |last| last.div_ceil(timebase.period)), ..self }
    }
}
