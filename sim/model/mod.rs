//! The second model of the TDMA cube. It computes the machine's result for a list of messages,
//! phase by phase, and is written from docs/machine.md alone ("Schedule" to "Order of service"). It
//! shares no code with the circuits, only that page.

use phasecube::machine::{MessageEvent, MessageEventKind};
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, SplitMix64};

/// Results for a list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CubeModelRun {
    /// The log, in the order that [`MessageEvent`] specifies.
    pub events: Vec<MessageEvent>,
    /// Phase in which each message arrived, counted from the start. `None` if it was lost or never
    /// entered.
    pub delivered: Vec<Option<u64>>,
    /// For each message, true if it was overwritten.
    pub lost: Vec<bool>,
    /// Messages that never entered, because their source is their destination.
    pub to_self: u64,
    /// Transmissions that were accepted.
    pub hops: u64,
    /// Transmissions that got a NAK.
    pub naks: u64,
    /// Phase of the last delivery, counted from the start.
    pub last_phase: Option<u64>,
    /// Superframes begun when the last message arrived.
    pub superframes: u64,
}

impl CubeModelRun {
    /// Returns the messages that are at their destination, including those to their own source.
    pub fn delivered_count(&self) -> u64 {
        self.delivered.iter().flatten().count() as u64 + self.to_self
    }

    pub fn lost_count(&self) -> u64 {
        self.lost.iter().filter(|&&lost| lost).count() as u64
    }

    /// Returns the hops divided by the capacity of all wires in these superframes.
    pub fn wire_utilisation(&self, cube: Hypercube) -> f64 {
        let wires = u64::from(cube.dims()) * u64::from(cube.nodes()) / 2;
        self.hops as f64 / (self.superframes * 2 * wires) as f64
    }
}

/// Answers of the receivers, and the order in which a link serves its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeRule {
    /// No answers. Buffers are served in ascending order, the injection buffer last.
    Raw,
    /// A full buffer answers NAK. The order is the same.
    Ascending,
    /// A full buffer answers NAK, and the buffers of a link take turns. The next turn goes to the
    /// buffer after the accepted one, or stays at the one with the NAK. If that buffer has no
    /// message for the link, the next one with a message is served. If no buffer has one, the turn
    /// returns to the first.
    Turns,
}

impl CubeRule {
    /// Returns the default rule of the machine.
    pub fn of(acked: bool) -> Self {
        match acked {
            true => CubeRule::Turns,
            false => CubeRule::Raw,
        }
    }
}

/// Runs the machine until no message is left. All messages are present at phase 0. A source sends
/// its own messages in the order of the list.
///
/// # Panics
/// If a superframe passes without a hop while messages are left.
pub fn run(cube: Hypercube, messages: &[Message], rule: CubeRule) -> CubeModelRun {
    let mut events = Vec::new();
    let run = run_observed(cube, messages, rule, |event| events.push(event));
    CubeModelRun { events, ..run }
}

/// Like [`run`], but passes each event to `observe` and keeps no log. A hotspot on the 12-cube
/// causes millions of NAKs.
pub fn run_observed(
    cube: Hypercube,
    messages: &[Message],
    rule: CubeRule,
    observe: impl FnMut(MessageEvent),
) -> CubeModelRun {
    let mut machine = CubeModel::new(cube, messages, rule, observe);
    let phases = u64::from(2 * cube.dims());
    let mut t = 0;
    let mut last_hop = None;
    while machine.left > 0 {
        if machine.phase(t) {
            last_hop = Some(t);
        }
        t += 1;
        // Messages that wait for the highest dimension reach their destination across it, so some
        // buffer is freed in every superframe.
        let idle = t - last_hop.map_or(0, |hop| hop + 1);
        assert!(idle < phases, "a superframe without a hop, up to phase {t}");
    }
    let mut run = machine.run;
    run.last_phase = run.delivered.iter().flatten().max().copied();
    run.superframes = run.last_phase.map_or(0, |last| last / phases + 1);
    run
}

struct CubeModel<'a, F> {
    cube: Hypercube,
    messages: &'a [Message],
    rule: CubeRule,
    observe: F,
    /// The message in each buffer. For each node in turn: its receive buffers by ascending
    /// dimension, then its injection buffer.
    buffers: Vec<Option<usize>>,
    /// For each dimension and node, a bit set of the node's buffers whose message crosses that
    /// dimension next.
    candidates: Vec<u32>,
    /// For each dimension and node, the buffer that is served first.
    turns: Vec<u32>,
    /// The message that each node injects next, and for each message the next one of its source.
    first: Vec<Option<usize>>,
    next: Vec<Option<usize>>,
    /// Nodes whose injection buffer is empty and may be refilled.
    empty: Vec<u32>,
    /// Messages that are neither delivered nor lost.
    left: usize,
    run: CubeModelRun,
}

