use super::hosts::{register_bytes, HandedOver};
use crate::machine::event::{Event, What};
use crate::topology::Hypercube;
use crate::traffic::MessageList;
use std::num::NonZeroU32;

/// What became of one message. Phases are counted in 32 bits; a run ends before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFate {
    /// Not known yet.
    UnderWay,
    /// Source and destination are the same: it never entered the network.
    ToSelf,
    /// It reached the register of its destination in this phase, counted from
    /// the start, and was handed over there.
    Delivered { t: u32 },
    /// Without answers: another message, or a damaged frame, took its place.
    Lost { t: u32 },
    /// A link on its way is down; it was never sent there or never taken.
    Undelivered,
    /// A link on its way went down while the answer to it was missing.
    Unknown,
}

/// What a node says of a phase when it is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The dimension in which the node took part.
    pub dim: u32,
    pub sent: SentKind,
    pub slot: u32,
    pub received: ReceivedKind,
    /// It was not ready when it might have sent.
    pub late: bool,
}

impl Report {
    /// The node did nothing.
    pub fn nothing(dim: u32) -> Self {
        Report {
            dim,
            sent: SentKind::Nothing,
            slot: 0,
            received: ReceivedKind::Nothing,
            late: false,
        }
    }
}

/// As [`Sent`](crate::rtl::tdma::Sent) is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentKind {
    Nothing,
    Silent,
    Refused,
    Taken,
}

/// As [`Received`](crate::rtl::tdma::Received) is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReceivedKind {
    Nothing,
    Damaged,
    Spoiled,
    Repeat,
    Refused,
    Stored,
    Overwrote,
}

impl SentKind {
    pub fn decode(code: u64) -> Self {
        use SentKind::*;
        [Nothing, Silent, Refused, Taken][code as usize]
    }
}

impl ReceivedKind {
    pub fn decode(code: u64) -> Self {
        use ReceivedKind::*;
        let kinds = [
            Nothing, Damaged, Spoiled, Repeat, Refused, Stored, Overwrote,
        ];
        kinds[code as usize]
    }
}

/// Counts over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames sent.
    pub frames: u64,
    /// Frames sent again after silence.
    pub retries: u64,
    /// Frames that met a full register.
    pub refused: u64,
    /// Frames without a proper answer.
    pub silences: u64,
    /// Hops that messages made.
    pub hops: u64,
    /// Messages handed over a second time.
    pub duplicated: u64,
    /// What the machine took for right and is not: a message handed over that
    /// is not the one sent, or stored without one.
    pub undetected: u64,
    /// Phases in which a node was not ready to send.
    pub late: u64,
}

/// Where every message is: it follows what the nodes report, and checks that
/// against the bytes that the hosts get in the end.
///
/// It has 12 bytes for a message, and 40 for an event, if events are kept.
pub(super) struct Ledger<'a> {
    cube: Hypercube,
    messages: &'a MessageList,
    pub fates: Vec<MessageFate>,
    /// When a message reached the register of its destination: the phase, counted
    /// from 1.
    arrived: Vec<Option<NonZeroU32>>,
    /// What is in the registers of a node; the last one is for injection.
    registers: Vec<Vec<Option<usize>>>,
    /// Whether the last frame of a register went without an answer.
    unanswered: Vec<Vec<bool>>,
    pub events: Vec<Event>,
    keep_events: bool,
    pub counters: Counters,
    /// Messages whose fate is open.
    open: usize,
}

impl<'a> Ledger<'a> {
    /// Without `keep_events` the event log stays empty.
    pub fn new(cube: Hypercube, messages: &'a MessageList, keep_events: bool) -> Self {
        let nodes = cube.nodes() as usize;
        let slots = cube.dims() as usize + 1;
        let fates: Vec<MessageFate> = messages
            .iter()
            .map(|m| match m.is_to_self() {
                true => MessageFate::ToSelf,
                false => MessageFate::UnderWay,
            })
            .collect();
        Ledger {
            cube,
            messages,
            open: fates
                .iter()
                .filter(|f| **f == MessageFate::UnderWay)
                .count(),
            arrived: vec![None; messages.len()],
            fates,
            registers: vec![vec![None; slots]; nodes],
            unanswered: vec![vec![false; slots]; nodes],
            events: vec![],
            keep_events,
            counters: Counters::default(),
        }
    }

    /// Messages whose fate is open.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Whether every register is empty, but for those of nodes that stand still.
    pub fn all_free(&self, stands_still: impl Fn(u32) -> bool) -> bool {
        self.cube.addresses().all(|node| {
            stands_still(node) || self.registers[node as usize].iter().all(Option::is_none)
        })
    }

    /// Messages in the receive registers of a node, and in its injection register.
    pub fn held_by(&self, node: usize) -> (Vec<usize>, Option<usize>) {
        let (injection, receive) = self.registers[node].split_last().expect("a node has links");
        (receive.iter().flatten().copied().collect(), *injection)
    }

    pub fn injected(&mut self, node: usize, message: usize) {
        let injection = self.cube.dims() as usize;
        let before = self.registers[node][injection].replace(message);
        self.counters.undetected += u64::from(before.is_some());
    }

