//! Schedules for arbitrary lists of messages.

use super::schedule::NODE_SLOTS;
use super::{node_programs, schedule_permutation, CompiledSchedule, LowerBound, SweepDirection};
use crate::topology::{Hypercube, Metacube};
use crate::traffic::SplitMix64;

/// Effort spent on the search for a shorter schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchEffort {
    /// Number of random list schedules, at least one.
    pub draws: u32,
    /// Maximum number of negotiation rounds.
    pub rounds: u32,
    /// Seed of the random tie-breaking.
    pub seed: u64,
}

impl Default for SearchEffort {
    fn default() -> Self {
        SearchEffort { draws: 4, rounds: 40, seed: 1 }
    }
}

/// Limits on the messages that wait in a node when a host may still inject towards it. The first
/// limit is the full capacity. The smaller ones are tried when messages wait for each other.
const INJECTION_LIMITS: [usize; 3] = [MAX_WAITING, MAX_WAITING / 2, MAX_WAITING / 4];

/// Returns the shortest schedule found for these sources and destinations.
///
/// For a permutation of a cube in [`SweepDirection::UpDown`] the schedule is optimal. Other lists are
/// scheduled by list scheduling. In a cube, negotiation then removes one superframe at a time until
/// it fails or the lower bound is reached. No node holds more messages than it has slots.
///
/// The function passes progress messages to `progress`.
pub fn schedule_messages(
    shape: Metacube,
    sweep: SweepDirection,
    messages: &[[u32; 2]],
    effort: SearchEffort,
    progress: &mut dyn FnMut(String),
) -> CompiledSchedule {
    let cube = (shape.class_bits() == 0).then(|| Hypercube::of(shape.field_bits()));
    if let (Some(cube), SweepDirection::UpDown) = (cube, sweep) {
        if let Some(schedule) = schedule_permutation(cube, messages) {
            return schedule;
        }
    }
    let bound = LowerBound::of(shape, sweep, messages).superframes();
    let mut search = ListSearch { shape, sweep, effort, progress };
    let mut best = search.best_random_schedule(messages);
    let Some(cube) = cube else {
        return best;
    };
    let sources: Vec<u32> = messages.iter().map(|ends| ends[0]).collect();
    while best.superframes() > bound {
        let superframes = best.superframes() - 1;
        let order = sweep.order(shape, superframes);
        let mut report_round = |round: u32, crowded: usize| {
            (search.progress)(format!(
                "{superframes} superframes, round {}: {crowded} sends too many",
                round + 1
            ));
        };
        let found = negotiate(cube, &order, messages, effort.rounds, &mut report_round);
        let found = found.map(|pairs| CompiledSchedule { shape, order, pairs });
        match found {
            Some(found) if node_programs(&found, &sources).is_ok() => best = found.trimmed(),
            _ => break,
        }
    }
    best
}

/// List scheduling in one order of links.
struct ListSearch<'a> {
    shape: Metacube,
    sweep: SweepDirection,
    effort: SearchEffort,
    /// Receives progress messages.
    progress: &'a mut dyn FnMut(String),
}

