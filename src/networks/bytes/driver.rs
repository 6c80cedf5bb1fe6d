//! Driver of a byte network, which simulates the processors and tracks the messages.

use super::follower::Follower;
use super::ledger::Ledger;
use super::pins::{Pins, Watched};
use super::processors::Processors;
use super::{ByteShape, Standstill};
use crate::counted::counted;
use crate::engine::NodeEngine;
use crate::machine::{
    percent, ratio, Account, Driver, End, Entry, Fate, Load, Ran, RunError, Step,
};
use std::sync::Arc;

/// Drives the processors of a machine.
///
/// A processor sends a byte whenever its channel is free, and takes each byte in the clock cycle of
/// its arrival. Its outputs are registered like the outputs of nodes, so the first bytes are on the
/// ports in clock cycle 1. A step is a clock cycle.
pub struct ByteDriver<'a> {
    pins: Pins<'a>,
    shape: Arc<dyn ByteShape>,
    processors: Processors,
    ledger: Ledger,
    follower: Follower,
    /// For each message, the clock cycle in which its first byte was on the port.
    sent: Vec<u64>,
    /// Clock cycles in a packet time.
    period: u64,
    clock_cycle: u64,
    /// Clock cycle of the last change of a wire.
    moved: u64,
    /// Bytes transferred over channels between nodes.
    bytes: u64,
    /// Clock cycle in which the last tail was delivered.
    last: Option<u64>,
}

impl<'a> ByteDriver<'a> {
    /// Clock cycles without a change of a request or acknowledge after which no further change
    /// occurs.
    pub const STILL: u64 = 8;

    /// Creates the driver for an engine that has just been started with a machine of this shape. A
    /// packet time has `period` clock cycles.
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        shape: Arc<dyn ByteShape>,
        period: u64,
        load: &Load,
    ) -> Self {
        let messages = &load.messages;
        ByteDriver {
            pins: Pins::new(engine, &*shape),
            processors: Processors::new(shape.clone(), messages.clone(), &load.releases(1)),
            ledger: Ledger::new(messages, &*shape),
            follower: Follower::new(shape.clone(), messages.clone(), period, load.keep_events),
            shape,
            sent: vec![0; messages.len()],
            period,
            clock_cycle: 0,
            moved: 0,
            bytes: 0,
            last: None,
        }
    }

    /// Returns, for each message, the clock cycle in which its first byte was on the port of its
    /// source. The value is 0 if the message has not been sent.
    pub fn sent(&self) -> &[u64] {
        &self.sent
    }

    /// Returns the number of bytes transferred over channels between nodes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the packets that wait and the packets that block them when nothing moves.
    pub fn standstill(&self) -> Standstill {
        match self.shape.can_follow() {
            true => self.follower.standstill(),
            false => Standstill::new(vec![]),
        }
    }

    /// Evaluates the changes on the wires between nodes.
    fn follow(&mut self) {
        let channels = self.shape.channel_queues();
        // Handles acknowledges first, because a byte may be taken and sent on in the same clock
        // cycle.
        for queue in self.pins.acknowledges.iter().flat_map(Watched::changed) {
            self.follower.acknowledged(queue);
            self.moved = self.clock_cycle;
        }
        for (node, _) in self.pins.sent.changed() {
            self.follower.taken_from_processor(node);
            self.moved = self.clock_cycle;
        }
        for queue in self.pins.requests.iter().flat_map(Watched::changed) {
            self.follower.requested(queue, self.clock_cycle);
            self.bytes += u64::from(queue.1 < channels);
            self.moved = self.clock_cycle;
        }
    }

    /// Lets processors take the bytes that arrive. They acknowledge in the next clock cycle.
    fn get(&mut self) {
        let received: Vec<_> = self.pins.received.changed().collect();
        for (node, queue) in received {
            self.follower.requested((node, queue), self.clock_cycle);
            let word = self.pins.got(node);
            if let Some(words) = self.processors.get(node, word) {
                // The byte left the queue one clock cycle before it is on the port.
                let at = self.clock_cycle - 1;
                let payload = self.shape.decode(&words);
                if let Some(message) = self.ledger.arrived(node, payload, at) {
                    self.follower.delivered(at, message);
                }
                self.last = Some(at);
            }
            let request = self.pins.received.word(node);
            self.pins.take(node, request);
            self.moved = self.clock_cycle + 1;
        }
    }

    /// Lets processors whose channel is free send. The bytes are on their ports in the next clock
    /// cycle.
    fn put(&mut self) {
        for node in 0..self.processors.count() {
            let busy = self.processors.request(node) != (self.pins.sent.word(node) == 1);
            if busy {
                continue;
            }
            let Some(put) = self.processors.put(node, self.clock_cycle) else {
                continue;
            };
            if put.first {
                self.sent[put.message] = self.clock_cycle + 1;
            }
            self.follower.put(node, put.message);
            let request = self.processors.request(node);
            self.pins.put(node, put.word, request);
            self.moved = self.clock_cycle + 1;
        }
    }
}

