//! Compiled schedule: the pairs of phases in which each message moves.

use super::schedule_one_sweep;
use crate::topology::{Hypercube, Metacube};
use std::collections::HashMap;
use thiserror::Error;

/// Order of links, and the pairs of phases in which each message crosses the open link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledSchedule {
    /// Network whose links the schedule uses.
    pub shape: Metacube,
    /// Link that is open in each pair of phases, first in one direction, then in the other.
    pub order: Vec<u32>,
    /// Pairs in which each message moves, ascending. The list is empty for a message whose source
    /// is its destination.
    pub pairs: Vec<Vec<u32>>,
}

/// Reason why a schedule can't be followed. Messages are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScheduleFault {
    #[error("the schedule has {pairs} routes for {messages} messages; accepted: one for each")]
    Count { pairs: usize, messages: usize },
    #[error("pair {pair} of the order has link {link}; accepted: links 0 to {most}")]
    Link { pair: usize, link: u32, most: u32 },
    #[error("message {message} moves in pair {pair}; accepted: pairs below {pairs}, each after the one before")]
    Pair { message: usize, pair: u32, pairs: usize },
    #[error("the route of message {message} ends at node 0x{end:X}; accepted: its destination, 0x{destination:X}")]
    End { message: usize, end: u32, destination: u32 },
    #[error("in pair {pair} node 0x{node:X} sends messages {first} and {second}; accepted: one")]
    Twice { pair: u32, node: u32, first: usize, second: usize },
}

/// Crossing of one link by one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleMove {
    pub message: usize,
    pub from: u32,
    pub to: u32,
    /// Index of the pair of phases.
    pub pair: u32,
    /// Phase number, counted from the start of the order.
    pub phase: u32,
}

impl CompiledSchedule {
    /// Returns the moves of message number `message`, which begins at `source`, in order.
    ///
    /// # Panics
    /// Panics if a pair is past the end of the order.
    pub fn moves(&self, message: usize, source: u32) -> impl Iterator<Item = ScheduleMove> + '_ {
        let mut from = source;
        self.pairs[message].iter().map(move |&pair| {
            let link = self.order[pair as usize];
            let side = (from >> self.shape.link_bit(from, link)) & 1;
            let here = from;
            from = self.shape.neighbour(here, link);
            ScheduleMove { message, from: here, to: from, pair, phase: 2 * pair + side }
        })
    }

    /// Checks that messages with these sources and destinations arrive, and that no node sends two
    /// in a pair of phases.
    ///
    /// # Errors
    /// Returns the first fault found.
    pub fn check(&self, messages: &[[u32; 2]]) -> Result<(), ScheduleFault> {
        if self.pairs.len() != messages.len() {
            return Err(ScheduleFault::Count { pairs: self.pairs.len(), messages: messages.len() });
        }
        let most = self.shape.links() - 1;
        let mut links = self.order.iter().enumerate();
        if let Some((pair, &link)) = links.find(|(_, link)| **link > most) {
            return Err(ScheduleFault::Link { pair, link, most });
        }
        let mut senders = HashMap::new();
        for (message, &[source, destination]) in messages.iter().enumerate() {
            self.check_pairs(message)?;
            let mut end = source;
            for step in self.moves(message, source) {
                end = step.to;
                if let Some(first) = senders.insert((step.from, step.pair), message) {
                    return Err(ScheduleFault::Twice {
                        pair: step.pair,
                        node: step.from,
                        first,
                        second: message,
                    });
                }
            }
            if end != destination {
                return Err(ScheduleFault::End { message, end, destination });
            }
        }
        Ok(())
    }

    fn check_pairs(&self, message: usize) -> Result<(), ScheduleFault> {
        let mut least = 0;
        for &pair in &self.pairs[message] {
            if pair < least || pair as usize >= self.order.len() {
                let pairs = self.order.len();
                return Err(ScheduleFault::Pair { message, pair, pairs });
            }
            least = pair + 1;
        }
        Ok(())
    }

    /// Number of moves of all messages.
    pub fn hops(&self) -> usize {
        self.pairs.iter().map(Vec::len).sum()
    }

    /// Number of pairs of phases until the last message arrives.
    pub fn length(&self) -> u32 {
        let last = self.pairs.iter().filter_map(|pairs| pairs.last()).max();
        last.map_or(0, |pair| pair + 1)
    }

    /// Number of superframes that have at least begun when the last message arrives.
    pub fn superframes(&self) -> u32 {
        self.length().div_ceil(self.shape.links())
    }

    /// Removes the superframes after the one in which the last message moves. Keeps one superframe
    /// if no message moves.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        let superframes = self.superframes().max(1);
        self.order.truncate((superframes * self.shape.links()) as usize);
        self
    }
}