impl<'a, F: FnMut(MessageEvent)> CubeModel<'a, F> {
    fn new(cube: Hypercube, messages: &'a [Message], rule: CubeRule, observe: F) -> Self {
        let nodes = cube.nodes() as usize;
        let dims = cube.dims() as usize;
        let mut machine = CubeModel {
            cube,
            messages,
            rule,
            observe,
            buffers: vec![None; nodes * (dims + 1)],
            candidates: vec![0; nodes * dims],
            turns: vec![0; nodes * dims],
            first: vec![None; nodes],
            next: vec![None; messages.len()],
            empty: cube.addresses().collect(),
            left: 0,
            run: CubeModelRun {
                delivered: vec![None; messages.len()],
                lost: vec![false; messages.len()],
                ..CubeModelRun::default()
            },
        };
        for (number, message) in messages.iter().enumerate().rev() {
            if message.source == message.destination {
                machine.run.to_self += 1;
            } else {
                let first = &mut machine.first[message.source as usize];
                machine.next[number] = first.replace(number);
                machine.left += 1;
            }
        }
        machine
    }

    /// Runs one phase of the whole machine. Returns true if any message hopped.
    fn phase(&mut self, t: u64) -> bool {
        self.inject();
        let phase = (t % u64::from(2 * self.cube.dims())) as u32;
        let (dim, transmit_bit) = (phase / 2, phase % 2);
        let before = self.run.hops;
        // A node either sends or receives, so the order of the senders affects only the log.
        for sender in self.cube.addresses() {
            if (sender >> dim) & 1 == transmit_bit {
                self.transmit(t, phase, sender, dim);
            }
        }
        self.run.hops > before
    }

    /// Refills the empty injection buffers.
    fn inject(&mut self) {
        for node in std::mem::take(&mut self.empty) {
            if let Some(message) = self.first[node as usize] {
                self.first[node as usize] = self.next[message];
                self.store(node, self.cube.dims(), message);
            }
        }
    }

    /// Runs the frame window of one transmitter, with its effects.
    fn transmit(&mut self, t: u64, phase: u32, sender: u32, dim: u32) {
        let link = self.candidates_at(sender, dim);
        let candidates = self.candidates[link];
        if candidates == 0 {
            self.take_turn(link, 0);
            return;
        }
        // The first candidate at or after the turn, or else the first of all.
        let early = (1 << self.turns[link]) - 1;
        let from_reg = match candidates & !early {
            0 => candidates.trailing_zeros(),
            late => late.trailing_zeros(),
        };
        let to = sender ^ (1 << dim);
        let message = self.buffers[self.buffer_index(sender, from_reg)]
            .expect("a candidate is in its buffer");
        let event = |node, from_reg, message: usize, what| MessageEvent {
            t,
            phase,
            node,
            from_reg,
            to,
            src: self.messages[message].source,
            dst: self.messages[message].destination,
            message: message as u32,
            what,
        };
        let sent = &self.messages[message];
        if let Some(there) = self.buffers[self.buffer_index(to, dim)] {
            if self.rule != CubeRule::Raw {
                (self.observe)(event(sender, from_reg, message, MessageEventKind::Nak));
                self.run.naks += 1;
                self.take_turn(link, from_reg);
                return;
            }
            (self.observe)(event(to, dim, there, MessageEventKind::Lost));
            self.clear(to, dim);
            self.run.lost[there] = true;
            self.left -= 1;
        }
        self.clear(sender, from_reg);
        self.take_turn(link, from_reg + 1);
        self.run.hops += 1;
        if sent.destination == to {
            // The message needed the buffer, and is delivered before the next phase.
            (self.observe)(event(sender, from_reg, message, MessageEventKind::Delivered));
            self.run.delivered[message] = Some(t);
            self.left -= 1;
        } else {
            (self.observe)(event(sender, from_reg, message, MessageEventKind::Forwarded));
            self.store(to, dim, message);
        }
    }

    /// Sets the next turn of a link.
    fn take_turn(&mut self, link: usize, buffer: u32) {
        if self.rule == CubeRule::Turns {
            self.turns[link] = buffer;
        }
    }

    fn store(&mut self, node: u32, buffer: u32, message: usize) {
        let at = self.buffer_index(node, buffer);
        self.buffers[at] = Some(message);
        let wanted = self.wanted(node, message);
        self.candidates[wanted] |= 1 << buffer;
    }

    fn clear(&mut self, node: u32, buffer: u32) {
        let at = self.buffer_index(node, buffer);
        let message = self.buffers[at].take().expect("a message to clear");
        let wanted = self.wanted(node, message);
        self.candidates[wanted] &= !(1 << buffer);
        if buffer == self.cube.dims() {
            self.empty.push(node);
        }
    }

