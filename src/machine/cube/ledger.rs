use super::hosts::{register_bytes, HandedOver};
use crate::machine::event::{Event, What};
use crate::topology::Hypercube;
use crate::traffic::Message;

/// What became of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFate {
    /// Not known yet.
    UnderWay,
    /// Source and destination are the same: it never entered the network.
    ToSelf,
    /// It reached the register of its destination in this phase, counted from
    /// the start, and was handed over there.
    Delivered { t: u64 },
    /// Without answers: another message, or a damaged frame, took its place.
    Lost { t: u64 },
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
pub(super) struct Ledger {
    cube: Hypercube,
    bytes: Vec<Vec<u8>>,
    route: Vec<(u32, u32)>,
    pub fates: Vec<MessageFate>,
    /// When a message reached the register of its destination.
    arrived: Vec<Option<u64>>,
    /// What is in the registers of a node; the last one is for injection.
    registers: Vec<Vec<Option<usize>>>,
    /// Whether the last frame of a register went without an answer.
    unanswered: Vec<Vec<bool>>,
    pub events: Vec<Event>,
    pub counters: Counters,
    /// Messages whose fate is open.
    open: usize,
}

impl Ledger {
    pub fn new(cube: Hypercube, messages: &[Message]) -> Self {
        let nodes = cube.nodes() as usize;
        let slots = cube.dims() as usize + 1;
        let fates: Vec<MessageFate> = messages
            .iter()
            .map(|m| match m.source == m.destination {
                true => MessageFate::ToSelf,
                false => MessageFate::UnderWay,
            })
            .collect();
        Ledger {
            cube,
            bytes: messages.iter().map(register_bytes).collect(),
            route: messages.iter().map(|m| (m.source, m.destination)).collect(),
            open: fates
                .iter()
                .filter(|f| **f == MessageFate::UnderWay)
                .count(),
            arrived: vec![None; messages.len()],
            fates,
            registers: vec![vec![None; slots]; nodes],
            unanswered: vec![vec![false; slots]; nodes],
            events: vec![],
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
    pub fn phase_over(&mut self, t: u64, reports: &[Report]) {
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
        t: u64,
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
        let event = |what: What| Event {
            t,
            phase: (t % u64::from(2 * self.cube.dims())) as u32,
            node: sender as u32,
            from_reg: report.slot,
            to: receiver as u32,
            src: self.route[message].0,
            dst: self.route[message].1,
            what,
        };
        let home = self.route[message].1 == receiver as u32;
        let (went, held, silent) = (
            event(if home {
                What::Delivered
            } else {
                What::Forwarded
            }),
            event(What::Held),
            event(What::Silent),
        );
        if matches!(received, ReceivedKind::Overwrote | ReceivedKind::Spoiled) {
            self.lose(t, receiver, report.dim);
        }
        match (received, report.sent) {
            (ReceivedKind::Stored | ReceivedKind::Overwrote, _) => {
                let before = self.registers[receiver][dim].replace(message);
                self.counters.undetected += u64::from(before.is_some());
                self.unanswered[receiver][dim] = false;
                self.counters.hops += 1;
                if home {
                    self.arrived[message].get_or_insert(t);
                }
                self.events.push(went);
            }
            (_, SentKind::Refused) => self.events.push(held),
            (_, SentKind::Silent) => self.events.push(silent),
            (ReceivedKind::Repeat, _) => {}
            // Without answers the sender lets go of it all the same.
            _ => {
                self.events.push(Event {
                    what: What::Lost,
                    ..silent
                });
                self.settle(message, MessageFate::Lost { t });
            }
        }
        if report.sent == SentKind::Taken {
            self.registers[sender][slot] = None;
        }
    }

    /// The register of a dimension was overwritten.
    fn lose(&mut self, t: u64, node: usize, dim: u32) {
        let Some(message) = self.registers[node][dim as usize].take() else {
            return;
        };
        self.events.push(Event {
            t,
            phase: (t % u64::from(2 * self.cube.dims())) as u32,
            node: node as u32,
            from_reg: dim,
            to: node as u32,
            src: self.route[message].0,
            dst: self.route[message].1,
            what: What::Lost,
        });
        self.settle(message, MessageFate::Lost { t });
    }

    /// A node handed a message to its host.
    pub fn handed_over(&mut self, node: usize, why: HandedOver, bytes: &[u8]) {
        let slot = self.registers[node].iter().position(|held| {
            held.is_some_and(|message| {
                let home = self.route[message].1 == node as u32;
                self.bytes[message] == bytes && (home == (why == HandedOver::Delivered))
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
            (HandedOver::Delivered, Some(t)) => {
                if matches!(self.fates[message], MessageFate::Delivered { .. }) {
                    self.counters.duplicated += 1;
                }
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