// Order in which the links of a compiled schedule are open.

/// Direction of the superframes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepDirection {
    /// Links ascend in every superframe, as published (tdma-hypercube, "The Phase
    /// Schedule").
    Up,
    /// Links ascend in the first superframe, descend in the second, and so on. Two such superframes
    /// pass any permutation.
    #[default]
    UpDown,
}

impl SweepDirection {
    /// Returns the links of `superframes` superframes, one for each pair of phases.
    pub fn order(self, shape: Metacube, superframes: u32) -> Vec<u32> {
        let links = shape.links();
        let superframe = |number: u32| {
            let down = self == Self::UpDown && number % 2 == 1;
            (0..links).map(move |pair| if down { links - 1 - pair } else { pair })
        };
        (0..superframes).flat_map(superframe).collect()
    }
}

/// Lower bounds on the number of superframes of a list, for four reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerBound {
    /// Bound from injection and delivery: in a pair of phases a node sends at most one message and
    /// receives at most one.
    pub ends: u32,
    /// Bound from link capacity: a link carries one message per superframe in each direction. A
    /// message crosses one link of each dimension in which its ends differ.
    pub crossings: u32,
    /// Bound from path conflicts. In a cube a message that arrives within one superframe takes its
    /// e-cube path. The bound is 1 if no two of these paths share a link, else 2. In a metacube the
    /// bound is 1.
    pub conflicts: u32,
    /// Bound from distance: superframes that the slowest message takes on an empty network.
    pub distance: u32,
}

impl LowerBound {
    /// Returns the bounds for these sources and destinations, with links in the order of `sweep`.
    pub fn of(shape: Metacube, sweep: SweepDirection, messages: &[[u32; 2]]) -> Self {
        let travelling = || messages.iter().filter(|[from, to]| from != to);
        let links = shape.links();
        let mut ends = vec![[0u32; 2]; shape.nodes() as usize];
        // Indexed by the bit of the address and its value at the source.
        let mut crossings = vec![[0u32; 2]; shape.bits() as usize];
        for &[from, to] in travelling() {
            ends[from as usize][0] += 1;
            ends[to as usize][1] += 1;
            for (bit, crossings) in crossings.iter_mut().enumerate() {
                if (from ^ to) >> bit & 1 == 1 {
                    crossings[(from >> bit & 1) as usize] += 1;
                }
            }
        }
        let most = ends.iter().flatten().max().copied().unwrap_or(0);
        let crossed = |(bit, crossings): (usize, &[u32; 2])| {
            let most = crossings[0].max(crossings[1]);
            most.div_ceil(links_across(shape, bit as u32))
        };
        let alone = |&[from, to]: &[u32; 2]| lone_message_superframes(shape, sweep, from, to);
        LowerBound {
            ends: most.div_ceil(links),
            crossings: crossings.iter().enumerate().map(crossed).max().unwrap_or(0),
            conflicts: conflict_bound(shape, messages),
            distance: travelling().map(alone).max().unwrap_or(0),
        }
    }

    /// Returns the largest of the four bounds.
    pub fn superframes(self) -> u32 {
        self.ends.max(self.crossings).max(self.conflicts).max(self.distance)
    }
}

/// Returns [`LowerBound::ways`], or 0 if no message travels. The first superframe sweeps up.
fn conflict_bound(shape: Metacube, messages: &[[u32; 2]]) -> u32 {
    let travels = messages.iter().any(|[from, to]| from != to);
    let cube = (shape.class_bits() == 0).then(|| Hypercube::of(shape.field_bits()));
    match cube {
        Some(cube) if schedule_one_sweep(cube, messages).is_none() => 2,
        _ => travels.into(),
    }
}

/// Number of links whose ends differ in this bit of the address.
fn links_across(shape: Metacube, bit: u32) -> u32 {
    let half = shape.nodes() / 2;
    match bit < shape.field_bits() * shape.classes() {
        // Only nodes of one class have these links.
        true => half / shape.classes(),
        false => half,
    }
}

/// Superframes that a lone message takes.
fn lone_message_superframes(shape: Metacube, sweep: SweepDirection, from: u32, to: u32) -> u32 {
    if shape.class_bits() == 0 {
        // E-cube routing needs one superframe for any order of dimensions.
        return 1;
    }
    let mut reached = vec![from];
    for superframes in 1.. {
        let order = sweep.order(shape, superframes);
        let last = &order[order.len() - shape.links() as usize..];
        for &link in last {
            let crossed: Vec<u32> =
                reached.iter().map(|node| shape.neighbour(*node, link)).collect();
            reached.extend(crossed);
            reached.sort_unstable();
            reached.dedup();
        }
        if reached.contains(&to) {
            return superframes;
        }
    }
    unreachable!("a metacube is connected")
}

