//! Locations and fates of all messages.

use super::host_port::HandedOver;
use super::hosts::register_bytes;
use super::phase_report::{ReceivedKind, Report, SentKind};
use super::registers::Registers;
use crate::machine::Fate;
use crate::machine::{Event, EventKind, Note, NoteKind};
use crate::routing::tdma::PhaseSchedule;
use crate::routing::Schedule;
use crate::topology::Metacube;
use crate::traffic::MessageList;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Counts over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames sent.
    pub frames: u64,
    /// Frames sent again after a timeout.
    pub retries: u64,
    /// Frames answered with a NAK because the receiver's buffer was full.
    pub refused: u64,
    /// Frames without a valid answer (timeouts).
    pub silences: u64,
    /// Hops of messages.
    pub hops: u64,
    /// Messages delivered a second time.
    pub duplicated: u64,
    /// Damage that the machine did not detect: a delivered message that differs from the one sent,
    /// or a stored message that nobody sent.
    pub undetected: u64,
    /// Phases in which a node missed the deadline for its decision to send.
    pub late: u64,
}

/// Location of a message: a buffer of a node.
#[derive(Clone, Copy)]
struct Place {
    node: usize,
    slot: usize,
}

/// Tracks all messages by the reports of the nodes. Checks each message at the end against the
/// bytes that the host receives.
///
/// Memory is 12 bytes for a message, and 48 for a log entry if the log is kept.
pub(super) struct Ledger {
    shape: Metacube,
    /// Phases in a superframe, or in the programmed order.
    period: u32,
    numbers: Registers,
    messages: Arc<MessageList>,
    pub fates: Vec<Fate>,
    /// Phase in which a message reached the buffer of its destination, counted from 1.
    arrived: Vec<Option<NonZeroU32>>,
    /// For each node, the messages in its buffers, by buffer number.
    registers: Vec<Vec<Option<usize>>>,
    /// For each buffer, whether its last frame timed out.
    unanswered: Vec<Vec<bool>>,
    pub events: Vec<Event>,
    pub notes: Vec<Note>,
    keep_events: bool,
    pub counters: Counters,
    /// Phase of the last hop, counted from the start.
    pub last_hop: Option<u32>,
    /// Messages without a final fate.
    open: usize,
    /// Current phase, counted from the start.
    t: u32,
}

impl Ledger {
    /// Creates the ledger for nodes with this numbering of buffers. Without `keep_events` the log
    /// stays empty.
    pub fn new(
        schedule: &PhaseSchedule,
        numbers: Registers,
        messages: Arc<MessageList>,
        keep_events: bool,
    ) -> Self {
        let shape = schedule.shape();
        let nodes = shape.nodes() as usize;
        let slots = numbers.count();
        let fates: Vec<Fate> = messages
            .iter()
            .map(|m| match m.is_to_self() {
                true => Fate::ToSelf,
                false => Fate::UnderWay,
            })
            .collect();
        Ledger {
            shape,
            period: schedule.period(),
            numbers,
            open: fates.iter().filter(|f| **f == Fate::UnderWay).count(),
            arrived: vec![None; messages.len()],
            messages,
            fates,
            registers: vec![vec![None; slots]; nodes],
            unanswered: vec![vec![false; slots]; nodes],
            events: vec![],
            notes: vec![],
            keep_events,
            counters: Counters::default(),
            last_hop: None,
            t: 0,
        }
    }

    /// Returns the number of messages without a final fate.
    pub fn open(&self) -> usize {
        self.open
    }

    /// True if every buffer is empty. Buffers of stalled nodes do not count.
    pub fn all_free(&self, stands_still: impl Fn(u32) -> bool) -> bool {
        (0..self.shape.nodes()).all(|node| {
            stands_still(node) || self.registers[node as usize].iter().all(Option::is_none)
        })
    }

    /// Begins phase `t`, counted from the start.
    pub fn phase_begins(&mut self, t: u32) {
        self.t = t;
    }

    /// Records that a node took a message from its host into this buffer.
    pub fn injected(&mut self, node: usize, at: usize, message: usize) {
        let register = self.numbers.injected(at);
        self.put(node, register, message);
    }

