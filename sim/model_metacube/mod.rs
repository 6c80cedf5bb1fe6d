//! The second model of the TDMA metacube. It computes the machine's result for a list of messages,
//! phase by phase, and shares no code with the circuits or the crate's routing. It follows
//! docs/machine.md on the cube's machine ("Schedule" to "Order of service"). Buffers and turns
//! differ as follows:
//!
//! * Phase 2e + b of a superframe belongs to link e. The node on side b of the link sends.
//! * A node has a buffer for each link and each number of cross edges that a message passed before
//!   that link. The number of the buffer is `count * links + link`. `count` is the number of cross
//!   edges passed when the message leaves, one more if it arrived over a cross edge. Messages from
//!   the host have count 0 and the number of the first cross edge with that count. No message
//!   arrives in that buffer.
//! * A link has a turn: the buffer that it serves first. The others follow in ascending order,
//!   cyclically.

use phasecube::machine::{MessageEvent, MessageEventKind};
use phasecube::traffic::Message;

/// Answers of the receivers, and the movement of a link's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetacubeRule {
    /// No answers. A message that arrives in a full buffer overwrites. The turn always belongs to
    /// the first buffer.
    Raw,
    /// A full buffer answers NAK, here and below. The turn always belongs to the first buffer.
    Ascending,
    /// After an accepted message, the turn moves to the next buffer. After a NAK, it moves to the
    /// first buffer of the next count, because messages of this count need the same full buffer. If
    /// no message needs the link, the turn returns to the first buffer.
    Turns,
    /// Only a NAK moves the turn, as in `Turns`.
    NakTurns,
}

/// Parameters of a machine.
#[derive(Clone, Copy, Debug)]
pub struct MetacubeModel {
    pub shape: MetacubeModelShape,
    /// Counts of cross edges passed that a frame can carry, including 0. Higher counts saturate at
    /// the last.
    pub counts: u32,
    pub rule: MetacubeRule,
}

/// Results for a list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetacubeModelRun {
    /// The log, in the order that [`MessageEvent`] specifies.
    pub events: Vec<MessageEvent>,
    /// Phase in which each message arrived, counted from the start. `None` if it did not arrive or
    /// never entered.
    pub delivered: Vec<Option<u64>>,
    /// For each message, true if it was overwritten.
    pub lost: Vec<bool>,
    /// Messages that never entered, because their source is their destination.
    pub to_self: u64,
    /// Messages still under way in a deadlock.
    pub deadlocked: u64,
    /// Transmissions that were accepted.
    pub hops: u64,
    /// Transmissions that got a NAK.
    pub naks: u64,
    /// Superframes begun when the last message arrived.
    pub superframes: u64,
}

impl MetacubeModel {
    /// Creates a machine with enough counts to exclude deadlock, and the rule of the circuits.
    pub fn new(class_bits: u32, field_bits: u32) -> Self {
        MetacubeModel {
            shape: MetacubeModelShape { class_bits, field_bits },
            counts: if class_bits == 1 { 2 } else { 5 },
            rule: MetacubeRule::Turns,
        }
    }

    /// Returns the phases of a superframe.
    pub fn phases(self) -> u64 {
        u64::from(2 * self.shape.links())
    }

    /// Returns the number of buffer numbers.
    pub fn buffers(self) -> u32 {
        self.shape.links() * (self.counts + 1)
    }

    pub fn injection(self) -> u32 {
        self.shape.field_bits
    }

    /// Returns the count of the message in a buffer.
    fn count(self, buffer: u32) -> u32 {
        (buffer / self.shape.links()).min(self.counts - 1)
    }

    /// Returns the buffer at the other end of a link for the message of a buffer here.
    fn target(self, buffer: u32, link: u32) -> u32 {
        let crossed = self.count(buffer) + u32::from(self.shape.is_cross(link));
        crossed * self.shape.links() + link
    }

    /// Runs until no message is left or none can move. All messages are present at phase 0, and a
    /// source sends its own in the order of the list.
    pub fn run(self, messages: &[Message]) -> MetacubeModelRun {
        let mut state = MetacubeModelState::new(self, messages);
        // In this many superframes a link that gets only NAKs offers all its counts, plus one for
        // the turn to reach the first.
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
        run.deadlocked = state.left;
        let last = run.delivered.iter().flatten().max();
        run.superframes = last.map_or(0, |last| last / self.phases() + 1);
        run
    }
}

