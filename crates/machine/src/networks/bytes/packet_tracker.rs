//! Tracks the packets of a run by the wires alone.
//!
//! The route of each packet is known, and every byte that crosses a channel and is taken is seen.
//! The contents of each queue follow from that. A byte that was taken was either stripped or is in
//! the next queue on the route of its packet.

use super::{ByteShape, RouteStage};
use crate::{HeldMessage, MessageEvent, MessageEventKind};
use interconnect::routing::Channel;
use interconnect::traffic::MessageList;
use std::collections::VecDeque;
use std::sync::Arc;

/// Queue: the node, and the number of the queue at the node.
type QueueId = (usize, usize);

/// Packet, and the index on its route of the queue that contains it.
type PacketStage = (usize, usize);

/// Follows packets from their first byte to their last byte.
pub(super) struct PacketTracker {
    shape: Arc<dyn ByteShape>,
    messages: Arc<MessageList>,
    /// Clock cycles in a packet time.
    period: u64,
    /// For each message, its packet while it is in flight.
    packets: Vec<Option<Box<TrackedPacket>>>,
    /// Contents of each queue: packets with a byte that has arrived and a byte that has not left.
    queues: PerQueue<VecDeque<PacketStage>>,
    /// Byte on the channel behind each queue, or in the latch there.
    crossing: PerQueue<Option<PacketStage>>,
    /// For each processor, the packet whose byte is on its port and has not been taken.
    on_port: Vec<Option<usize>>,
    /// Channel entries of packets.
    pub hops: u64,
    /// Clock cycle of the last hop.
    pub last_hop: Option<u64>,
    pub log: Option<Vec<MessageEvent>>,
}

/// One value for each queue of all nodes. Lookups must be fast, because each byte that moves needs
/// one.
struct PerQueue<T> {
    per_node: usize,
    all: Vec<T>,
}

impl<T: Default> PerQueue<T> {
    fn new(shape: &dyn ByteShape) -> Self {
        let per_node = shape.processor_queue() + 1;
        let count = shape.topology().nodes() as usize * per_node;
        PerQueue { per_node, all: std::iter::repeat_with(T::default).take(count).collect() }
    }

    fn of(&self, (node, queue): QueueId) -> &T {
        &self.all[node * self.per_node + queue]
    }

    fn of_mut(&mut self, (node, queue): QueueId) -> &mut T {
        &mut self.all[node * self.per_node + queue]
    }
}

/// Packet in flight.
struct TrackedPacket {
    stages: Vec<RouteStage>,
    /// For each stage, bytes that were taken before it, and bytes that it has sent.
    taken: Vec<usize>,
    sent: Vec<usize>,
}

impl TrackedPacket {
    /// True if a byte of the packet has come into the queue of a stage and its tail has not.
    fn holds(&self, stage: usize) -> bool {
        let RouteStage { bytes, stripped_bytes: strips, .. } = self.stages[stage];
        (self.joins(stage)..strips + bytes).contains(&self.taken[stage])
    }

    /// Returns the bytes that have been taken before a stage when the first byte is in its queue.
    fn joins(&self, stage: usize) -> usize {
        let RouteStage { stripped_bytes: strips, held_bytes: kept, .. } = self.stages[stage];
        strips + kept + 1
    }
}

impl PacketTracker {
    pub fn new(
        shape: Arc<dyn ByteShape>,
        messages: Arc<MessageList>,
        period: u64,
        log: bool,
    ) -> Self {
        let none = |_| None;
        PacketTracker {
            packets: (0..messages.len()).map(none).collect(),
            queues: PerQueue::new(&*shape),
            crossing: PerQueue::new(&*shape),
            on_port: vec![None; shape.topology().nodes() as usize],
            shape,
            messages,
            period,
            hops: 0,
            last_hop: None,
            log: log.then(Vec::new),
        }
    }

    /// Records that a processor has put a byte on its port.
    pub fn record_put(&mut self, node: usize, message: usize) {
        self.on_port[node] = Some(message);
        self.packets[message].get_or_insert_with(|| {
            let stages = self.shape.route(&self.messages.get(message));
            Box::new(TrackedPacket {
                taken: vec![0; stages.len()],
                sent: vec![0; stages.len()],
                stages,
            })
        });
    }

