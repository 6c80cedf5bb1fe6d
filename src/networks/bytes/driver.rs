//! A run of a byte network: what its processors do, and what becomes of the messages.

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

/// The processors of a machine.
///
/// They send a byte whenever their channel is free, and take each byte in the clock
/// cycle in which it comes. They have registers, as nodes have: in clock cycle 1 the
/// first bytes are on the ports. A step is a clock cycle.
pub struct ByteDriver<'a> {
    pins: Pins<'a>,
    shape: Arc<dyn ByteShape>,
    processors: Processors,
    ledger: Ledger,
    follower: Follower,
    /// Of each message, the clock cycle in which its first byte was on the port.
    sent: Vec<u64>,
    /// Clock cycles in a packet time.
    period: u64,
    clock_cycle: u64,
    /// The clock cycle in which a wire changed last.
    moved: u64,
    /// Bytes over channels between nodes.
    bytes: u64,
    /// The clock cycle in which the last tail was handed over.
    last: Option<u64>,
}

impl<'a> ByteDriver<'a> {
    /// Clock cycles without any change of a request or acknowledge after which there will
    /// be none.
    pub const STILL: u64 = 8;

    /// The engine has just been started with a machine of this shape; a packet time has so
    /// many clock cycles.
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

    /// Of each message the clock cycle in which its first byte was on the port of its
    /// source; 0 if it was not yet.
    pub fn sent(&self) -> &[u64] {
        &self.sent
    }

    /// Bytes over channels between nodes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Who waits for whom, when nothing moves.
    pub fn standstill(&self) -> Standstill {
        match self.shape.can_follow() {
            true => self.follower.standstill(),
            false => Standstill::new(vec![]),
        }
    }

    /// What the wires between nodes tell.
    fn follow(&mut self) {
        let channels = self.shape.channel_queues();
        // First what was taken: it may be sent on in the same clock cycle.
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

    /// Processors take what comes; they say so in the next clock cycle.
    fn get(&mut self) {
        let received: Vec<_> = self.pins.received.changed().collect();
        for (node, queue) in received {
            self.follower.requested((node, queue), self.clock_cycle);
            let word = self.pins.got(node);
            if let Some(words) = self.processors.get(node, word) {
                // It left the queue in the clock cycle before it is on the port.
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

    /// Processors whose channel is free send; it is on their ports in the next clock
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

    /// A byte takes a clock cycle of the period.
    fn carried(&self) -> Option<f64> {
        Some(self.bytes as f64 / self.period as f64)
    }

    /// Bit-times are clock cycles: until the last tail was handed over; of a run that ended
    /// otherwise, until nothing moved any more, or to its end.
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
        // A byte is on its channel in the clock cycle after the one in which it is sent.
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
