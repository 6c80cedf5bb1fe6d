//! The second model of adaptive routing. It computes the result of a cube of nodes with pools for a
//! list of messages, phase by phase. It is written from docs/machine.md and docs/adaptive.md alone,
//! shares no code with the circuits, and models perfect wires only.

use phasecube::machine::{MessageEvent, MessageEventKind};
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;
use std::collections::VecDeque;

/// Choice of the message that goes first, and of the one sent in desperation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdaptiveChoice {
    /// The smallest difference from the node, as a number. In desperation the largest.
    Nearest,
    /// Always the lowest slot, the CM-1's rule.
    First,
}

/// Parameters of the nodes.
#[derive(Clone, Copy, Debug)]
pub struct AdaptiveRule {
    pub slots: usize,
    pub choice: AdaptiveChoice,
}

/// Results for a list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdaptiveRun {
    /// The log, in the order that [`MessageEvent`] specifies.
    pub events: Vec<MessageEvent>,
    /// Phase in which each message arrived, counted from the start. `None` if it never entered, or
    /// was under way when the run stopped.
    pub delivered: Vec<Option<u64>>,
    /// Transmissions that were accepted.
    pub hops: u64,
    /// Accepted transmissions that led away from the destination.
    pub desperate: u64,
    /// Transmissions that got a NAK.
    pub naks: u64,
    /// Maximum number of occupied slots in a node.
    pub peak: usize,
    /// Superframes begun when the last message arrived.
    pub superframes: u64,
}

/// Runs the machine until no message is left, or for `limit` superframes. `observe` receives each
/// event as it happens, and the result holds no log.
pub fn run_observed(
    cube: Hypercube,
    messages: &[Message],
    rule: AdaptiveRule,
    limit: u64,
    observe: impl FnMut(MessageEvent),
) -> AdaptiveRun {
    let mut machine = AdaptiveModel::new(cube, messages, rule, observe);
    let phases = u64::from(2 * cube.dims());
    let mut t = 0;
    while machine.left > 0 && t < limit * phases {
        machine.phase(t);
        t += 1;
    }
    let mut run = machine.run;
    let last = run.delivered.iter().flatten().max();
    run.superframes = last.map_or(0, |last| last / phases + 1);
    run
}

/// The machine. It may be filled by hand and run phase by phase.
pub struct AdaptiveModel<'a, F> {
    cube: Hypercube,
    messages: &'a [Message],
    rule: AdaptiveRule,
    observe: F,
    /// The message in each slot of each node.
    pub pools: Vec<Vec<Option<usize>>>,
    /// Messages left at each host.
    hosts: Vec<VecDeque<usize>>,
    /// Messages that have not arrived.
    pub left: usize,
    pub run: AdaptiveRun,
}

/// Decision of a node for a phase.
#[derive(Clone, Copy)]
enum AdaptiveDecision {
    Send { slot: usize, wanted: bool },
    Receive { slot: Option<usize> },
    Nothing,
}

impl<'a, F: FnMut(MessageEvent)> AdaptiveModel<'a, F> {
    /// Creates a machine with all messages at their hosts.
    pub fn new(cube: Hypercube, messages: &'a [Message], rule: AdaptiveRule, observe: F) -> Self {
        let mut hosts = vec![VecDeque::new(); cube.nodes() as usize];
        let mut left = 0;
        for (number, message) in messages.iter().enumerate() {
            if message.source != message.destination {
                hosts[message.source as usize].push_back(number);
                left += 1;
            }
        }
        AdaptiveModel {
            cube,
            messages,
            rule,
            observe,
            pools: vec![vec![None; rule.slots]; cube.nodes() as usize],
            hosts,
            left,
            run: AdaptiveRun { delivered: vec![None; messages.len()], ..AdaptiveRun::default() },
        }
    }

    /// Puts a message into a slot of any node, and removes it from its host.
    pub fn put(&mut self, node: u32, place: usize, message: usize) {
        let source = self.messages[message].source as usize;
        self.hosts[source].retain(|waiting| *waiting != message);
        self.pools[node as usize][place] = Some(message);
    }

    /// Returns the address bits in which a message's destination differs from a node.
    fn difference(&self, node: u32, message: usize) -> u32 {
        node ^ self.messages[message].destination
    }

