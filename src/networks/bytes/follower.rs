//! Where the packets of a run are, as far as the wires tell.
//!
//! Who knows the way of each packet and sees every byte go over a channel and be
//! taken, knows what lies in each queue: a byte that was taken was stripped, or is in the
//! queue that its packet takes next.

use super::{ByteShape, Stage, Standstill, WaitingPacket};
use crate::machine::{Event, EventKind, Held};
use crate::traffic::MessageList;
use std::collections::VecDeque;
use std::sync::Arc;

/// A queue: node, and number at the node.
type Queue = (usize, usize);

/// A packet, and the place on its way of the queue where it is.
type Place = (usize, usize);

/// Follows packets from their first byte to their last.
pub(super) struct Follower {
    shape: Arc<dyn ByteShape>,
    messages: Arc<MessageList>,
    /// Clock cycles of a packet time.
    period: u64,
    /// Of each message its packet, while that is under way.
    packets: Vec<Option<Box<Followed>>>,
    /// What lies in each queue: packets of which a byte has come and a byte has not gone.
    queues: OfQueues<VecDeque<Place>>,
    /// The byte on the channel behind each queue, or in the latch there.
    crossing: OfQueues<Option<Place>>,
    /// Of each processor, the packet of which it has put a byte on its port, until that is taken.
    ported: Vec<Option<usize>>,
    /// Channels that packets have entered.
    pub hops: u64,
    /// The clock cycle of the last hop.
    pub last_hop: Option<u64>,
    pub log: Option<Vec<Event>>,
}

/// Something of each queue of all nodes. Queues are looked up for every byte that moves.
struct OfQueues<T> {
    /// Queues of a node.
    per_node: usize,
    all: Vec<T>,
}

impl<T: Default> OfQueues<T> {
    fn new(shape: &dyn ByteShape) -> Self {
        let per_node = shape.processor_queue() + 1;
        let count = shape.topology().nodes() as usize * per_node;
        OfQueues {
            per_node,
            all: std::iter::repeat_with(T::default).take(count).collect(),
        }
    }

    fn of(&self, (node, queue): Queue) -> &T {
        &self.all[node * self.per_node + queue]
    }

    fn of_mut(&mut self, (node, queue): Queue) -> &mut T {
        &mut self.all[node * self.per_node + queue]
    }
}

/// A packet under way.
struct Followed {
    stages: Vec<Stage>,
    /// Of each stage, bytes that were taken before it, and bytes that it has sent.
    taken: Vec<usize>,
    sent: Vec<usize>,
}

impl Followed {
    /// A byte of it has come into the queue of a stage, and its tail has not.
    fn holds(&self, stage: usize) -> bool {
        let Stage { bytes, strips, .. } = self.stages[stage];
        (self.joins(stage)..strips + bytes).contains(&self.taken[stage])
    }

    /// Bytes that have been taken before a stage when the first is in its queue.
    fn joins(&self, stage: usize) -> usize {
        let Stage { strips, kept, .. } = self.stages[stage];
        strips + kept + 1
    }
}

impl Follower {
    pub fn new(
        shape: Arc<dyn ByteShape>,
        messages: Arc<MessageList>,
        period: u64,
        log: bool,
    ) -> Self {
        let none = |_| None;
        Follower {
            packets: (0..messages.len()).map(none).collect(),
            queues: OfQueues::new(&*shape),
            crossing: OfQueues::new(&*shape),
            ported: vec![None; shape.topology().nodes() as usize],
            shape,
            messages,
            period,
            hops: 0,
            last_hop: None,
            log: log.then(Vec::new),
        }
    }

    /// A processor has put a byte on its port.
    pub fn put(&mut self, node: usize, message: usize) {
        self.ported[node] = Some(message);
        self.packets[message].get_or_insert_with(|| {
            let stages = self.shape.way(&self.messages.get(message));
            Box::new(Followed {
                taken: vec![0; stages.len()],
                sent: vec![0; stages.len()],
                stages,
            })
        });
    }

    /// The byte on the port of a processor was taken.
    pub fn taken_from_processor(&mut self, node: usize) {
        if let Some(message) = self.ported[node].take() {
            self.taken((message, 0));
        }
    }

