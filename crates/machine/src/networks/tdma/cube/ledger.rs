//! Locations and fates of all messages.

use super::hosts::buffer_bytes;
use super::phases::{has_message, FrameCounts, PhaseReport};
use crate::{
    ChannelUse, Delivery, MessageEvent, MessageEventKind, NodeEvent, NodeEventKind, RunStats,
};
use interconnect::routing::compiled::NODE_SLOTS;
use interconnect::routing::tdma::{PhaseSchedule, Routing};
use interconnect::routing::Schedule;
use interconnect::topology::Metacube;
use interconnect::traffic::MessageList;
use rtl::tdma::buffers::{arrival_buffer, departure_count, injection_buffer, last_buffer};
use rtl::tdma::DeliveryReason;
use rtl::tdma::{pool_slots, ReceiveResult, SendResult};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Location of a message: a buffer of a node.
#[derive(Clone, Copy)]
struct BufferLocation {
    node: usize,
    slot: usize,
}

/// Tracks all messages by the reports of the nodes. Checks each message at the end against the
/// bytes that the host receives.
///
/// Memory is 12 bytes for a message, and 48 for a log entry if the log is kept.
pub(super) struct CubeLedger {
    shape: Metacube,
    /// Phases in a superframe, or in the programmed order.
    period: u32,
    numbers: BufferNumbers,
    pub messages: Arc<MessageList>,
    /// Results so far: deliveries, log, duplicated messages, and damage that the machine did not
    /// detect. A delivered message then differs from the one sent, or nobody sent a stored message.
    pub stats: RunStats,
    /// Phase in which a message reached the buffer of its destination, counted from 1.
    arrival_phases: Vec<Option<NonZeroU32>>,
    /// For each node, the messages in its buffers, by buffer number.
    buffers: Vec<Vec<Option<usize>>>,
    /// For each buffer, whether its last frame timed out.
    timed_out: Vec<Vec<bool>>,
    keep_events: bool,
    pub frames: FrameCounts,
    /// Hops of messages.
    pub channels: ChannelUse,
    /// Phase of the last hop, counted from the start.
    pub last_hop: Option<u32>,
    /// Messages without a final fate.
    open: usize,
    /// Current phase, counted from the start.
    t: u32,
}

impl CubeLedger {
    /// Creates the ledger for nodes with this numbering of buffers. Without `keep_events` the log
    /// stays empty.
    pub fn new(
        schedule: &PhaseSchedule,
        numbers: BufferNumbers,
        messages: Arc<MessageList>,
        keep_events: bool,
    ) -> Self {
        let shape = schedule.shape();
        let nodes = shape.nodes() as usize;
        let slots = numbers.count();
        let deliveries: Vec<Delivery> = messages
            .iter()
            .map(|m| match m.is_to_self() {
                true => Delivery::ToSelf,
                false => Delivery::UnderWay,
            })
            .collect();
        CubeLedger {
            shape,
            period: schedule.period(),
            numbers,
            open: deliveries.iter().filter(|f| **f == Delivery::UnderWay).count(),
            arrival_phases: vec![None; messages.len()],
            messages,
            stats: RunStats { deliveries, ..RunStats::default() },
            buffers: vec![vec![None; slots]; nodes],
            timed_out: vec![vec![false; slots]; nodes],
            keep_events,
            frames: FrameCounts::default(),
            channels: ChannelUse::new(nodes, shape.links() as usize, "message", "phase"),
            last_hop: None,
            t: 0,
        }
    }

    /// Returns the number of messages without a final fate.
    pub fn open(&self) -> usize {
        self.open
    }

    /// True if every buffer is empty. Buffers of stalled nodes do not count.
    pub fn all_free(&self, is_stalled: impl Fn(u32) -> bool) -> bool {
        (0..self.shape.nodes())
            .all(|node| is_stalled(node) || self.buffers[node as usize].iter().all(Option::is_none))
    }

    /// Begins phase `t`, counted from the start.
    pub fn phase_begins(&mut self, t: u32) {
        self.t = t;
    }

    /// Records that a node took a message from its host into this buffer.
    pub fn record_injection(&mut self, node: usize, at: usize, message: usize) {
        let register = self.numbers.buffer_after_injection(at);
        self.put(node, register, message);
    }

