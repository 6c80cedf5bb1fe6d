//! Where the packets of a run are, as far as the wires tell.
//!
//! Who knows the way of each packet and sees every byte go over a channel and be
//! taken, knows what lies in each queue: a byte that was taken was stripped, or is in the
//! queue that its packet takes next.

use super::{ByteShape, Stage, Standstill, WaitingPacket};
use crate::machine::{Event, EventKind, Held};
use crate::traffic::MessageList;
use std::collections::{HashMap, VecDeque};
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
    /// The packets under way.
    packets: HashMap<usize, Followed>,
    /// What lies in each queue: packets of which a byte has come and a byte has not gone.
    queues: HashMap<Queue, VecDeque<Place>>,
    /// The byte on the channel behind a queue, or in the latch there.
    crossing: HashMap<Queue, Place>,
    /// The byte that a processor has put on its port, until it is taken.
    ported: HashMap<usize, usize>,
    /// Channels that packets have entered.
    pub hops: u64,
    pub log: Option<Vec<Event>>,
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
        Follower {
            shape,
            messages,
            period,
            packets: HashMap::new(),
            queues: HashMap::new(),
            crossing: HashMap::new(),
            ported: HashMap::new(),
            hops: 0,
            log: log.then(Vec::new),
        }
    }

    /// A processor has put a byte on its port.
    pub fn put(&mut self, node: usize, message: usize) {
        self.ported.insert(node, message);
        self.packets.entry(message).or_insert_with(|| {
            let stages = self.shape.way(&self.messages.get(message));
            Followed {
                taken: vec![0; stages.len()],
                sent: vec![0; stages.len()],
                stages,
            }
        });
    }

    /// The byte on the port of a processor was taken.
    pub fn taken_from_processor(&mut self, node: usize) {
        if let Some(message) = self.ported.remove(&node) {
            self.taken((message, 0));
        }
    }

    /// The byte behind a queue was taken.
    pub fn acknowledged(&mut self, queue: Queue) {
        if let Some((message, stage)) = self.crossing.remove(&queue) {
            self.taken((message, stage + 1));
        }
    }

    /// A byte was taken by the input before the queue of a stage.
    fn taken(&mut self, (message, stage): Place) {
        let Some(packet) = self.packets.get_mut(&message) else {
            return;
        };
        packet.taken[stage] += 1;
        let Stage { node, queue, .. } = packet.stages[stage];
        if packet.taken[stage] == packet.joins(stage) {
            let packets = self.queues.entry((node, queue)).or_default();
            packets.push_back((message, stage));
        }
    }

    /// A queue has put a byte on its channel.
    pub fn requested(&mut self, queue: Queue, clock_cycle: u64) {
        let Some(packets) = self.queues.get_mut(&queue) else {
            return;
        };
        let Some((message, stage)) = packets.front().copied() else {
            return;
        };
        let Some(packet) = self.packets.get_mut(&message) else {
            return;
        };
        packet.sent[stage] += 1;
        if let (1, Some(channel)) = (packet.sent[stage], packet.stages[stage].channel) {
            let to = self.shape.topology().peer(channel.from).node;
            self.hops += 1;
            self.note(clock_cycle, message, queue, to, EventKind::Forwarded);
        }
        let Some(packet) = self.packets.get(&message) else {
            return;
        };
        let is_tail = packet.sent[stage] == packet.stages[stage].bytes;
        if is_tail {
            self.queues.entry(queue).or_default().pop_front();
        }
        if stage + 1 < packet.stages.len() {
            self.crossing.insert(queue, (message, stage));
        } else if is_tail {
            self.packets.remove(&message);
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
        let head = self.packets.get(&message).and_then(|packet| {
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
        let in_queues = self.queues.values().flatten();
        let places = in_queues.chain(self.crossing.values());
        let mut held: Vec<Held> = places.filter_map(|place| self.held_at(*place)).collect();
        held.sort_by_key(|held| (held.channel, held.destination));
        held.dedup();
        held
    }

    fn held_at(&self, (message, stage): Place) -> Option<Held> {
        Some(Held {
            channel: self.packets.get(&message)?.stages[stage].channel?,
            destination: self.messages.get(message).destination,
        })
    }

    /// Nothing moves: who waits for whom.
    pub fn standstill(&self) -> Standstill {
        let behind_queues = self.crossing.values().map(|(m, stage)| (*m, stage + 1));
        let at_ports = self.ported.values().map(|message| (*message, 0));
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
        } = self.packets.get(&message)?.stages[stage];
        let packets = self.queues.get(&(node, queue))?;
        let holds = |(m, s): &&Place| self.packets.get(m).is_some_and(|p| p.holds(*s));
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
