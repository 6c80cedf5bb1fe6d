//! Driver of a byte network, which simulates the processors and tracks the messages.

use super::packet_tracker::PacketTracker;
use super::pins::{BytePins, PacketProcessors, PortHistory};
use super::{ByteShape, StallReport};
use crate::arrivals::Arrivals;
use crate::text::format_count;
use crate::{
    format_percent, ratio, ChannelUse, Delivery, EndReason, JsonEntry, Load, MachineDriver,
    RunError, RunStats, StepStatus,
};
use engine::NodeEngine;
use interconnect::traffic::MessageList;
use std::sync::Arc;

/// Identifies an arriving message: destination and payload.
type ByteMessageKey = (u32, Vec<u8>);

/// Drives the processors of a machine.
///
/// A processor sends a byte whenever its channel is free, and takes each byte in the clock cycle of
/// its arrival. Its outputs are registered like the outputs of nodes, so the first bytes are on the
/// ports in clock cycle 1. A step is a clock cycle.
pub struct ByteDriver<'a> {
    pins: BytePins<'a>,
    shape: Arc<dyn ByteShape>,
    processors: PacketProcessors,
    arrivals: Arrivals<ByteMessageKey>,
    /// Packets that arrived with data that decode to no payload.
    damaged: u64,
    tracker: PacketTracker,
    /// For each message, the clock cycle in which its first byte was on the port.
    sent: Vec<u64>,
    /// Clock cycles in a packet time.
    period: u64,
    clock_cycle: u64,
    /// Clock cycle of the last change of a wire.
    moved: u64,
    /// Bytes transferred over channels between nodes.
    channels: ChannelUse,
    /// For each queue, the port of its channel between nodes.
    channel_ports: Vec<Option<u32>>,
    /// Clock cycle in which the last tail was delivered.
    last: Option<u64>,
}

impl<'a> ByteDriver<'a> {
    /// Clock cycles without a change of a request or acknowledge after which no further change
    /// occurs.
    pub const QUIESCENT_AFTER: u64 = 8;