    /// Records the reports of the nodes for the current phase, which is over.
    pub fn phase_over(&mut self, reports: &[PhaseReport]) {
        let mut has_received: Vec<bool> = vec![false; reports.len()];
        for (node, _) in reports.iter().enumerate().filter(|(_, r)| r.missed_deadline) {
            self.frames.missed_deadlines += 1;
            self.note(node, NodeEventKind::MissedDeadline);
        }
        for (sender, report) in reports.iter().enumerate() {
            if report.sent == SendResult::Nothing {
                continue;
            }
            let receiver = self.shape.neighbour(sender as u32, report.dim) as usize;
            let there = reports[receiver];
            let received = match there.dim == report.dim {
                true => there.received,
                false => ReceiveResult::Nothing,
            };
            has_received[receiver] |= received != ReceiveResult::Nothing;
            let chosen = there.slot as usize;
            let to = BufferLocation {
                node: receiver,
                slot: self.numbers.buffer_after_hop(report.slot as usize, report.dim, chosen),
            };
            self.record_frame(sender, to, *report, received);
        }
        for (node, report) in reports.iter().enumerate() {
            use ReceiveResult::{Overwrote, Spoiled, Stored};
            if has_received[node] {
                continue;
            }
            match report.received {
                // The node stored a message that nobody sent.
                Stored | Overwrote => self.record_error(node),
                // Only cubes have links without answers.
                Spoiled => self.lose(node, report.dim as usize),
                _ => {}
            }
        }
    }

    /// Records a frame. The receiver places it in `to` if it stores the frame.
    fn record_frame(
        &mut self,
        sender: usize,
        to: BufferLocation,
        report: PhaseReport,
        received: ReceiveResult,
    ) {
        let receiver = to.node;
        let from = BufferLocation { node: sender, slot: report.slot as usize };
        self.frames.retries += u64::from(self.timed_out[sender][from.slot]);
        self.frames.naks += u64::from(report.sent == SendResult::Nak);
        self.frames.timeouts += u64::from(report.sent == SendResult::Timeout);
        self.timed_out[sender][from.slot] = report.sent == SendResult::Timeout;
        let Some(message) = self.buffers[sender][from.slot] else {
            // The frame came from an empty buffer.
            self.record_error(sender);
            return;
        };
        if matches!(received, ReceiveResult::Overwrote | ReceiveResult::Spoiled) {
            self.lose(to.node, to.slot);
        }
        match received {
            ReceiveResult::Stored | ReceiveResult::Overwrote => {
                self.channels.record(sender, report.dim as usize);
                self.record_stored(from, to, message);
            }
            ReceiveResult::Repeat => self.log(from, receiver, message, MessageEventKind::Repeated),
            _ => {}
        }
        match report.sent {
            SendResult::Nak => self.log(from, receiver, message, MessageEventKind::Nak),
            SendResult::Timeout => self.log(from, receiver, message, MessageEventKind::Timeout),
            SendResult::Accepted => {
                self.buffers[sender][from.slot] = None;
                if !has_message(received) {
                    // A link without answers frees the buffer of the sender in any case.
                    self.log(from, receiver, message, MessageEventKind::Lost);
                    self.settle(message, Delivery::Lost { t: self.t });
                }
            }
            SendResult::Nothing => {}
        }
    }

    /// Records that a message was stored in a buffer.
    fn record_stored(&mut self, from: BufferLocation, to: BufferLocation, message: usize) {
        self.put(to.node, to.slot, message);
        self.last_hop = Some(self.t);
        let home = self.messages.get(message).destination == to.node as u32;
        if home {
            self.arrival_phases[message].get_or_insert(NonZeroU32::MIN.saturating_add(self.t));
        }
        let went = match home {
            true => MessageEventKind::Delivered,
            false => MessageEventKind::Forwarded,
        };
        self.log(from, to.node, message, went);
    }

    /// Places a message in this buffer, which must be free.
    fn put(&mut self, node: usize, slot: usize, message: usize) {
        if self.buffers[node][slot].is_some() {
            self.record_error(node);
            self.lose(node, slot);
        }
        self.buffers[node][slot] = Some(message);
        self.timed_out[node][slot] = false;
    }

    /// Marks the contents of a buffer as lost.
    fn lose(&mut self, node: usize, slot: usize) {
        if let Some(message) = self.buffers[node][slot].take() {
            self.log(BufferLocation { node, slot }, node, message, MessageEventKind::Lost);
            self.settle(message, Delivery::Lost { t: self.t });
        }
    }

