//! The second model of the TDMA metacube: what the machine does with a list of messages,
//! phase by phase. It knows no circuit and no routing of the crate; what it shares with
//! them is what docs/machine.md says of the cube's machine ("Schedule" to "Order of
//! service"), and of registers and turns what stands here:
//!
//! * Phase 2e + b of a superframe belongs to link e; who is on side b of it sends.
//! * A node has a register for each link and each number of cross edges that a message had
//!   passed before that link. Its number is `count * links + link`, where `count` is what
//!   the message will have passed when it leaves: one more if it came by a cross edge. What
//!   the host gives has count 0, and the number of the first cross edge with that
//!   count, which no message comes into.
//! * A link has a turn: the register that it serves first, and after it the others,
//!   ascending, round all of them.

pub mod address;

use address::Shape;
use phasecube::machine::{Event, EventKind};
use phasecube::traffic::Message;

/// What receivers answer, and what becomes of a link's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No answers: what comes to a full register takes its place. The turn is always the
    /// first register's.
    Raw,
    /// A full register refuses, here and below. The turn is always the first register's.
    Ascending,
    /// Behind a message that was taken the turn is the next register's; behind one that was
    /// refused that of the first of the next count, for those of this count want the same
    /// full register. When nothing wants the link it is the first one's again.
    Turns,
    /// Only a refusal moves the turn, as in `Turns`.
    Refusals,
}

/// A machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub shape: Shape,
    /// Cross edges passed that a frame can tell, 0 included; what would be more is the last.
    pub counts: u32,
    pub rule: Rule,
}

/// What became of a list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelRun {
    /// The log, in the order that [`Event`] promises.
    pub events: Vec<Event>,
    /// Of each message the phase, counted from the start, in which it arrived; `None` if
    /// it did not, or never entered.
    pub delivered: Vec<Option<u64>>,
    /// Of each message whether it was overwritten.
    pub lost: Vec<bool>,
    /// Messages that never entered: their source is their destination.
    pub to_self: u64,
    /// Messages that were still under way when nothing could move any more.
    pub stuck: u64,
    /// Transmissions that were taken.
    pub hops: u64,
    /// Transmissions that were refused.
    pub refused: u64,
    /// Superframes that had begun when the last message arrived.
    pub superframes: u64,
}

impl Machine {
    /// With so many counts that nothing waits in a circle, and the rule of the circuits.
    pub fn new(class_bits: u32, field_bits: u32) -> Self {
        Machine {
            shape: Shape {
                class_bits,
                field_bits,
            },
            counts: if class_bits == 1 { 2 } else { 5 },
            rule: Rule::Turns,
        }
    }

    /// Phases of a superframe.
    pub fn phases(self) -> u64 {
        u64::from(2 * self.shape.links())
    }

    /// Numbers of registers.
    pub fn registers(self) -> u32 {
        self.shape.links() * (self.counts + 1)
    }

    pub fn injection(self) -> u32 {
        self.shape.field_bits
    }

    /// The count of the message in a register.
    fn count(self, register: u32) -> u32 {
        (register / self.shape.links()).min(self.counts - 1)
    }

    /// The register at the other end of a link for the message of a register here.
    fn target(self, register: u32, link: u32) -> u32 {
        let crossed = self.count(register) + u32::from(self.shape.is_cross(link));
        crossed * self.shape.links() + link
    }

    /// Runs until no message is left, or none can move any more. All messages are there
    /// at phase 0, a source sends its own in the order of the list.
    pub fn run(self, messages: &[Message]) -> ModelRun {
        let mut state = State::new(self, messages);
        // A link that is refused offers all its counts in so many superframes, and one more
        // for the turn to come to the first.
        let patience = self.phases() * u64::from(self.counts + 2);
        let mut last_hop = 0;
        let mut t = 0;
        while state.left > 0 && t < last_hop + patience {
            if state.phase(t) {
                last_hop = t;
            }
            t += 1;
        }
        let mut run = state.run;
        run.stuck = state.left;
        let last = run.delivered.iter().flatten().max();
        run.superframes = last.map_or(0, |last| last / self.phases() + 1);
        run
    }
}

/// A machine at work.
struct State<'a> {
    machine: Machine,
    messages: &'a [Message],
    nodes: Vec<Node>,
    /// Messages neither delivered nor lost.
    left: u64,
    run: ModelRun,
}

#[derive(Clone)]
struct Node {
    /// The message in each register, and the link that it takes next.
    registers: Vec<Option<(usize, u32)>>,
    /// Of each link the register that it serves first.
    turns: Vec<u32>,
    /// What its host has for it, the last first.
    waiting: Vec<usize>,
}