    /// Returns the candidate set that a message in a node belongs to.
    fn wanted(&self, node: u32, message: usize) -> usize {
        let delta = node ^ self.messages[message].destination;
        self.candidates_at(node, delta.trailing_zeros())
    }

    fn candidates_at(&self, node: u32, dim: u32) -> usize {
        (dim * self.cube.nodes() + node) as usize
    }

    fn buffer_index(&self, node: u32, buffer: u32) -> usize {
        (node * (self.cube.dims() + 1) + buffer) as usize
    }
}

// Random lists of messages for comparing a machine with the model. Cube and seed determine each
// list.

/// Maximum messages of one source in a list that is not a relation.
pub const PER_SOURCE: u64 = 3;
/// Maximum permutations in a relation.
pub const RELATION: u64 = 4;

/// Kind of list. The seeds cycle through the kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// 0 to 3 messages per node, with uniform destinations.
    Even,
    /// 0 to 3 messages per node, three out of four to one or two nodes.
    Hotspots,
    /// 3 messages per node, all to one node or its neighbours. NAKs need far more traffic on a few
    /// links than the other kinds cause.
    Flood,
    /// 0 to 3 messages per node, half of them to their own source.
    ToSelf,
    /// 0 to 3 messages per node, all to nodes at most two hops away, so that the same few links are
    /// used repeatedly.
    Near,
    Permutation,
    /// Two to four permutations in sequence.
    Relation,
}

impl ListKind {
    pub const ALL: [ListKind; 7] = [
        ListKind::Even,
        ListKind::Hotspots,
        ListKind::Flood,
        ListKind::ToSelf,
        ListKind::Near,
        ListKind::Permutation,
        ListKind::Relation,
    ];

    /// Returns the kind of list for a seed.
    pub fn of_seed(seed: u64) -> Self {
        Self::ALL[(seed % Self::ALL.len() as u64) as usize]
    }
}

/// Returns the list for a seed, with payloads of up to `payload` bytes. A payload begins with the
/// message's index in the list, low byte first, as far as it fits.
pub fn list(cube: Hypercube, seed: u64, payload: usize) -> Vec<Message> {
    let kind = ListKind::of_seed(seed);
    let mut random = SplitMix64::new(seed);
    let mut pairs = match kind {
        ListKind::Permutation => relation(cube, 1, &mut random),
        ListKind::Relation => {
            let count = 2 + random.below(RELATION - 1);
            relation(cube, count, &mut random)
        }
        _ => independent(cube, kind, &mut random),
    };
    // A source keeps the order of its own messages, but other messages may be between them. No
    // machine may rely on them being adjacent.
    random.shuffle(&mut pairs);
    let message = |(place, (source, destination)): (usize, (u32, u32))| {
        let length = random.below(payload as u64 + 1) as usize;
        let drawn = random.next_u64().to_le_bytes().into_iter().cycle();
        let place = [place as u8, (place >> 8) as u8];
        Message {
            source,
            destination,
            payload: place.into_iter().chain(drawn).take(length).collect(),
        }
    };
    pairs.into_iter().enumerate().map(message).collect()
}

/// Returns source and destination of `count` permutations.
fn relation(cube: Hypercube, count: u64, random: &mut SplitMix64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for _ in 0..count {
        let mut destinations: Vec<u32> = cube.addresses().collect();
        random.shuffle(&mut destinations);
        pairs.extend(cube.addresses().zip(destinations));
    }
    pairs
}

/// Draws the number of messages of every source, then their destinations.
fn independent(cube: Hypercube, kind: ListKind, random: &mut SplitMix64) -> Vec<(u32, u32)> {
    let nodes = u64::from(cube.nodes());
    let dims = u64::from(cube.dims());
    let spots = [random.below(nodes), random.below(nodes)];
    let mut pairs = Vec::new();
    for source in 0..nodes {
        let count = match kind {
            ListKind::Flood => PER_SOURCE,
            _ => random.below(PER_SOURCE + 1),
        };
        for _ in 0..count {
            let anywhere = random.below(nodes);
            let destination = match kind {
                ListKind::Hotspots if random.below(4) > 0 => spots[random.below(2) as usize],
                ListKind::Flood if random.below(2) > 0 => spots[0],
                ListKind::Flood => spots[0] ^ (1 << random.below(dims)),
                ListKind::ToSelf if random.below(2) > 0 => source,
                ListKind::Near => source ^ (1 << random.below(dims)) ^ (1 << random.below(dims)),
                _ => anywhere,
            };
            pairs.push((source as u32, destination as u32));
        }
    }
    pairs
}