    /// Records that the byte on the port of a processor was taken.
    pub fn record_taken_from_processor(&mut self, node: usize) {
        if let Some(message) = self.on_port[node].take() {
            self.record_taken((message, 0));
        }
    }

    /// Records that the byte behind a queue was taken.
    pub fn record_acknowledge(&mut self, queue: QueueId) {
        if let Some((message, stage)) = self.crossing.of_mut(queue).take() {
            self.record_taken((message, stage + 1));
        }
    }

    /// Records that the input before the queue of a stage took a byte.
    fn record_taken(&mut self, (message, stage): PacketStage) {
        let Some(packet) = &mut self.packets[message] else {
            return;
        };
        packet.taken[stage] += 1;
        let RouteStage { node, queue, .. } = packet.stages[stage];
        if packet.taken[stage] == packet.joins(stage) {
            let packets = self.queues.of_mut((node, queue));
            packets.push_back((message, stage));
        }
    }

    /// Records that a queue has put a byte on its channel.
    pub fn record_request(&mut self, queue: QueueId, clock_cycle: u64) {
        let Some((message, stage)) = self.queues.of(queue).front().copied() else {
            return;
        };
        let Some(packet) = &mut self.packets[message] else {
            return;
        };
        packet.sent[stage] += 1;
        let is_head = packet.sent[stage] == 1;
        let is_tail = packet.sent[stage] == packet.stages[stage].bytes;
        let is_last_stage = stage + 1 == packet.stages.len();
        if let (true, Some(channel)) = (is_head, packet.stages[stage].channel) {
            let to = self.shape.topology().peer(channel.from).node;
            self.hops += 1;
            self.last_hop = Some(clock_cycle);
            self.log_event(clock_cycle, message, queue, to, MessageEventKind::Forwarded);
        }
        if is_tail {
            self.queues.of_mut(queue).pop_front();
        }
        if !is_last_stage {
            *self.crossing.of_mut(queue) = Some((message, stage));
        } else if is_tail {
            self.packets[message] = None;
        }
    }

    /// Adds an entry to the log, if a log is kept.
    fn log_event(
        &mut self,
        t: u64,
        message: usize,
        (node, queue): QueueId,
        to: u32,
        what: MessageEventKind,
    ) {
        let sent = self.messages.get(message);
        let period = self.period;
        self.log.iter_mut().for_each(|log| {
            log.push(MessageEvent {
                t,
                // Fits, because the value is less than the length of a packet.
                phase: (t % period) as u32,
                node: node as u32,
                from_reg: queue as u32,
                to,
                src: sent.source,
                dst: sent.destination,
                message: message as u32,
                what,
            });
        });
    }

    /// Records that a message has arrived.
    pub fn log_delivered(&mut self, t: u64, message: usize) {
        let node = self.messages.get(message).destination;
        let queue = (node as usize, self.shape.processor_queue());
        self.log_event(t, message, queue, node, MessageEventKind::Delivered);
    }

    /// Logs a message that is still in flight at the end of the run, at the node where its head is.
    pub fn log_in_flight(&mut self, t: u64, message: usize) {
        let head = self.packets[message].as_ref().and_then(|packet| {
            let stages = packet.stages.iter().zip(&packet.taken);
            let reached = stages.rev().find(|(_, taken)| **taken > 0);
            reached.map(|(stage, _)| (stage.node, stage.queue))
        });
        let source = self.messages.get(message).source;
        let queue = head.unwrap_or((source as usize, self.shape.processor_queue()));
        self.log_event(t, message, queue, queue.0 as u32, MessageEventKind::Left);
    }

    /// Returns the channels that packets hold, each with the destination of its packet. A channel
    /// is held while its queue contains a byte or is reserved for more bytes. A byte on the channel
    /// behind the queue also holds it.
    pub fn held_messages(&self) -> Vec<HeldMessage> {
        let in_queues = self.queues.all.iter().flatten();
        let places = in_queues.chain(self.crossing.all.iter().flatten());
        let mut held: Vec<HeldMessage> =
            places.filter_map(|place| self.held_message_at(*place)).collect();
        held.sort_by_key(|held| (held.channel, held.destination));
        held.dedup();
        held
    }