impl<'a> State<'a> {
    fn new(machine: Machine, messages: &'a [Message]) -> Self {
        let node = Node {
            registers: vec![None; machine.registers() as usize],
            turns: vec![0; machine.shape.links() as usize],
            waiting: vec![],
        };
        let mut state = State {
            machine,
            messages,
            nodes: vec![node; machine.shape.nodes() as usize],
            left: 0,
            run: ModelRun {
                delivered: vec![None; messages.len()],
                lost: vec![false; messages.len()],
                ..ModelRun::default()
            },
        };
        for (number, message) in messages.iter().enumerate().rev() {
            if message.source == message.destination {
                state.run.to_self += 1;
            } else {
                let source = &mut state.nodes[message.source as usize];
                source.waiting.push(number);
                state.left += 1;
            }
        }
        state
    }

    /// One phase of the whole machine; whether anything hopped.
    fn phase(&mut self, t: u64) -> bool {
        let shape = self.machine.shape;
        let injection = self.machine.injection() as usize;
        for here in 0..shape.nodes() {
            let node = &mut self.nodes[here as usize];
            if node.registers[injection].is_none() {
                let message = node.waiting.pop();
                node.registers[injection] = message.and_then(|message| {
                    let destination = self.messages[message].destination;
                    Some((message, shape.next_link(here, destination)?))
                });
            }
        }
        let phase = (t % self.machine.phases()) as u32;
        let (link, side) = (phase / 2, phase % 2);
        let before = self.run.hops;
        // A node sends or receives, never both, so the order of the senders makes no
        // difference but to the log.
        for sender in 0..shape.nodes() {
            if shape.side(sender, link) == side {
                self.transmit(t, phase, sender, link);
            }
        }
        self.run.hops > before
    }

    /// What one transmitter does in its frame window, and what comes of it.
    fn transmit(&mut self, t: u64, phase: u32, sender: u32, link: u32) {
        let Machine { shape, rule, .. } = self.machine;
        let Some((from_reg, message)) = self.choice(sender, link) else {
            self.take_turn(sender, link, 0, rule == Rule::Turns);
            return;
        };
        let to = shape.neighbour(sender, link);
        let target = self.machine.target(from_reg, link);
        let event = |node, from_reg, number: usize, what| Event {
            t,
            phase,
            node,
            from_reg,
            to,
            src: self.messages[number].source,
            dst: self.messages[number].destination,
            message: number as u32,
            what,
        };
        if let Some((there, _)) = self.nodes[to as usize].registers[target as usize] {
            if rule != Rule::Raw {
                self.run
                    .events
                    .push(event(sender, from_reg, message, EventKind::Held));
                self.run.refused += 1;
                let next = (from_reg / shape.links() + 1) * shape.links();
                self.take_turn(sender, link, next, true);
                return;
            }
            self.run
                .events
                .push(event(to, target, there, EventKind::Lost));
            self.run.lost[there] = true;
            self.left -= 1;
        }
        let next = shape.next_link(to, self.messages[message].destination);
        let what = match next {
            None => EventKind::Delivered,
            Some(_) => EventKind::Forwarded,
        };
        self.run.events.push(event(sender, from_reg, message, what));
        self.run.hops += 1;
        self.take_turn(sender, link, from_reg + 1, rule == Rule::Turns);
        self.nodes[sender as usize].registers[from_reg as usize] = None;
        // What is at home needed the register, and is handed over before the next phase.
        let stays = next.map(|next| (message, next));
        self.nodes[to as usize].registers[target as usize] = stays;
        if next.is_none() {
            self.run.delivered[message] = Some(t);
            self.left -= 1;
        }
    }

    /// The first register from the turn on, round all of them, whose message wants this
    /// link, and that message.
    fn choice(&self, sender: u32, link: u32) -> Option<(u32, usize)> {
        let Node {
            registers, turns, ..
        } = &self.nodes[sender as usize];
        let turn = turns[link as usize];
        let candidate = |register: u32| {
            let (message, wanted) = registers[register as usize]?;
            (wanted == link).then_some((register, message))
        };
        let all = self.machine.registers();
        (turn..all).chain(0..turn.min(all)).find_map(candidate)
    }

    /// The turn is this register's now if it moves.
    fn take_turn(&mut self, sender: u32, link: u32, register: u32, moves: bool) {
        if moves && !matches!(self.machine.rule, Rule::Raw | Rule::Ascending) {
            self.nodes[sender as usize].turns[link as usize] = register;
        }
    }
}