    /// Records the reports of the nodes for the current phase, which is over.
    pub fn phase_over(&mut self, reports: &[Report]) {
        let mut heard: Vec<bool> = vec![false; reports.len()];
        for (node, _) in reports.iter().enumerate().filter(|(_, r)| r.late) {
            self.counters.late += 1;
            self.note(node, NoteKind::Late);
        }
        for (sender, report) in reports.iter().enumerate() {
            if report.sent == SentKind::Nothing {
                continue;
            }
            let receiver = self.shape.neighbour(sender as u32, report.dim) as usize;
            let there = reports[receiver];
            let received = match there.dim == report.dim {
                true => there.received,
                false => ReceivedKind::Nothing,
            };
            heard[receiver] |= received != ReceivedKind::Nothing;
            let chosen = there.slot as usize;
            let to = Place {
                node: receiver,
                slot: self.numbers.after(report.slot as usize, report.dim, chosen),
            };
            self.frame(sender, to, *report, received);
        }
        for (node, report) in reports.iter().enumerate() {
            use ReceivedKind::{Overwrote, Spoiled, Stored};
            if heard[node] {
                continue;
            }
            match report.received {
                // The node stored a message that nobody sent.
                Stored | Overwrote => self.error(node),
                // Only cubes have links without answers.
                Spoiled => self.lose(node, report.dim as usize),
                _ => {}
            }
        }
    }

    /// Records a frame. The receiver places it in `to` if it stores the frame.
    fn frame(&mut self, sender: usize, to: Place, report: Report, received: ReceivedKind) {
        let receiver = to.node;
        let from = Place {
            node: sender,
            slot: report.slot as usize,
        };
        self.counters.frames += 1;
        self.counters.retries += u64::from(self.unanswered[sender][from.slot]);
        self.counters.refused += u64::from(report.sent == SentKind::Refused);
        self.counters.silences += u64::from(report.sent == SentKind::Silent);
        self.unanswered[sender][from.slot] = report.sent == SentKind::Silent;
        let Some(message) = self.registers[sender][from.slot] else {
            // The frame came from an empty buffer.
            self.error(sender);
            return;
        };
        if matches!(received, ReceivedKind::Overwrote | ReceivedKind::Spoiled) {
            self.lose(to.node, to.slot);
        }
        match received {
            ReceivedKind::Stored | ReceivedKind::Overwrote => self.stored(from, to, message),
            ReceivedKind::Repeat => self.log(from, receiver, message, EventKind::Repeated),
            _ => {}
        }
        match report.sent {
            SentKind::Refused => self.log(from, receiver, message, EventKind::Held),
            SentKind::Silent => self.log(from, receiver, message, EventKind::Silent),
            SentKind::Taken => {
                self.registers[sender][from.slot] = None;
                if !received.has_it() {
                    // A link without answers frees the buffer of the sender in any case.
                    self.log(from, receiver, message, EventKind::Lost);
                    self.settle(message, Fate::Lost { t: self.t });
                }
            }
            SentKind::Nothing => {}
        }
    }

    /// Records that a message was stored in a buffer.
    fn stored(&mut self, from: Place, to: Place, message: usize) {
        self.put(to.node, to.slot, message);
        self.counters.hops += 1;
        self.last_hop = Some(self.t);
        let home = self.messages.get(message).destination == to.node as u32;
        if home {
            self.arrived[message].get_or_insert(NonZeroU32::MIN.saturating_add(self.t));
        }
        let went = match home {
            true => EventKind::Delivered,
            false => EventKind::Forwarded,
        };
        self.log(from, to.node, message, went);
    }

    /// Places a message in this buffer, which must be free.
    fn put(&mut self, node: usize, slot: usize, message: usize) {
        if self.registers[node][slot].is_some() {
            self.error(node);
            self.lose(node, slot);
        }
        self.registers[node][slot] = Some(message);
        self.unanswered[node][slot] = false;
    }

    /// Marks the contents of a buffer as lost.
    fn lose(&mut self, node: usize, slot: usize) {
        if let Some(message) = self.registers[node][slot].take() {
            self.log(Place { node, slot }, node, message, EventKind::Lost);
            self.settle(message, Fate::Lost { t: self.t });
        }
    }