/// State of a running machine.
struct MetacubeModelState<'a> {
    machine: MetacubeModel,
    messages: &'a [Message],
    nodes: Vec<MetacubeModelNode>,
    /// Messages that are neither delivered nor lost.
    left: u64,
    run: MetacubeModelRun,
}

#[derive(Clone)]
struct MetacubeModelNode {
    /// The message in each buffer, and the link that it takes next.
    buffers: Vec<Option<(usize, u32)>>,
    /// The buffer that each link serves first.
    turns: Vec<u32>,
    /// Messages waiting at the node's host, the last first.
    waiting: Vec<usize>,
}

impl<'a> MetacubeModelState<'a> {
    fn new(machine: MetacubeModel, messages: &'a [Message]) -> Self {
        let node = MetacubeModelNode {
            buffers: vec![None; machine.buffers() as usize],
            turns: vec![0; machine.shape.links() as usize],
            waiting: vec![],
        };
        let mut state = MetacubeModelState {
            machine,
            messages,
            nodes: vec![node; machine.shape.nodes() as usize],
            left: 0,
            run: MetacubeModelRun {
                delivered: vec![None; messages.len()],
                lost: vec![false; messages.len()],
                ..MetacubeModelRun::default()
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

    /// Runs one phase of the whole machine. Returns true if any message hopped.
    fn phase(&mut self, t: u64) -> bool {
        let shape = self.machine.shape;
        let injection = self.machine.injection() as usize;
        for here in 0..shape.nodes() {
            let node = &mut self.nodes[here as usize];
            if node.buffers[injection].is_none() {
                let message = node.waiting.pop();
                node.buffers[injection] = message.and_then(|message| {
                    let destination = self.messages[message].destination;
                    Some((message, shape.next_link(here, destination)?))
                });
            }
        }
        let phase = (t % self.machine.phases()) as u32;
        let (link, side) = (phase / 2, phase % 2);
        let before = self.run.hops;
        // A node either sends or receives, so the order of the senders affects only the log.
        for sender in 0..shape.nodes() {
            if shape.side(sender, link) == side {
                self.transmit(t, phase, sender, link);
            }
        }
        self.run.hops > before
    }

    /// Runs the frame window of one transmitter, with its effects.
    fn transmit(&mut self, t: u64, phase: u32, sender: u32, link: u32) {
        let MetacubeModel { shape, rule, .. } = self.machine;
        let Some((from_reg, message)) = self.choice(sender, link) else {
            self.take_turn(sender, link, 0, rule == MetacubeRule::Turns);
            return;
        };
        let to = shape.neighbour(sender, link);
        let target = self.machine.target(from_reg, link);
        let event = |node, from_reg, number: usize, what| MessageEvent {
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
        if let Some((there, _)) = self.nodes[to as usize].buffers[target as usize] {
            if rule != MetacubeRule::Raw {
                self.run.events.push(event(sender, from_reg, message, MessageEventKind::Nak));
                self.run.naks += 1;
                let next = (from_reg / shape.links() + 1) * shape.links();
                self.take_turn(sender, link, next, true);
                return;
            }
            self.run.events.push(event(to, target, there, MessageEventKind::Lost));
            self.run.lost[there] = true;
            self.left -= 1;
        }
        let next = shape.next_link(to, self.messages[message].destination);
        let what = match next {
            None => MessageEventKind::Delivered,
            Some(_) => MessageEventKind::Forwarded,
        };
        self.run.events.push(event(sender, from_reg, message, what));
        self.run.hops += 1;
        self.take_turn(sender, link, from_reg + 1, rule == MetacubeRule::Turns);
        self.nodes[sender as usize].buffers[from_reg as usize] = None;
        // A message at its destination needed the buffer, and is delivered before the next phase.
        let stays = next.map(|next| (message, next));
        self.nodes[to as usize].buffers[target as usize] = stays;
        if next.is_none() {
            self.run.delivered[message] = Some(t);
            self.left -= 1;
        }
    }

    /// Returns the first buffer from the turn on, cyclically, whose message needs this link, and
    /// that message.
    fn choice(&self, sender: u32, link: u32) -> Option<(u32, usize)> {
        let MetacubeModelNode { buffers, turns, .. } = &self.nodes[sender as usize];
        let turn = turns[link as usize];
        let candidate = |buffer: u32| {
            let (message, wanted) = buffers[buffer as usize]?;
            (wanted == link).then_some((buffer, message))
        };
        let all = self.machine.buffers();
        (turn..all).chain(0..turn.min(all)).find_map(candidate)
    }

    /// Gives the turn to this buffer if it moves.
    fn take_turn(&mut self, sender: u32, link: u32, buffer: u32, moves: bool) {
        if moves && !matches!(self.machine.rule, MetacubeRule::Raw | MetacubeRule::Ascending) {
            self.nodes[sender as usize].turns[link as usize] = buffer;
        }
    }
}

// A second implementation of the addresses of the metacube MC(k, m). The top k bits are the class.
// Below them are 2^k fields of m bits, field 0 lowest (metacube-total-exchange, section 2).

/// Parameters of a metacube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetacubeModelShape {
    /// Parameter k, 1 or 2.
    pub class_bits: u32,
    /// Parameter m, at least 1.
    pub field_bits: u32,
}

impl MetacubeModelShape {
    /// Returns the bits of an address.
    pub fn bits(self) -> u32 {
        self.field_bits * 2u32.pow(self.class_bits) + self.class_bits
    }

    pub fn nodes(self) -> u32 {
        2u32.pow(self.bits())
    }

    /// Returns the links of a node. Those of its cluster come first, then the cross edges.
    pub fn links(self) -> u32 {
        self.field_bits + self.class_bits
    }

    pub fn is_cross(self, link: u32) -> bool {
        link >= self.field_bits
    }

    fn class(self, node: u32) -> u32 {
        node / 2u32.pow(self.bits() - self.class_bits)
    }

    fn field(self, node: u32, number: u32) -> u32 {
        let size = 2u32.pow(self.field_bits);
        node / size.pow(number) % size
    }

    /// Returns the address difference between the two ends of a link.
    fn step(self, node: u32, link: u32) -> u32 {
        let place = match self.is_cross(link) {
            false => self.field_bits * self.class(node) + link,
            true => self.bits() - self.links() + link,
        };
        2u32.pow(place)
    }

    /// Returns the node's side of a link. Side 0 sends in the first phase of the link's pair.
    pub fn side(self, node: u32, link: u32) -> u32 {
        node / self.step(node, link) % 2
    }

    pub fn neighbour(self, node: u32, link: u32) -> u32 {
        match self.side(node, link) {
            0 => node + self.step(node, link),
            _ => node - self.step(node, link),
        }
    }

    /// Returns the link that a message takes next, or `None` at its destination. Only the current
    /// node and the destination matter.
    pub fn next_link(self, here: u32, destination: u32) -> Option<u32> {
        let class = self.class(here);
        let field = |node, by: u32| self.field(node, class ^ by);
        let differs = |by: u32| field(here, by) != field(destination, by);
        if here == destination {
            return None;
        }
        // The own field goes first, at its lowest differing bit.
        let own = field(here, 0) ^ field(destination, 0);
        if let Some(bit) = (0..self.field_bits).find(|bit| own / 2u32.pow(*bit) % 2 == 1) {
            return Some(bit);
        }
        if self.class_bits == 1 {
            return Some(self.field_bits);
        }
        // The other fields that differ, and the classes to visit.
        let second = match (class ^ self.class(destination), differs(1), differs(2), differs(3)) {
            // There and back. The second bit is used if only the class across it is needed.
            (0, one, two, three) => two && !one && !three,
            // The longer route is used if a class on it is needed.
            (1, _, two, three) => two || three,
            (2, one, _, three) => !(one || three),
            // To the opposite corner by the needed class, or by the first if both or none are
            // needed.
            (_, one, two, _) => two && !one,
        };
        Some(self.field_bits + u32::from(second))
    }
}