    /// Records that a node passed the contents of this buffer to its host.
    pub fn record_host_output(
        &mut self,
        node: usize,
        slot: usize,
        why: DeliveryReason,
        bytes: &[u8],
    ) {
        let held = self.buffers[node].get_mut(slot).and_then(Option::take);
        let Some(message) = held else {
            self.record_error(node);
            return;
        };
        self.timed_out[node][slot] = false;
        let sent = self.messages.get(message);
        let home = sent.destination == node as u32;
        let right = home == (why == DeliveryReason::Delivered)
            && buffer_bytes(&sent).eq(bytes.iter().copied());
        let place = BufferLocation { node, slot };
        match (why, self.arrival_phases[message]) {
            (DeliveryReason::Delivered, Some(arrived)) if right => {
                if matches!(self.stats.deliveries[message], Delivery::Delivered { .. }) {
                    self.stats.duplicated += 1;
                    self.log(place, node, message, MessageEventKind::Twice);
                }
                let t = arrived.get() - 1;
                self.settle(message, Delivery::Delivered { t });
            }
            (DeliveryReason::Unknown, _) if right => {
                self.record_drop(place, message, Delivery::Unknown)
            }
            (DeliveryReason::Undelivered, _) if right => {
                self.record_drop(place, message, Delivery::Undelivered)
            }
            _ => {
                self.record_error(node);
                self.log(place, node, message, MessageEventKind::Lost);
                self.settle(message, Delivery::Lost { t: self.t });
            }
        }
    }

    /// Records that a node dropped a message. Another copy may be in flight or delivered.
    fn record_drop(&mut self, place: BufferLocation, message: usize, delivery: Delivery) {
        let last = self.stats.deliveries[message] == Delivery::UnderWay && !self.is_held(message);
        let what = match delivery {
            _ if !last => MessageEventKind::Copy,
            Delivery::Undelivered => MessageEventKind::Undelivered,
            _ => MessageEventKind::Unknown,
        };
        self.log(place, place.node, message, what);
        if last {
            self.settle(message, delivery);
        }
    }

    fn is_held(&self, message: usize) -> bool {
        let holds = |held: &Option<usize>| *held == Some(message);
        self.buffers.iter().flatten().any(holds)
    }

    /// Drops the contents of a node that is stalled permanently, and the messages that its host
    /// still has for it.
    pub fn drop_stalled_node(&mut self, node: usize, waiting: impl Iterator<Item = usize>) {
        let at_host = self.injection_buffer();
        for slot in 0..self.buffers[node].len() {
            if let Some(message) = self.buffers[node][slot].take() {
                let delivery = match slot == at_host {
                    true => Delivery::Undelivered,
                    false => Delivery::Unknown,
                };
                self.record_drop(BufferLocation { node, slot }, message, delivery);
            }
        }
        let slot = at_host;
        for message in waiting {
            self.record_drop(BufferLocation { node, slot }, message, Delivery::Undelivered);
        }
    }

    /// Ends the run. Each message still in flight gets a log entry.
    pub fn run_over(&mut self) {
        if !self.keep_events {
            return;
        }
        for (message, place) in self.in_flight() {
            self.log(place, place.node, message, MessageEventKind::Left);
        }
    }

    /// Ends the schedule. Messages that have not arrived by now cannot arrive any more.
    pub fn schedule_over(&mut self) {
        for (message, place) in self.in_flight() {
            self.record_drop(place, message, Delivery::Undelivered);
            // The location of the last copy is irrelevant now.
            self.settle(message, Delivery::Undelivered);
        }
    }

    /// Returns the messages in flight and their locations.
    fn in_flight(&self) -> Vec<(usize, BufferLocation)> {
        let mut places: Vec<Option<BufferLocation>> = vec![None; self.messages.len()];
        for (node, registers) in self.buffers.iter().enumerate() {
            for (slot, held) in registers.iter().enumerate() {
                if let Some(message) = held {
                    places[*message] = Some(BufferLocation { node, slot });
                }
            }
        }
        let at_host = |message| BufferLocation {
            node: self.messages.get(message).source as usize,
            slot: self.injection_buffer(),
        };
        let found = places.into_iter().enumerate();
        let left =
            found.filter(|(message, _)| self.stats.deliveries[*message] == Delivery::UnderWay);
        left.map(|(message, place)| (message, place.unwrap_or_else(|| at_host(message)))).collect()
    }