impl ListSearch<'_> {
    /// Returns the shortest of several random schedules. If messages wait for each other in all of
    /// them, schedules two halves of the list one after the other.
    fn best_random_schedule(&mut self, messages: &[[u32; 2]]) -> CompiledSchedule {
        let found =
            INJECTION_LIMITS.iter().find_map(|entering| self.random_schedule(messages, *entering));
        found.unwrap_or_else(|| {
            (self.progress)(format!(
                "two halves of {} messages, which wait for each other",
                messages.len()
            ));
            self.schedule_in_halves(messages)
        })
    }

    /// Schedules each half of the list, one after the other. Each half has half of every node's
    /// messages.
    fn schedule_in_halves(&mut self, messages: &[[u32; 2]]) -> CompiledSchedule {
        let links = self.shape.links();
        let mut by_source: Vec<usize> = (0..messages.len()).collect();
        by_source.sort_by_key(|message| messages[*message][0]);
        let (mut begin, mut pairs) = (0, vec![vec![]; messages.len()]);
        for first in 0..2 {
            let half: Vec<usize> = by_source.iter().skip(first).step_by(2).copied().collect();
            let ends: Vec<[u32; 2]> = half.iter().map(|message| messages[*message]).collect();
            let schedule = self.best_random_schedule(&ends);
            // Each half begins with a superframe that sweeps up, as an order does.
            let superframes = schedule.superframes().next_multiple_of(2);
            for (message, moves) in half.into_iter().zip(schedule.pairs) {
                pairs[message] = moves.iter().map(|pair| begin + pair).collect();
            }
            begin += superframes * links;
        }
        CompiledSchedule {
            shape: self.shape,
            order: self.sweep.order(self.shape, begin / links),
            pairs,
        }
        .trimmed()
    }

    /// Returns the shortest of several random schedules with this limit of `entering` messages, or
    /// `None` if there is none.
    fn random_schedule(
        &mut self,
        messages: &[[u32; 2]],
        entering: usize,
    ) -> Option<CompiledSchedule> {
        let (shape, sweep) = (self.shape, self.sweep);
        let mut lots = SplitMix64::new(self.effort.seed);
        let mut best: Option<CompiledSchedule> = None;
        for number in 0..self.effort.draws {
            let Some(pairs) = list_schedule(shape, sweep, messages, entering, &mut lots) else {
                continue;
            };
            let last = pairs.iter().filter_map(|pairs| pairs.last()).max();
            let superframes = last.map_or(1, |pair| pair / shape.links() + 1);
            (self.progress)(format!(
                "{superframes} superframes by list scheduling, draw {}",
                number + 1
            ));
            let next = CompiledSchedule { shape, order: sweep.order(shape, superframes), pairs };
            if best.as_ref().is_none_or(|best| next.length() < best.length()) {
                best = Some(next);
            }
        }
        best
    }
}

// List scheduling: in each pair of phases a node sends the message with the longest remaining
// path.

/// Maximum number of messages that wait in a node on their path. Two more slots are reserved: one
/// for a message that reaches its destination, one for a message that the host injects.
pub const MAX_WAITING: usize = NODE_SLOTS - 2;

struct InFlightMessage {
    message: usize,
    to: u32,
    /// Links left to cross.
    left: u32,
    /// True if the message occupies a slot of its node, false if the host still has it.
    has_slot: bool,
    /// Random tie-breaker between messages with equal remaining distance.
    tie_breaker: u64,
}

/// Returns the pairs of phases in which each message moves, along shortest paths. Links are open in
/// the order of `sweep`, for as many superframes as needed.
///
/// Among the messages that a link brings nearer, a node sends one with the longest remaining path.
/// Random numbers from `lots` break ties. If [`MAX_WAITING`] messages wait in the neighbour, the node
/// sends only a message whose destination is that neighbour. For a message that its host still has
/// the limit is `entering`, at most [`MAX_WAITING`].
///
/// Returns `None` if messages wait for each other's slots.
pub fn list_schedule(
    shape: Metacube,
    sweep: SweepDirection,
    messages: &[[u32; 2]],
    entering: usize,
    lots: &mut SplitMix64,
) -> Option<Vec<Vec<u32>>> {
    let mut pairs = vec![vec![]; messages.len()];
    let mut nodes: Vec<Vec<InFlightMessage>> = (0..shape.nodes()).map(|_| vec![]).collect();
    let mut open = 0;
    for (message, &[from, to]) in messages.iter().enumerate() {
        if from != to {
            open += 1;
            nodes[from as usize].push(InFlightMessage {
                message,
                to,
                left: shape.distance(from, to),
                has_slot: false,
                tie_breaker: lots.next_u64(),
            });
        }
    }
    let mut waiting = vec![0usize; nodes.len()];
    let mut order = vec![];
    let (mut superframes, mut moved_at) = (0, 0);
    for pair in 0.. {
        if open == 0 {
            break;
        }
        if pair as usize == order.len() {
            superframes += 1;
            order = sweep.order(shape, superframes);
        }
        if pair - moved_at > 2 * shape.links() {
            return None;
        }
        let link = order[pair as usize];
        let mut moved = vec![];
        for from in 0..shape.nodes() {
            let next = shape.neighbour(from, link);
            let here = &mut nodes[from as usize];
            let lie_there = waiting[next as usize];
            let nearer = |at: &usize| {
                let sent = &here[*at];
                let most = if sent.has_slot { MAX_WAITING } else { entering };
                (lie_there < most || sent.to == next) && shape.distance(next, sent.to) < sent.left
            };
            let order = |at: &usize| (here[*at].left, here[*at].tie_breaker);
            if let Some(at) = (0..here.len()).filter(nearer).max_by_key(order) {
                let mut sent = here.swap_remove(at);
                sent.left -= 1;
                pairs[sent.message].push(pair);
                moved_at = pair;
                waiting[from as usize] -= usize::from(sent.has_slot);
                sent.has_slot = true;
                moved.push((next, sent));
            }
        }
        for (next, sent) in moved {
            match sent.left {
                0 => open -= 1,
                _ => {
                    waiting[next as usize] += 1;
                    nodes[next as usize].push(sent);
                }
            }
        }
    }
    Some(pairs)
}