    /// Returns the smallest difference of all messages in slots.
    pub fn least(&self) -> Option<u32> {
        let differences = self.cube.addresses().flat_map(|node| {
            let held = self.pools[node as usize].iter().flatten();
            held.map(move |message| self.difference(node, *message))
        });
        differences.filter(|difference| *difference > 0).min()
    }

    fn taken(&self, node: u32) -> usize {
        self.pools[node as usize].iter().flatten().count()
    }

    /// Returns true if fewer than three slots are free.
    fn is_crowded(&self, node: u32) -> bool {
        self.rule.slots - self.taken(node) < 3
    }

    /// Runs one phase of the whole machine.
    pub fn phase(&mut self, t: u64) {
        let phase = (t % u64::from(2 * self.cube.dims())) as u32;
        let (dim, sending_bit) = (phase / 2, phase % 2);
        let decisions: Vec<AdaptiveDecision> = self
            .cube
            .addresses()
            .map(|node| self.decide(node, dim, node >> dim & 1 == sending_bit))
            .collect();
        for sender in self.cube.addresses() {
            if let AdaptiveDecision::Send { slot: place, wanted } = decisions[sender as usize] {
                let receiver = sender ^ 1 << dim;
                let AdaptiveDecision::Receive { slot: room } = decisions[receiver as usize] else {
                    panic!("its neighbour receives");
                };
                self.transmit((t, phase), (sender, place), (receiver, room), wanted);
            }
        }
    }

    /// Runs a node's service window.
    fn decide(&mut self, node: u32, dim: u32, sends: bool) -> AdaptiveDecision {
        let here = node as usize;
        let mut may_take = !self.is_crowded(node);
        let mut chosen: Option<(usize, bool, u32)> = None;
        let mut room = None;
        for place in 0..self.rule.slots {
            let is_home = |m: usize| self.messages[m].destination == node;
            if self.pools[here][place].is_some_and(is_home) {
                self.pools[here][place] = None;
            }
            if self.pools[here][place].is_none() && may_take {
                self.pools[here][place] = self.hosts[here].pop_front();
                may_take = false;
            }
            match self.pools[here][place] {
                None => room = room.or(Some(place)),
                Some(message) => {
                    let difference = self.difference(node, message);
                    let wanted = difference >> dim & 1 == 1;
                    let better = match (self.rule.choice, chosen) {
                        (_, None) => true,
                        (_, Some((_, before, _))) if before != wanted => wanted,
                        (AdaptiveChoice::First, _) => false,
                        (AdaptiveChoice::Nearest, Some((_, _, best))) if wanted => {
                            difference < best
                        }
                        (AdaptiveChoice::Nearest, Some((_, _, best))) => difference >= best,
                    };
                    if better {
                        chosen = Some((place, wanted, difference));
                    }
                }
            }
        }
        self.run.peak = self.run.peak.max(self.taken(node));
        match chosen {
            _ if !sends => AdaptiveDecision::Receive { slot: room },
            Some((place, wanted, _)) if wanted || self.is_crowded(node) => {
                AdaptiveDecision::Send { slot: place, wanted }
            }
            _ => AdaptiveDecision::Nothing,
        }
    }

    fn transmit(
        &mut self,
        (t, phase): (u64, u32),
        (sender, from): (u32, usize),
        (receiver, room): (u32, Option<usize>),
        wanted: bool,
    ) {
        let message = self.pools[sender as usize][from].expect("what is sent is there");
        let sent = &self.messages[message];
        let what = match room {
            None => MessageEventKind::Nak,
            Some(_) if sent.destination == receiver => MessageEventKind::Delivered,
            Some(_) => MessageEventKind::Forwarded,
        };
        (self.observe)(MessageEvent {
            t,
            phase,
            node: sender,
            from_reg: from as u32,
            to: receiver,
            src: sent.source,
            dst: sent.destination,
            message: message as u32,
            what,
        });
        let Some(room) = room else {
            self.run.naks += 1;
            return;
        };
        self.pools[sender as usize][from] = None;
        self.pools[receiver as usize][room] = Some(message);
        self.run.peak = self.run.peak.max(self.taken(receiver));
        self.run.hops += 1;
        self.run.desperate += u64::from(!wanted);
        if what == MessageEventKind::Delivered {
            self.run.delivered[message] = Some(t);
            self.left -= 1;
        }
    }
}