    /// The byte behind a queue was taken.
    pub fn acknowledged(&mut self, queue: Queue) {
        if let Some((message, stage)) = self.crossing.of_mut(queue).take() {
            self.taken((message, stage + 1));
        }
    }

    /// A byte was taken by the input before the queue of a stage.
    fn taken(&mut self, (message, stage): Place) {
        let Some(packet) = &mut self.packets[message] else {
            return;
        };
        packet.taken[stage] += 1;
        let Stage { node, queue, .. } = packet.stages[stage];
        if packet.taken[stage] == packet.joins(stage) {
            let packets = self.queues.of_mut((node, queue));
            packets.push_back((message, stage));
        }
    }

    /// A queue has put a byte on its channel.
    pub fn requested(&mut self, queue: Queue, clock_cycle: u64) {
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
            self.note(clock_cycle, message, queue, to, EventKind::Forwarded);
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

    /// A line of the log, if there is one.
    fn note(&mut self, t: u64, message: usize, (node, queue): Queue, to: u32, what: EventKind) {
        let sent = self.messages.get(message);
        let period = self.period;
        self.log.iter_mut().for_each(|log| {
            log.push(Event {
                t,
                // Less than a packet is long.
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

    /// A message has arrived.
    pub fn delivered(&mut self, t: u64, message: usize) {
        let node = self.messages.get(message).destination;
        let queue = (node as usize, self.shape.processor_queue());
        self.note(t, message, queue, node, EventKind::Delivered);
    }

    /// The run has ended, and a message is still under way: its head is at this node.
    pub fn left(&mut self, t: u64, message: usize) {
        let head = self.packets[message].as_ref().and_then(|packet| {
            let stages = packet.stages.iter().zip(&packet.taken);
            let reached = stages.rev().find(|(_, taken)| **taken > 0);
            reached.map(|(stage, _)| (stage.node, stage.queue))
        });
        let source = self.messages.get(message).source;
        let queue = head.unwrap_or((source as usize, self.shape.processor_queue()));
        self.note(t, message, queue, queue.0 as u32, EventKind::Left);
    }

    /// The channels that packets hold, each with the destination of its packet: a byte is in
    /// the queue of the channel, or on its way behind it, or the queue is kept for
    /// more.
    pub fn held(&self) -> Vec<Held> {
        let in_queues = self.queues.all.iter().flatten();
        let places = in_queues.chain(self.crossing.all.iter().flatten());
        let mut held: Vec<Held> = places.filter_map(|place| self.held_at(*place)).collect();
        held.sort_by_key(|held| (held.channel, held.destination));
        held.dedup();
        held
    }

    fn held_at(&self, (message, stage): Place) -> Option<Held> {
        Some(Held {
            channel: self.packets[message].as_ref()?.stages[stage].channel?,
            destination: self.messages.get(message).destination,
        })
    }

    /// Nothing moves: who waits for whom.
    pub fn standstill(&self) -> Standstill {
        let crossing = self.crossing.all.iter().flatten();
        let behind_queues = crossing.map(|(m, stage)| (*m, stage + 1));
        let at_ports = self.ported.iter().flatten().map(|message| (*message, 0));
        let waiting = behind_queues.chain(at_ports);
        Standstill::new(waiting.filter_map(|place| self.waiting(place)).collect())
    }

    /// What a packet waits for whose byte does not come into the queue of a stage.
    fn waiting(&self, (message, stage): Place) -> Option<WaitingPacket> {
        let Stage {
            node,
            queue,
            channel,
            ..
        } = self.packets[message].as_ref()?.stages[stage];
        let packets = self.queues.of((node, queue));
        let holds = |(m, s): &&Place| self.packets[*m].as_ref().is_some_and(|p| p.holds(*s));
        // The one that holds it; if it is whole in the queue, the one that goes first.
        let holder = packets.iter().find(holds).filter(|(m, _)| *m != message);
        let (behind, _) = *holder.or(packets.front())?;
        (behind != message).then_some(WaitingPacket {
            message,
            node: node as u32,
            wants: channel,
            behind,
        })
    }
}