// Negotiation: messages may share sends at a price, which rises until no send is shared (L.
// McMurchie, C. Ebeling, "PathFinder: A Negotiation-Based Performance-Driven Router for FPGAs",
// 1995).

/// Price of a send that no message uses and that was never in conflict.
const BASE_PRICE: u32 = 16;

/// Price increase for each message that already uses the send in this round.
const SHARING_PRICE: u32 = 12;

/// Permanent price increase for each surplus message at the end of a round.
const HISTORY_PRICE: u32 = 6;

/// Upper bound on the cost of any path, exclusive.
const UNREACHED: u32 = u32::MAX / 2;

/// Returns the pairs of phases in which each message moves, by shortest paths within this order of
/// links.
///
/// No node sends two messages in a pair. The result is `None` if `rounds` rounds do not find such a
/// set of paths. After each round the function passes the round and the number of surplus sends to
/// `progress`.
pub fn negotiate(
    cube: Hypercube,
    order: &[u32],
    messages: &[[u32; 2]],
    rounds: u32,
    progress: &mut dyn FnMut(u32, usize),
) -> Option<Vec<Vec<u32>>> {
    let mut market = SendDemand::new(cube, order);
    let mut paths: Vec<Vec<u32>> = vec![vec![]; messages.len()];
    let mut finder = CheapestPath::default();
    for round in 0..rounds {
        for (path, &[from, to]) in paths.iter_mut().zip(messages) {
            if round > 0 && !market.is_crowded(from, path) {
                continue;
            }
            market.add_demand(from, path, -1);
            *path = finder.find(&market, from, to)?;
            market.add_demand(from, path, 1);
        }
        let crowded = market.end_round();
        progress(round, crowded);
        if crowded == 0 {
            return Some(paths);
        }
    }
    None
}

/// Demand for sends. A place is a send by one node in one pair of phases.
struct SendDemand<'a> {
    cube: Hypercube,
    order: &'a [u32],
    /// Messages that use each place, indexed by pair and node.
    wanted: Vec<u16>,
    /// Price increase from earlier rounds.
    history: Vec<u32>,
}

impl<'a> SendDemand<'a> {
    fn new(cube: Hypercube, order: &'a [u32]) -> Self {
        let places = order.len() * cube.nodes() as usize;
        SendDemand { cube, order, wanted: vec![0; places], history: vec![0; places] }
    }

    fn send_index(&self, pair: usize, node: u32) -> usize {
        pair << self.cube.dims() | node as usize
    }

    /// Price for one more message.
    fn price(&self, pair: usize, node: u32) -> u32 {
        let place = self.send_index(pair, node);
        BASE_PRICE + self.history[place] + SHARING_PRICE * u32::from(self.wanted[place])
    }

    /// Places along a path.
    fn sends_of_path<'b>(&'b self, from: u32, path: &'b [u32]) -> impl Iterator<Item = usize> + 'b {
        let mut here = from;
        path.iter().map(move |&pair| {
            let place = self.send_index(pair as usize, here);
            here ^= 1 << self.order[pair as usize];
            place
        })
    }

    fn is_crowded(&self, from: u32, path: &[u32]) -> bool {
        self.sends_of_path(from, path).any(|place| self.wanted[place] > 1)
    }

    /// Adds `more` to the demand for each place of a path.
    fn add_demand(&mut self, from: u32, path: &[u32], more: i16) {
        let places: Vec<usize> = self.sends_of_path(from, path).collect();
        for place in places {
            self.wanted[place] = self.wanted[place].wrapping_add_signed(more);
        }
    }