    fn held_message_at(&self, (message, stage): PacketStage) -> Option<HeldMessage> {
        Some(HeldMessage {
            channel: self.packets[message].as_ref()?.stages[stage].channel?,
            destination: self.messages.get(message).destination,
        })
    }

    /// Returns the waiting packets and the packets that block them, when nothing moves.
    pub fn stall_report(&self) -> StallReport {
        let crossing = self.crossing.all.iter().flatten();
        let behind_queues = crossing.map(|(m, stage)| (*m, stage + 1));
        let at_ports = self.on_port.iter().flatten().map(|message| (*message, 0));
        let waiting = behind_queues.chain(at_ports);
        StallReport::new(waiting.filter_map(|place| self.waiting_packet(place)).collect())
    }

    /// Returns the cause of the wait of a packet whose byte cannot enter the queue of a stage.
    fn waiting_packet(&self, (message, stage): PacketStage) -> Option<WaitingPacket> {
        let RouteStage { node, queue, channel, .. } = self.packets[message].as_ref()?.stages[stage];
        let packets = self.queues.of((node, queue));
        let holds = |(m, s): &&PacketStage| self.packets[*m].as_ref().is_some_and(|p| p.holds(*s));
        // The blocking packet is the one that holds the queue. If that packet is completely in the
        // queue, it is the first one in the queue.
        let holder = packets.iter().find(holds).filter(|(m, _)| *m != message);
        let (behind, _) = *holder.or(packets.front())?;
        (behind != message).then_some(WaitingPacket {
            message,
            node: node as u32,
            wanted_channel: channel,
            blocked_by: behind,
        })
    }
}

// Analysis of a machine in which nothing moves: the waiting packets and a cycle among them.

/// Packet whose head waits for a queue that another packet blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitingPacket {
    /// Number of the message in the list.
    pub message: usize,
    /// Node where the head waits.
    pub node: u32,
    /// Channel that the packet waits for. `None` if it waits for the queue to the processor.
    pub wanted_channel: Option<Channel>,
    /// Message whose packet blocks this one.
    pub blocked_by: usize,
}

/// All waiting packets, by message, and a cycle among them. In the cycle each packet is blocked by
/// the next, and the last by the first, which has the lowest number. The cycle is empty if there is
/// none, for example when packets are lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallReport {
    pub waiting: Vec<WaitingPacket>,
    pub cycle: Vec<WaitingPacket>,
}

impl StallReport {
    pub(super) fn new(mut waiting: Vec<WaitingPacket>) -> Self {
        waiting.sort();
        let cycles = waiting.iter().map(|start| find_cycle(&waiting, *start));
        let cycle = cycles.flatten().next().unwrap_or_default();
        StallReport { waiting, cycle }
    }
}

/// Returns the cycle that contains `start`, if there is one.
fn find_cycle(waiting: &[WaitingPacket], start: WaitingPacket) -> Option<Vec<WaitingPacket>> {
    let mut cycle = vec![];
    let mut at = start;
    loop {
        cycle.push(at);
        let next = waiting.binary_search_by_key(&at.blocked_by, |w| w.message);
        at = waiting[next.ok()?];
        if at == start {
            return Some(cycle);
        }
        if cycle.contains(&at) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(pairs: &[(usize, usize)]) -> Vec<WaitingPacket> {
        let waiting = |(message, behind): &(usize, usize)| WaitingPacket {
            message: *message,
            node: 0,
            wanted_channel: None,
            blocked_by: *behind,
        };
        pairs.iter().map(waiting).collect()
    }

    #[test]
    fn a_cycle_is_found_behind_packets_outside_it() {
        let found = StallReport::new(waiting(&[(7, 5), (5, 2), (0, 7), (2, 7), (9, 4)]));
        let cycle: Vec<usize> = found.cycle.iter().map(|w| w.message).collect();
        assert_eq!(cycle, [2, 7, 5]);
        assert_eq!(found.waiting.len(), 5);
        assert!(StallReport::new(waiting(&[(1, 2), (2, 3)])).cycle.is_empty());
    }
}
