//! Driver for a machine whose nodes take and deliver messages as whole words.

use super::{
    format_percent, ratio, ChannelUse, Delivery, EndReason, HeldMessage, Load, LoadError,
    MachineDriver, RunError, RunStats, StepStatus,
};
use crate::arrivals::Arrivals;
use crate::text::format_count;
use engine::{NodeEngine, NodePortId};
use interconnect::routing::Channel;
use interconnect::topology::PortEnd;
use std::collections::VecDeque;

/// Port names for sending and receiving messages at a node's processor interface. A message is a
/// word with its destination in the low bits and its payload above, low byte first.
#[derive(Clone, Copy, Debug)]
pub struct WordPorts {
    /// Width of the destination in bits.
    pub address_bits: u32,
    /// Payload in bytes.
    pub payload: usize,
    /// Input, 1 bit: the processor has a message.
    pub send: &'static str,
    /// Input: the message to send.
    pub send_word: &'static str,
    /// Output, 1 bit: the node accepts the message at the end of this clock cycle.
    pub accept: &'static str,
    /// Output, 1 bit: the node delivers a message in this clock cycle.
    pub deliver: &'static str,
    /// Output: the delivered message.
    pub delivered: &'static str,
    /// Output, 1 bit: a message of another node advances at the end of this clock cycle.
    pub pass: &'static str,
    /// Output, 1 bit: the channel that leaves by port 0 holds a message.
    pub holds: &'static str,
    /// Output: the held message.
    pub held: &'static str,
    /// Clock cycles per step.
    pub clock_cycles: u64,
}

impl WordPorts {
    /// Usual names, for nodes without payload.
    pub const DEFAULT: WordPorts = WordPorts {
        address_bits: 8,
        payload: 0,
        send: "send",
        send_word: "send_word",
        accept: "accept",
        deliver: "deliver",
        delivered: "delivered",
        pass: "pass",
        holds: "holds",
        held: "held",
        clock_cycles: 1,
    };
}

/// Word that identifies a message at its arrival.
type MessageWord = u64;

/// Driver of a run.
pub struct WordDriver<'a> {
    engine: &'a mut dyn NodeEngine,
    ports: WordPorts,
    pins: WordPins,
    /// For each node, the list positions and the words of its messages.
    queues: Vec<VecDeque<(usize, MessageWord)>>,
    releases: Vec<u64>,
    /// Messages by destination and word.
    arrivals: Arrivals<(usize, MessageWord)>,
    clock: u64,
    moved_at: u64,
    /// Messages that left each node by its one port.
    channels: ChannelUse,
    last_arrival: Option<u64>,
    last_hop: Option<u64>,
}

struct WordPins {
    send: NodePortId,
    send_word: NodePortId,
    accept: NodePortId,
    deliver: NodePortId,
    delivered: NodePortId,
    pass: NodePortId,
    holds: NodePortId,
    held: NodePortId,
}

impl<'a> WordDriver<'a> {
    /// Uses an engine that has just been started.
    ///
    /// # Errors
    /// If a payload is too long.
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        ports: WordPorts,
        load: &Load,
    ) -> Result<Self, LoadError> {
        let mut queues = vec![VecDeque::new(); engine.nodes()];
        let mut keys = vec![];
        for (place, message) in load.messages.iter().enumerate() {
            if message.payload.len() > ports.payload {
                return Err(LoadError(format!(
                    "message {} has {} bytes of payload; accepted: up to {}",
                    place + 1,
                    message.payload.len(),
                    ports.payload
                )));
            }
            if message.is_to_self() {
                keys.push(Err(Delivery::ToSelf));
                continue;
            }
            let bytes = message.payload.iter().rev();
            let data = bytes.fold(0, |word, byte| word << 8 | MessageWord::from(*byte));
            let word = data << ports.address_bits | MessageWord::from(message.destination);
            queues[message.source as usize].push_back((place, word));
            keys.push(Ok((message.destination as usize, word)));
        }
        let pins = WordPins {
            send: engine.port(ports.send),
            send_word: engine.port(ports.send_word),
            accept: engine.port(ports.accept),
            deliver: engine.port(ports.deliver),
            delivered: engine.port(ports.delivered),
            pass: engine.port(ports.pass),
            holds: engine.port(ports.holds),
            held: engine.port(ports.held),
        };
        let nodes = engine.nodes();
        Ok(WordDriver {
            engine,
            pins,
            queues,
            releases: load.releases(ports.clock_cycles),
            arrivals: Arrivals::new(keys),
            ports,
            clock: 0,
            moved_at: 0,
            channels: ChannelUse::new(nodes, 1, "message", "step"),
            last_arrival: None,
            last_hop: None,
        })
    }

    /// Present step, counted from the start.
    fn step(&self) -> u64 {
        self.clock / self.ports.clock_cycles
    }

    fn record_arrival(&mut self, node: usize, word: MessageWord) {
        let t = self.step();
        if self.arrivals.record(&(node, word), t).is_some() {
            self.last_arrival = Some(t);
        }
    }
}