    /// Takes down what the nodes report of the phase `t`, counted from the start.
    pub fn phase_over(&mut self, t: u32, reports: &[Report]) {
        let mut heard: Vec<bool> = vec![false; reports.len()];
        self.counters.late += reports.iter().filter(|r| r.late).count() as u64;
        for (sender, report) in reports.iter().enumerate() {
            if report.sent == SentKind::Nothing {
                continue;
            }
            let receiver = self.cube.neighbour(sender as u32, report.dim) as usize;
            let received = match reports[receiver].dim == report.dim {
                true => reports[receiver].received,
                false => ReceivedKind::Nothing,
            };
            heard[receiver] |= received != ReceivedKind::Nothing;
            self.frame(t, sender, receiver, *report, received);
        }
        for (node, report) in reports.iter().enumerate() {
            use ReceivedKind::{Overwrote, Spoiled, Stored};
            if heard[node] {
                continue;
            }
            match report.received {
                // Something was stored that no one sent.
                Stored | Overwrote => self.counters.undetected += 1,
                Spoiled => self.lose(t, node, report.dim),
                _ => {}
            }
        }
    }

    fn frame(
        &mut self,
        t: u32,
        sender: usize,
        receiver: usize,
        report: Report,
        received: ReceivedKind,
    ) {
        let slot = report.slot as usize;
        self.counters.frames += 1;
        self.counters.retries += u64::from(self.unanswered[sender][slot]);
        self.counters.refused += u64::from(report.sent == SentKind::Refused);
        self.counters.silences += u64::from(report.sent == SentKind::Silent);
        self.unanswered[sender][slot] = report.sent == SentKind::Silent;
        let Some(message) = self.registers[sender][slot] else {
            // A frame from an empty register.
            self.counters.undetected += 1;
            return;
        };
        let dim = report.dim as usize;
        let home = self.messages.get(message).destination == receiver as u32;
        let went = match home {
            true => What::Delivered,
            false => What::Forwarded,
        };
        if matches!(received, ReceivedKind::Overwrote | ReceivedKind::Spoiled) {
            self.lose(t, receiver, report.dim);
        }
        let ends = (sender, slot, receiver);
        match (received, report.sent) {
            (ReceivedKind::Stored | ReceivedKind::Overwrote, _) => {
                let before = self.registers[receiver][dim].replace(message);
                self.counters.undetected += u64::from(before.is_some());
                self.unanswered[receiver][dim] = false;
                self.counters.hops += 1;
                if home {
                    self.arrived[message].get_or_insert(NonZeroU32::MIN.saturating_add(t));
                }
                self.log(t, ends, message, went);
            }
            (_, SentKind::Refused) => self.log(t, ends, message, What::Held),
            (_, SentKind::Silent) => self.log(t, ends, message, What::Silent),
            (ReceivedKind::Repeat, _) => {}
            // Without answers the sender lets go of it all the same.
            _ => {
                self.log(t, ends, message, What::Lost);
                self.settle(message, MessageFate::Lost { t });
            }
        }
        if report.sent == SentKind::Taken {
            self.registers[sender][slot] = None;
        }
    }

    /// Takes down what happened to a message that was to go from a register of a
    /// node to another node.
    fn log(&mut self, t: u32, (node, slot, to): (usize, usize, usize), message: usize, what: What) {
        if !self.keep_events {
            return;
        }
        let message = self.messages.get(message);
        self.events.push(Event {
            t: t.into(),
            phase: t % (2 * self.cube.dims()),
            node: node as u32,
            from_reg: slot as u32,
            to: to as u32,
            src: message.source,
            dst: message.destination,
            what,
        });
    }

    /// The register of a dimension was overwritten.
    fn lose(&mut self, t: u32, node: usize, dim: u32) {
        let Some(message) = self.registers[node][dim as usize].take() else {
            return;
        };
        self.log(t, (node, dim as usize, node), message, What::Lost);
        self.settle(message, MessageFate::Lost { t });
    }

    /// A node handed a message to its host.
    pub fn handed_over(&mut self, node: usize, why: HandedOver, bytes: &[u8]) {
        let slot = self.registers[node].iter().position(|held| {
            held.is_some_and(|message| {
                let message = self.messages.get(message);
                let home = message.destination == node as u32;
                home == (why == HandedOver::Delivered)
                    && register_bytes(&message).eq(bytes.iter().copied())
            })
        });
        let Some(slot) = slot else {
            self.counters.undetected += 1;
            return;
        };
        let message = self.registers[node][slot]
            .take()
            .expect("it was found there");
        self.unanswered[node][slot] = false;
        match (why, self.arrived[message]) {
            (HandedOver::Delivered, Some(arrived)) => {
                if matches!(self.fates[message], MessageFate::Delivered { .. }) {
                    self.counters.duplicated += 1;
                }
                let t = arrived.get() - 1;
                self.settle(message, MessageFate::Delivered { t });
            }
            (HandedOver::Delivered, None) => self.counters.undetected += 1,
            // A copy may be further on its way, or at home.
            (HandedOver::Unknown, _) => {
                if self.fates[message] == MessageFate::UnderWay && !self.is_held(message) {
                    self.settle(message, MessageFate::Unknown);
                }
            }
            (HandedOver::Undelivered, _) => self.settle(message, MessageFate::Undelivered),
        }
    }

    fn is_held(&self, message: usize) -> bool {
        let holds = |held: &Option<usize>| *held == Some(message);
        self.registers.iter().flatten().any(holds)
    }

    /// Writes down what became of a message, for good.
    pub fn settle(&mut self, message: usize, fate: MessageFate) {
        if self.fates[message] == MessageFate::UnderWay {
            self.open -= 1;
        }
        self.fates[message] = fate;
    }
}