    /// Records that a node passed the contents of this buffer to its host.
    pub fn handed_over(&mut self, node: usize, slot: usize, why: HandedOver, bytes: &[u8]) {
        let held = self.registers[node].get_mut(slot).and_then(Option::take);
        let Some(message) = held else {
            self.error(node);
            return;
        };
        self.unanswered[node][slot] = false;
        let sent = self.messages.get(message);
        let home = sent.destination == node as u32;
        let right = home == (why == HandedOver::Delivered)
            && register_bytes(&sent).eq(bytes.iter().copied());
        let place = Place { node, slot };
        match (why, self.arrived[message]) {
            (HandedOver::Delivered, Some(arrived)) if right => {
                if matches!(self.fates[message], Fate::Delivered { .. }) {
                    self.counters.duplicated += 1;
                    self.log(place, node, message, EventKind::Twice);
                }
                let t = arrived.get() - 1;
                self.settle(message, Fate::Delivered { t });
            }
            (HandedOver::Unknown, _) if right => self.gave_up(place, message, Fate::Unknown),
            (HandedOver::Undelivered, _) if right => {
                self.gave_up(place, message, Fate::Undelivered)
            }
            _ => {
                self.error(node);
                self.log(place, node, message, EventKind::Lost);
                self.settle(message, Fate::Lost { t: self.t });
            }
        }
    }

    /// Records that a node dropped a message. Another copy may be in flight or delivered.
    fn gave_up(&mut self, place: Place, message: usize, fate: Fate) {
        let last = self.fates[message] == Fate::UnderWay && !self.is_held(message);
        let what = match fate {
            _ if !last => EventKind::Copy,
            Fate::Undelivered => EventKind::Undelivered,
            _ => EventKind::Unknown,
        };
        self.log(place, place.node, message, what);
        if last {
            self.settle(message, fate);
        }
    }

    fn is_held(&self, message: usize) -> bool {
        let holds = |held: &Option<usize>| *held == Some(message);
        self.registers.iter().flatten().any(holds)
    }

    /// Drops the contents of a node that is stalled permanently, and the messages that its host
    /// still has for it.
    pub fn stands_still(&mut self, node: usize, waiting: impl Iterator<Item = usize>) {
        let at_host = self.injection();
        for slot in 0..self.registers[node].len() {
            if let Some(message) = self.registers[node][slot].take() {
                let fate = match slot == at_host {
                    true => Fate::Undelivered,
                    false => Fate::Unknown,
                };
                self.gave_up(Place { node, slot }, message, fate);
            }
        }
        let slot = at_host;
        for message in waiting {
            self.gave_up(Place { node, slot }, message, Fate::Undelivered);
        }
    }

    /// Ends the run. Each message still in flight gets a log entry.
    pub fn run_over(&mut self) {
        if !self.keep_events {
            return;
        }
        for (message, place) in self.under_way() {
            self.log(place, place.node, message, EventKind::Left);
        }
    }

    /// Ends the schedule. Messages that have not arrived by now cannot arrive any more.
    pub fn schedule_over(&mut self) {
        for (message, place) in self.under_way() {
            self.gave_up(place, message, Fate::Undelivered);
            // The location of the last copy is irrelevant now.
            self.settle(message, Fate::Undelivered);
        }
    }

    /// Returns the messages in flight and their locations.
    fn under_way(&self) -> Vec<(usize, Place)> {
        let mut places: Vec<Option<Place>> = vec![None; self.messages.len()];
        for (node, registers) in self.registers.iter().enumerate() {
            for (slot, held) in registers.iter().enumerate() {
                if let Some(message) = held {
                    places[*message] = Some(Place { node, slot });
                }
            }
        }
        let at_host = |message| Place {
            node: self.messages.get(message).source as usize,
            slot: self.injection(),
        };
        let found = places.into_iter().enumerate();
        let left = found.filter(|(message, _)| self.fates[*message] == Fate::UnderWay);
        left.map(|(message, place)| (message, place.unwrap_or_else(|| at_host(message))))
            .collect()
    }

    /// Records that a node lost sync.
    pub fn slipped(&mut self, node: usize) {
        self.note(node, NoteKind::Slip);
    }

    /// Returns the number of the injection buffer, or the number that represents the host.
    fn injection(&self) -> usize {
        self.numbers.injection()
    }

    /// Sets the fate of a message. A delivered message stays delivered.
    fn settle(&mut self, message: usize, fate: Fate) {
        match self.fates[message] {
            Fate::UnderWay => self.open -= 1,
            Fate::Delivered { .. } => return,
            _ => {}
        }
        self.fates[message] = fate;
    }

    /// Records undetected damage at this node.
    fn error(&mut self, node: usize) {
        self.counters.undetected += 1;
        self.note(node, NoteKind::Error);
    }

    /// Logs an event of a message that was to go from a buffer to another node.
    fn log(&mut self, from: Place, to: usize, message: usize, what: EventKind) {
        if !self.keep_events {
            return;
        }
        let sent = self.messages.get(message);
        self.events.push(Event {
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

    fn note(&mut self, node: usize, what: NoteKind) {
        if self.keep_events {
            self.notes.push(Note {
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
