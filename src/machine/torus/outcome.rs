//! What became of the messages of a run of the torus.

use super::Standstill;
use crate::routing::Channel;

/// What became of one message. Clock cycles are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorusFate {
    /// Source and destination are the same: it never entered the network.
    ToSelf,
    /// Its first byte was on the port of its source in clock cycle `sent`, and its tail
    /// left the last queue for its destination in clock cycle `at`.
    Delivered { sent: u64, at: u64 },
    /// It had not arrived when the run ended.
    Missing,
}

/// Counts over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TorusCounters {
    /// Bytes over channels between nodes.
    pub bytes: u64,
    /// Messages that arrived a second time.
    pub duplicated: u64,
    /// Packets that arrived and are no message for this node.
    pub misrouted: u64,
    /// Packets that arrived and whose data encode no payload.
    pub damaged: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TorusEnd {
    /// All messages have arrived.
    Complete,
    /// Nothing moves any more, and messages are missing.
    Standstill(Standstill),
    /// It was ended from outside.
    Limit,
}

/// The first byte of a message's packet is on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entered {
    pub clock_cycle: u64,
    pub message: usize,
    pub channel: Channel,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusRun {
    pub fates: Vec<TorusFate>,
    pub counters: TorusCounters,
    pub end: TorusEnd,
    /// Clock cycles until the last tail was handed over; of a run that ended otherwise,
    /// until nothing moved any more, or to its end.
    pub clock_cycles: u64,
    /// The way of all packets, if it was asked for.
    pub log: Vec<Entered>,
}

impl TorusRun {
    /// Messages that have arrived, those to their own source among them.
    pub fn delivered(&self) -> usize {
        let missing = |fate: &&TorusFate| **fate == TorusFate::Missing;
        self.fates.len() - self.fates.iter().filter(missing).count()
    }
}