impl Driver for ByteDriver<'_> {
    fn begins(&mut self) -> Result<Option<Step>, RunError> {
        let to_come = self.processors.more_to_come(self.clock_cycle);
        Ok(Some(Step {
            open: self.ledger.left,
            quiet: (!to_come).then_some(self.clock_cycle.saturating_sub(self.moved)),
            fruitless: None,
            halted: false,
        }))
    }

    fn is_complete(&self) -> bool {
        self.ledger.left == 0
    }

    fn work(&mut self) -> Result<(), RunError> {
        self.pins.look()?;
        self.follow();
        self.get();
        self.put();
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        self.pins.clock()?;
        self.clock_cycle += 1;
        Ok(1)
    }

    /// A byte occupies one clock cycle of the period.
    fn carried(&self) -> Option<f64> {
        Some(self.bytes as f64 / self.period as f64)
    }

    /// Returns the statistics of the run. Bit-times are clock cycles. They are counted up to the
    /// delivery of the last tail. In a run that ended otherwise they are counted until the last
    /// movement, or to the end of the run.
    fn account(mut self: Box<Self>, ran: &Ran) -> Account {
        let bit_times = match ran.end {
            End::Complete => self.last.map_or(0, |last| last + 1),
            End::Stuck { .. } => self.moved,
            _ => ran.clock_cycles,
        };
        let can_follow = self.shape.can_follow();
        let stuck = matches!(ran.end, End::Stuck { .. });
        let circle = match stuck {
            true => self.standstill().circle,
            false => vec![],
        };
        let circle: Vec<usize> = circle.iter().map(|waiting| waiting.message).collect();
        for message in 0..self.ledger.fates.len() {
            if self.ledger.fates[message] == Fate::UnderWay {
                self.follower.left(ran.clock_cycles, message);
            }
        }
        let topology = self.shape.topology();
        let channels = u64::from(topology.nodes()) * u64::from(topology.ports());
        // A byte is on its channel one clock cycle after it is sent.
        let last_hop = self.follower.last_hop.map(|last| last.saturating_sub(1));
        let last = self.last.max(last_hop);
        let periods = last.map_or(0, |last| last / self.period + 1);
        let carried = ratio(self.bytes, bit_times * channels);
        let hops = self.follower.hops;
        Account {
            hops,
            duplicated: self.ledger.duplicated,
            undetected: self.ledger.misrouted,
            periods,
            bit_times,
            wire_utilisation: ratio(hops, periods * channels),
            entries: vec![
                Entry::new("bytes", self.bytes),
                Entry::count(
                    "damaged",
                    self.ledger.damaged,
                    "packets whose data encode no payload",
                ),
                Entry::new("circle", circle),
            ],
            lines: vec![format!(
                "{bit_times} clock cycles, {}, {} bytes over channels; channels used {}",
                counted(hops, "hop"),
                self.bytes,
                percent(carried)
            )],
            held: match can_follow {
                true => self.follower.held(),
                false => vec![],
            },
            events: self.follower.log.unwrap_or_default(),
            fates: self.ledger.fates,
            ..Account::default()
        }
    }
}