    /// Records that a node lost sync.
    pub fn record_slip(&mut self, node: usize) {
        self.note(node, NodeEventKind::Slip);
    }

    /// Returns the number of the injection buffer, or the number that represents the host.
    fn injection_buffer(&self) -> usize {
        self.numbers.injection_buffer()
    }

    /// Sets the fate of a message. A delivered message stays delivered.
    fn settle(&mut self, message: usize, delivery: Delivery) {
        match self.stats.deliveries[message] {
            Delivery::UnderWay => self.open -= 1,
            Delivery::Delivered { .. } => return,
            _ => {}
        }
        self.stats.deliveries[message] = delivery;
    }

    /// Records undetected damage at this node.
    fn record_error(&mut self, node: usize) {
        self.stats.undetected += 1;
        self.note(node, NodeEventKind::Error);
    }

    /// Logs an event of a message that was to go from a buffer to another node.
    fn log(&mut self, from: BufferLocation, to: usize, message: usize, what: MessageEventKind) {
        if !self.keep_events {
            return;
        }
        let sent = self.messages.get(message);
        self.stats.events.push(MessageEvent {
            t: self.t.into(),
            phase: self.phase(),
            node: from.node as u32,
            from_reg: from.slot as u32,
            to: to as u32,
            src: sent.source,
            dst: sent.destination,
            message: message as u32,
            what,
        });
    }

    fn note(&mut self, node: usize, what: NodeEventKind) {
        if self.keep_events {
            self.stats.notes.push(NodeEvent {
                t: self.t.into(),
                phase: self.phase(),
                node: node as u32,
                what,
            });
        }
    }

    /// Returns the current phase in its superframe or in the programmed order.
    fn phase(&self) -> u32 {
        self.t % self.period
    }
}

/// Numbering of the buffers of the nodes of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferNumbers {
    links: usize,
    bits: usize,
    /// Number of counts of cross edges.
    counts: u32,
    /// Slots of a pool. `None` if the node has a buffer for each link instead.
    slots: Option<usize>,
}

impl BufferNumbers {
    /// Creates the numbering for nodes that distinguish `counts` counts of cross edges and use this
    /// routing. Nodes with a `compiled` schedule do not route.
    pub fn new(shape: Metacube, counts: u32, routing: Routing, compiled: bool) -> Self {
        let links = shape.links() as usize;
        let slots = match routing {
            _ if compiled => Some(NODE_SLOTS),
            Routing::Adaptive => Some(pool_slots(links)),
            Routing::ECube => None,
        };
        BufferNumbers { counts, links, bits: shape.bits() as usize, slots }
    }

    /// Returns the size of the number range, which includes unused numbers.
    pub fn count(self) -> usize {
        self.slots.unwrap_or_else(|| last_buffer(self.links, self.bits) + 1)
    }

    /// Returns the number of the injection buffer. A node with a pool has no injection buffer.
    /// There the number after the last slot represents the host.
    pub fn injection_buffer(self) -> usize {
        self.slots.unwrap_or_else(|| injection_buffer(self.links, self.bits))
    }

    /// Returns the buffer for a message of the host, at a node that processes buffer `at`.
    pub fn buffer_after_injection(self, at: usize) -> usize {
        match self.slots {
            Some(_) => at,
            None => self.injection_buffer(),
        }
    }

    /// Returns the buffer in which a message arrives over this link, after it leaves `buffer`.
    /// `chosen` is the slot that a node with a pool has selected for it.
    pub fn buffer_after_hop(self, buffer: usize, link: u32, chosen: usize) -> usize {
        if self.slots.is_some() {
            return chosen;
        }
        let crossed = departure_count(self.links, self.bits, buffer);
        let crossed = crossed.min(self.counts as usize - 1);
        arrival_buffer(self.links, self.bits, link as usize, crossed)
    }

    /// Returns the name of a buffer.
    pub fn name(self, buffer: usize) -> String {
        match self.slots {
            Some(places) if buffer < places => return format!("place {buffer}"),
            Some(_) => return "host".to_owned(),
            None if buffer == self.injection_buffer() => return "injection".to_owned(),
            None => {}
        }
        let link = buffer % self.links;
        match departure_count(self.links, self.bits, buffer) {
            _ if self.links == self.bits => format!("link {link}"),
            count => format!("link {link}, count {count}"),
        }
    }
}