impl MachineDriver for WordDriver<'_> {
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError> {
        if !self.clock.is_multiple_of(self.ports.clock_cycles) {
            return Ok(None);
        }
        let step = self.step();
        let waits = |(place, _): &(usize, MessageWord)| self.releases.get(*place) > Some(&step);
        let to_come = self.queues.iter().flatten().any(waits);
        Ok(Some(StepStatus {
            open: self.arrivals.missing,
            steps_since_move: (!to_come).then_some(step - self.moved_at),
            steps_since_outcome: None,
            halted: false,
        }))
    }

    fn is_complete(&self) -> bool {
        self.arrivals.missing == 0
    }

    fn work(&mut self) -> Result<(), RunError> {
        let step = self.step();
        for (node, queue) in self.queues.iter().enumerate() {
            let there = |(place, _): &&(usize, MessageWord)| {
                self.releases.get(*place).is_none_or(|r| *r <= step)
            };
            let word = queue.front().filter(there).map(|(_, word)| *word);
            let (send, send_word) = (self.pins.send, self.pins.send_word);
            self.engine.set(send, node, u64::from(word.is_some()));
            self.engine.set(send_word, node, word.unwrap_or(0));
        }
        self.engine.settle()?;
        for node in 0..self.queues.len() {
            let mut is = |pin| self.engine.get(pin, node) == 1;
            let (accepted, passed) = (is(self.pins.accept), is(self.pins.pass));
            let delivered = is(self.pins.deliver);
            if accepted {
                self.queues[node].pop_front();
            }
            for _ in 0..u64::from(accepted) + u64::from(passed) {
                self.channels.record(node, 0);
            }
            if accepted || passed {
                self.last_hop = Some(step);
            }
            if delivered {
                let word = self.engine.get(self.pins.delivered, node);
                self.record_arrival(node, word);
            }
            if accepted || passed || delivered {
                self.moved_at = step;
            }
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        self.engine.clock()?;
        self.clock += 1;
        Ok(1)
    }

    fn run_stats(&mut self, _: EndReason) -> RunStats {
        let mut held = vec![];
        for node in 0..self.queues.len() {
            if self.engine.get(self.pins.holds, node) == 1 {
                let word = self.engine.get(self.pins.held, node);
                held.push(HeldMessage {
                    channel: Channel { from: PortEnd { node: node as u32, port: 0 }, vc: 0 },
                    destination: (word & ((1 << self.ports.address_bits) - 1)) as u32,
                });
            }
        }
        let last = self.last_arrival.max(self.last_hop);
        let periods = last.map_or(0, |t| t + 1);
        let channels = self.channels.clone().with_equal_slots(periods);
        let hops = channels.total();
        let wire_utilisation = ratio(hops, periods * self.queues.len() as u64);
        RunStats {
            hops,
            duplicated: self.arrivals.duplicated,
            undetected: self.arrivals.undetected,
            periods,
            bit_times: self.clock,
            wire_utilisation,
            channel_use: Some(channels),
            summary_lines: vec![format!(
                "{} clock cycles, {}; channels used {}",
                self.clock,
                format_count(hops, "hop"),
                format_percent(wire_utilisation)
            )],
            held_messages: held,
            deliveries: std::mem::take(&mut self.arrivals.deliveries),
            ..RunStats::default()
        }
    }
}