// Actions of a node in each phase of a compiled schedule, and the slots of its messages.

/// Message slots of a node.
pub const NODE_SLOTS: usize = 16;

/// Action of a node in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseWord {
    /// Phase number, counted from the start of the order.
    pub phase: u32,
    /// True if the node sends a message, false if it receives one.
    pub sends: bool,
    /// Slot that the message is sent from or received into.
    pub slot: u8,
    /// For a sent message, true if the host injects it first. For a received message, true if the
    /// node is its destination, so that the host gets it.
    pub ends: bool,
    /// Index of the message.
    pub message: u32,
}

/// Actions of a node by phase. Phases without an action are omitted.
pub type NodeProgram = Vec<PhaseWord>;

/// Error: a node would hold more messages at once than it has slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("node 0x{node:X} would hold {} messages in phase {phase}; accepted: up to {NODE_SLOTS}", NODE_SLOTS + 1)]
pub struct TooManySlots {
    pub node: u32,
    pub phase: u32,
}

/// Returns the programs of all nodes, for messages from these sources.
///
/// Each message gets the lowest slot that is free from its arrival to its departure. A node
/// therefore uses only as many slots as it holds messages at once.
///
/// # Errors
/// Returns an error if a node would need more than [`NODE_SLOTS`] slots.
///
/// # Panics
/// If the schedule was not [checked](CompiledSchedule::check) with these messages.
pub fn node_programs(
    schedule: &CompiledSchedule,
    sources: &[u32],
) -> Result<Vec<NodeProgram>, TooManySlots> {
    let nodes = schedule.shape.nodes() as usize;
    let mut stays: Vec<Vec<SlotStay>> = vec![vec![]; nodes];
    for (message, source) in sources.iter().enumerate() {
        let moves: Vec<ScheduleMove> = schedule.moves(message, *source).collect();
        let Some((first, last)) = moves.first().zip(moves.last()) else {
            continue;
        };
        stays[first.from as usize].push(SlotStay {
            message,
            arrival: None,
            departure: Some(first.phase),
        });
        for step in moves.windows(2) {
            stays[step[0].to as usize].push(SlotStay {
                message,
                arrival: Some(step[0].phase),
                departure: Some(step[1].phase),
            });
        }
        stays[last.to as usize].push(SlotStay {
            message,
            arrival: Some(last.phase),
            departure: None,
        });
    }
    let program = |(node, stays): (usize, Vec<SlotStay>)| assign_slots(node as u32, stays);
    stays.into_iter().enumerate().map(program).collect()
}

/// Stay of a message at a node: the phase in which it is received, and the phase in which it is
/// sent. They are `None` at its source and at its destination, respectively.
#[derive(Clone, Copy)]
struct SlotStay {
    message: usize,
    arrival: Option<u32>,
    departure: Option<u32>,
}

impl SlotStay {
    /// First phase in which the slot is occupied. The host injects a message in the phase of its
    /// send, and takes a delivered message before the next frame arrives.
    fn begin(&self) -> u32 {
        self.arrival.or(self.departure).unwrap_or(0)
    }

    /// Last phase in which the slot is occupied.
    fn end(&self) -> u32 {
        self.departure.or(self.arrival).unwrap_or(0)
    }
}

fn assign_slots(node: u32, mut stays: Vec<SlotStay>) -> Result<NodeProgram, TooManySlots> {
    stays.sort_by_key(|stay| (stay.begin(), stay.end()));
    // Last occupied phase of each slot.
    let mut taken: [Option<u32>; NODE_SLOTS] = [None; NODE_SLOTS];
    let mut words = vec![];
    for stay in stays {
        let begin = stay.begin();
        let free = taken.iter().position(|end| end.is_none_or(|end| end < begin));
        let Some(place) = free else {
            return Err(TooManySlots { node, phase: begin });
        };
        taken[place] = Some(stay.end());
        let word = |phase, sends, ends| PhaseWord {
            phase,
            sends,
            slot: place as u8,
            ends,
            message: stay.message as u32,
        };
        words.extend(stay.arrival.map(|phase| word(phase, false, stay.departure.is_none())));
        words.extend(stay.departure.map(|phase| word(phase, true, stay.arrival.is_none())));
    }
    words.sort_by_key(|word| word.phase);
    Ok(words)
}