    /// Ends a round: raises the price of places with several messages. Returns the number of
    /// surplus messages.
    fn end_round(&mut self) -> usize {
        let mut crowded = 0;
        for (wanted, history) in self.wanted.iter().zip(&mut self.history) {
            let too_many = u32::from(wanted.saturating_sub(1));
            *history += HISTORY_PRICE * too_many;
            crowded += too_many as usize;
        }
        crowded
    }
}

/// Finds cheap paths. Its buffers are reused from one message to the next.
#[derive(Default)]
struct CheapestPath {
    /// Cost of having crossed each subset of the dimensions in which the ends differ.
    cost: Vec<u32>,
    /// Indexed by pair: one bit for each subset that the pair reached more cheaply.
    cheaper: Vec<u64>,
}

impl CheapestPath {
    /// Returns the cheapest shortest path as the pairs in which it moves, or `None` if the order is
    /// too short.
    fn find(&mut self, market: &SendDemand, from: u32, to: u32) -> Option<Vec<u32>> {
        let dims: Vec<u32> =
            (0..market.cube.dims()).filter(|dim| (from ^ to) >> dim & 1 == 1).collect();
        let sets = 1usize << dims.len();
        let words = sets.div_ceil(64);
        self.cost.clear();
        self.cost.resize(sets, UNREACHED);
        self.cost[0] = 0;
        self.cheaper.clear();
        self.cheaper.resize(market.order.len() * words, 0);
        // The node after crossing a subset of the dimensions.
        let node = |set: usize| {
            let crossed = dims.iter().enumerate();
            let crossed = crossed.filter(|(bit, _)| set >> bit & 1 == 1);
            crossed.fold(from, |node, (_, dim)| node ^ 1 << dim)
        };
        let nodes: Vec<u32> = (0..sets).map(node).collect();
        for (pair, dim) in market.order.iter().enumerate() {
            let Some(bit) = dims.iter().position(|differing| differing == dim) else {
                continue;
            };
            for set in (0..sets).filter(|set| set >> bit & 1 == 0) {
                if self.cost[set] == UNREACHED {
                    continue;
                }
                let crossed = set | 1 << bit;
                let cost = self.cost[set] + market.price(pair, nodes[set]);
                if cost < self.cost[crossed] {
                    self.cost[crossed] = cost;
                    self.cheaper[pair * words + crossed / 64] |= 1 << (crossed % 64);
                }
            }
        }
        self.trace_back(market.order, &dims, words)
    }

    /// Traces the path back from the full set.
    fn trace_back(&self, order: &[u32], dims: &[u32], words: usize) -> Option<Vec<u32>> {
        let mut set = (1usize << dims.len()) - 1;
        if self.cost[set] == UNREACHED {
            return None;
        }
        let mut path = vec![];
        for (pair, dim) in order.iter().enumerate().rev() {
            let came = self.cheaper[pair * words + set / 64] >> (set % 64) & 1 == 1;
            if let (true, Some(bit)) = (came, dims.iter().position(|differing| differing == dim)) {
                path.push(pair as u32);
                set &= !(1 << bit);
            }
        }
        path.reverse();
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two halves of a list are scheduled one after the other.
    #[test]
    fn halves_are_scheduled_one_after_the_other() {
        let cube = Hypercube::of(3);
        let messages: Vec<[u32; 2]> = (0..40).map(|i| [i % 5, (3 * i + 1) % 8]).collect();
        for sweep in [SweepDirection::Up, SweepDirection::UpDown] {
            let effort = SearchEffort::default();
            let mut search =
                ListSearch { shape: cube.into(), sweep, effort, progress: &mut |_| {} };
            let halved = search.schedule_in_halves(&messages);
            assert_eq!(halved.check(&messages), Ok(()));
            assert!(halved.order.starts_with(&sweep.order(cube.into(), 2)));
            let whole = schedule_messages(cube.into(), sweep, &messages, effort, &mut |_| {});
            assert!(halved.superframes() > whole.superframes());
            let first: Vec<u32> =
                (0..40).filter_map(|m| halved.pairs[m].first().copied()).collect();
            let early = first.iter().filter(|pair| **pair < halved.length() / 2).count();
            assert!((1..first.len()).contains(&early));
        }
    }
}