    /// Creates the driver for an engine that has just been started with a machine of this shape. A
    /// packet time has `period` clock cycles.
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        shape: Arc<dyn ByteShape>,
        period: u64,
        load: &Load,
    ) -> Self {
        let messages = &load.messages;
        let (nodes, ports) = (shape.topology().nodes(), shape.topology().ports());
        let queues = 0..shape.processor_queue() + 1;
        ByteDriver {
            channels: ChannelUse::new(nodes as usize, ports as usize, "byte", "clock cycle"),
            channel_ports: queues.map(|queue| shape.channel_port(queue)).collect(),
            pins: BytePins::new(engine, &*shape),
            processors: PacketProcessors::new(shape.clone(), messages.clone(), &load.releases(1)),
            arrivals: Arrivals::new(keys(messages, &*shape)),
            damaged: 0,
            tracker: PacketTracker::new(shape.clone(), messages.clone(), period, load.keep_events),
            shape,
            sent: vec![0; messages.len()],
            period,
            clock_cycle: 0,
            moved: 0,
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
        self.channels.total()
    }

    /// Returns the packets that wait and the packets that block them when nothing moves.
    pub fn stall_report(&self) -> StallReport {
        match self.shape.can_track() {
            true => self.tracker.stall_report(),
            false => StallReport::new(vec![]),
        }
    }

    /// Evaluates the changes on the wires between nodes.
    fn follow(&mut self) {
        // Handles acknowledges first, because a byte may be taken and sent on in the same clock
        // cycle.
        for queue in self.pins.acknowledges.iter().flat_map(PortHistory::changed) {
            self.tracker.record_acknowledge(queue);
            self.moved = self.clock_cycle;
        }
        for (node, _) in self.pins.sent.changed() {
            self.tracker.record_taken_from_processor(node);
            self.moved = self.clock_cycle;
        }
        for queue in self.pins.requests.iter().flat_map(PortHistory::changed) {
            self.tracker.record_request(queue, self.clock_cycle);
            if let Some(port) = self.channel_ports[queue.1] {
                self.channels.record(queue.0, port as usize);
            }
            self.moved = self.clock_cycle;
        }
    }

    /// Lets processors take the bytes that arrive. They acknowledge in the next clock cycle.
    fn get(&mut self) {
        let received: Vec<_> = self.pins.received.changed().collect();
        for (node, queue) in received {
            self.tracker.record_request((node, queue), self.clock_cycle);
            let word = self.pins.received_word(node);
            if let Some(words) = self.processors.get(node, word) {
                // The byte left the queue one clock cycle before it is on the port.
                let at = self.clock_cycle - 1;
                match self.shape.decode(&words) {
                    None => self.damaged += 1,
                    Some(payload) => {
                        if let Some(message) = self.arrivals.record(&(node as u32, payload), at) {
                            self.tracker.log_delivered(at, message);
                        }
                    }
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
            self.tracker.record_put(node, put.message);
            let request = self.processors.request(node);
            self.pins.put(node, put.word, request);
            self.moved = self.clock_cycle + 1;
        }
    }
}

impl MachineDriver for ByteDriver<'_> {
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError> {
        let to_come = self.processors.has_later_messages(self.clock_cycle);
        Ok(Some(StepStatus {
            open: self.arrivals.missing,
            steps_since_move: (!to_come).then_some(self.clock_cycle.saturating_sub(self.moved)),
            steps_since_outcome: None,
            halted: false,
        }))
    }

    fn is_complete(&self) -> bool {
        self.arrivals.missing == 0
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
    fn carried_traffic(&self) -> Option<f64> {
        Some(self.bytes() as f64 / self.period as f64)
    }

    /// Returns the statistics of the run. Bit-times are clock cycles. They are counted up to the
    /// delivery of the last tail. In a run that ended otherwise they are counted until the last
    /// movement, or to the end of the run.
    fn run_stats(&mut self, end: EndReason) -> RunStats {
        let bit_times = match end {
            EndReason::Complete => self.last.map_or(0, |last| last + 1),
            EndReason::Deadlock { .. } => self.moved,
            _ => self.clock_cycle,
        };
        let can_follow = self.shape.can_track();
        let stuck = matches!(end, EndReason::Deadlock { .. });
        let cycle = match stuck {
            true => self.stall_report().cycle,
            false => vec![],
        };
        let cycle: Vec<usize> = cycle.iter().map(|waiting| waiting.message).collect();
        for message in 0..self.arrivals.deliveries.len() {
            if self.arrivals.deliveries[message] == Delivery::UnderWay {
                self.tracker.log_in_flight(self.clock_cycle, message);
            }
        }
        let topology = self.shape.topology();
        let channels = u64::from(topology.nodes()) * u64::from(topology.ports());
        // A byte is on its channel one clock cycle after it is sent.
        let last_hop = self.tracker.last_hop.map(|last| last.saturating_sub(1));
        let last = self.last.max(last_hop);
        let periods = last.map_or(0, |last| last / self.period + 1);
        let bytes = self.bytes();
        let carried = ratio(bytes, bit_times * channels);
        let hops = self.tracker.hops;
        RunStats {
            hops,
            duplicated: self.arrivals.duplicated,
            undetected: self.arrivals.undetected,
            periods,
            bit_times,
            // By bytes, because packets may be shorter than a packet time.
            wire_utilisation: ratio(bytes, periods * self.period * channels),
            channel_use: Some(self.channels.clone().with_equal_slots(bit_times)),
            entries: vec![
                JsonEntry::new("bytes", bytes),
                JsonEntry::count("damaged", self.damaged, "packets whose data encode no payload"),
                JsonEntry::new("circle", cycle),
            ],
            summary_lines: vec![format!(
                "{bit_times} clock cycles, {}, {bytes} bytes over channels; channels used {}",
                format_count(hops, "hop"),
                format_percent(carried)
            )],
            held_messages: match can_follow {
                true => self.tracker.held_messages(),
                false => vec![],
            },
            events: self.tracker.log.take().unwrap_or_default(),
            deliveries: std::mem::take(&mut self.arrivals.deliveries),
            ..RunStats::default()
        }
    }
}

/// Returns the key or the outcome of each message. Messages from or to a failed node are dropped at
/// once.
fn keys<'a>(
    messages: &'a MessageList,
    shape: &'a dyn ByteShape,
) -> impl Iterator<Item = Result<ByteMessageKey, Delivery>> + 'a {
    messages.iter().map(|message| {
        let ends = [message.source, message.destination];
        if message.is_to_self() {
            Err(Delivery::ToSelf)
        } else if ends.iter().any(|node| shape.has_failed(*node)) {
            Err(Delivery::Undelivered)
        } else {
            Ok((message.destination, message.payload.to_vec()))
        }
    })
}
