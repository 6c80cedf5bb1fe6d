//! Channel dependency graph: the channels that a message may wait for while it holds another, and
//! what follows for deadlock.
//!
//! A machine can deadlock only if messages wait for each other in a cycle (torus-routing-chip,
//! section 2). A graph without a cycle therefore proves freedom from deadlock, and an
//! [order](DependencyGraph::order) of the channels is the certificate. A cycle proves a deadlock only
//! if there are messages that [`fill`] it. A configuration in the sense of the paper's Definition 6
//! may be unreachable.
//!
//! * [`DependencyGraph`]: the graph, over all pairs of nodes;
//! * [`fill`]: messages that fill a cycle;
//! * [`check_deadlock`]: both, as one verdict;
//! * [`check_escape`]: freedom from deadlock by escape channels, although there are cycles.

mod escape;
mod fill;

use super::{Channel, Relation};
use crate::topology::{PortEnd, Topology};
pub use escape::{check_escape, EscapeFault, EscapeSet, EscapeVerdict};
pub use fill::{fill, Filling, Holder, Switching};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use thiserror::Error;

/// The channel dependency graph of a relation (torus-routing-chip, Definition 4).
///
/// The nodes of the graph are the channels that some message can hold. An edge leads from a channel
/// to each channel that such a message may want next. Channels that no message can hold are
/// omitted.
#[derive(Clone, Debug)]
pub struct DependencyGraph {
    numbers: ChannelNumbers,
    /// Indexed by channel number: whether the channel is used, and the channels that may be wanted
    /// from it, ascending.
    used: Vec<bool>,
    next: Vec<Vec<u32>>,
    adaptive: bool,
}

/// Deadlock verdict for a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeadlockVerdict {
    /// There is no cycle. Every message that holds a channel wants only later channels of this
    /// order.
    Acyclic { order: Vec<Channel> },
    /// Each channel waits for the next, and the last for the first. No shorter cycle exists. If
    /// this cycle can't be filled, neither can the other cycles of its length that were tried. A
    /// longer one might be.
    Cyclic {
        cycle: Vec<Channel>,
        filling: Filling,
        /// Value of [`DependencyGraph::adaptive`].
        adaptive: bool,
    },
}

/// Fault of the network's description: the relation leads nowhere or out of its topology. Nodes and
/// channels are named as the relation prints them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RelationError {
    #[error(
        "a message for {destination} ends at {node}; accepted: a channel that it may enter there"
    )]
    DeadEnd { node: String, destination: String },
    #[error("a message for {destination} may enter port {port} of node {node} from node {here}; accepted: ports 0 to {last} of node {here}", node = .end.node, port = .end.port)]
    WrongNode { end: PortEnd, here: u32, last: u32, destination: String },
    #[error(
        "{nodes} nodes with up to {ports} channels to or from each, and virtual channel {vc}, need \
         {channels} channel numbers; accepted: up to {max}",
        max = MAX_CHANNELS
    )]
    TooManyChannels { nodes: u32, ports: u32, vc: u32, channels: u128 },
}

/// Largest number of channel numbers. An analysis needs about 50 bytes for each.
const MAX_CHANNELS: u32 = 1 << 24;

/// First position at which an order of channels is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OrderError {
    #[error("{0:?} is not in the order exactly once")]
    NotOnce(Channel),
    #[error("{0:?} may wait for {1:?}, which is before it in the order")]
    Backwards(Channel, Channel),
}

impl DependencyGraph {
    /// Builds the graph of a relation, over all pairs of nodes.
    ///
    /// The construction follows the messages from all sources at once, one destination after the
    /// other. It visits each channel once for each destination. The time is N times the number of
    /// channels, and the memory is the size of the graph.
    ///
    /// # Errors
    /// Returns an error if the relation stops a message at a node that is not its destination, leads
    /// out of the topology, or has more channels than the analysis accepts.
    pub fn of(relation: &dyn Relation) -> Result<Self, RelationError> {
        let mut graph = DependencyGraph {
            numbers: ChannelNumbers::of(relation.topology()),
            used: vec![],
            next: vec![],
            adaptive: false,
        };
        for destination in 0..relation.topology().nodes() {
            let mut walk = Walk::new(relation, destination);
            walk.begin()?;
            while let Some(state) = walk.step()? {
                graph.adaptive |= state.next.len() > 1;
                let number = state.number as usize;
                if graph.used.len() < walk.reached.len() {
                    graph.used.resize(walk.reached.len(), false);
                    graph.next.resize(walk.reached.len(), vec![]);
                }
                graph.used[number] = true;
                for next in state.next {
                    let edges = &mut graph.next[number];
                    if let Err(place) = edges.binary_search(&next) {
                        edges.insert(place, next);
                    }
                }
            }
        }
        Ok(graph)
    }

    /// Returns the channels that are used, ascending by virtual channel, node and port.
    pub fn channels(&self) -> Vec<Channel> {
        let used = (0..).zip(&self.used).filter(|(_, used)| **used);
        used.map(|(number, _)| self.numbers.channel(number)).collect()
    }

    /// Returns the channels that a message in this channel may want next.
    pub fn successors(&self, channel: Channel) -> Vec<Channel> {
        let number = self.numbers.number(channel).ok();
        let next = number.and_then(|number| self.next.get(number as usize));
        let next = next.into_iter().flatten();
        next.map(|&next| self.numbers.channel(next)).collect()
    }

    /// Number of dependencies.
    pub fn edges(&self) -> usize {
        self.next.iter().map(Vec::len).sum()
    }

    /// Returns true if some message has a choice of channels. A cycle that no list fills is then at
    /// most a warning, because a message that waits in it may have another path.
    pub fn adaptive(&self) -> bool {
        self.adaptive
    }

    /// Returns all channels in an order in which each waits only for later ones, or `None` if there
    /// is a cycle.
    pub fn order(&self) -> Option<Vec<Channel>> {
        let (order, left) = self.sorted();
        let channel = |number: &u32| self.numbers.channel(*number);
        left.is_empty().then(|| order.iter().map(channel).collect())
    }

    /// Checks that an order contains all channels of the graph once and that no dependency leads
    /// back. The check is independent of the code that made the order.
    ///
    /// # Errors
    /// Returns the first position at which the order is invalid.
    pub fn check_order(&self, order: &[Channel]) -> Result<(), OrderError> {
        let mut places = HashMap::new();
        for (place, &channel) in order.iter().enumerate() {
            if places.insert(channel, place).is_some() {
                return Err(OrderError::NotOnce(channel));
            }
        }
        for channel in self.channels() {
            let Some(place) = places.get(&channel) else {
                return Err(OrderError::NotOnce(channel));
            };
            for next in self.successors(channel) {
                if places.get(&next).is_none_or(|later| later <= place) {
                    return Err(OrderError::Backwards(channel, next));
                }
            }
        }
        match order.len() > self.channels().len() {
            true => Err(OrderError::NotOnce(order[order.len() - 1])),
            false => Ok(()),
        }
    }

    /// Returns the channels that can be ordered, in order, and the remaining ones. The remaining
    /// channels are on cycles, or channels on cycles wait for them.
    fn sorted(&self) -> (Vec<u32>, Vec<u32>) {
        let mut before = vec![0u32; self.used.len()];
        for &next in self.next.iter().flatten() {
            before[next as usize] += 1;
        }
        let used = |number: &u32| self.used[*number as usize];
        let numbers = || (0..self.used.len() as u32).filter(used);
        let free = numbers().filter(|&number| before[number as usize] == 0);
        let mut ready: BinaryHeap<Reverse<u32>> = free.map(Reverse).collect();
        let mut order = vec![];
        while let Some(Reverse(number)) = ready.pop() {
            order.push(number);
            for &next in &self.next[number as usize] {
                before[next as usize] -= 1;
                if before[next as usize] == 0 {
                    ready.push(Reverse(next));
                }
            }
        }
        let left = numbers().filter(|&number| before[number as usize] > 0);
        let left = left.collect();
        (order, left)
    }
}

/// Builds the graph of a relation, and returns an order of its channels or a shortest cycle. A
/// cycle that can be filled is preferred if one of the first shortest cycles can.
///
/// # Errors
/// As [`DependencyGraph::of`].
pub fn check_deadlock(
    relation: &dyn Relation,
    holding: Switching,
) -> Result<DeadlockVerdict, RelationError> {
    /// Limit on the cycles that are tried. A network repeats the same cycle in many positions. If
    /// the first few can't be filled, the others are not tried.
    const MAX_CYCLES: usize = 8;
    let graph = DependencyGraph::of(relation)?;
    if let Some(order) = graph.order() {
        return Ok(DeadlockVerdict::Acyclic { order });
    }
    let mut first = None;
    for cycle in graph.shortest_cycles().into_iter().take(MAX_CYCLES) {
        let filling = fill(relation, &cycle, holding)?;
        let filled = matches!(filling, Filling::By(_));
        let found = DeadlockVerdict::Cyclic { cycle, filling, adaptive: graph.adaptive() };
        if filled {
            return Ok(found);
        }
        first.get_or_insert(found);
    }
    Ok(first.expect("what has no order has a cycle"))
}

#[cfg(test)]
mod tests;

// Following all messages for one destination at once, channel by channel.

/// Numbering of channels by virtual channel, node and port.
#[derive(Clone, Copy, Debug)]
struct ChannelNumbers {
    nodes: u32,
    ports: u32,
}

impl ChannelNumbers {
    pub fn of(topology: &dyn Topology) -> Self {
        ChannelNumbers { nodes: topology.nodes(), ports: topology.ports() }
    }

    /// Returns the number of a channel of the topology.
    ///
    /// # Errors
    /// If the channels up to its virtual channel have more than [`MAX_CHANNELS`] numbers.
    pub fn number(self, channel: Channel) -> Result<u32, RelationError> {
        let ChannelNumbers { nodes, ports } = self;
        let vc = channel.vc;
        let channels = u128::from(nodes) * u128::from(ports) * (u128::from(vc) + 1);
        if channels > u128::from(MAX_CHANNELS) {
            return Err(RelationError::TooManyChannels { nodes, ports, vc, channels });
        }
        let PortEnd { node, port } = channel.from;
        Ok((vc * nodes + node) * ports + port)
    }

    pub fn channel(self, number: u32) -> Channel {
        let (end, port) = (number / self.ports, number % self.ports);
        let (vc, node) = (end / self.nodes, end % self.nodes);
        Channel { from: PortEnd { node, port }, vc }
    }
}

/// All messages for one destination, followed from their sources channel by channel.
struct Walk<'a> {
    pub relation: &'a dyn Relation,
    pub numbers: ChannelNumbers,
    pub destination: u32,
    /// Indexed by channel number: how the first message reached it, or `None` if no message holds
    /// it.
    pub reached: Vec<Option<ReachedFrom>>,
    /// Channels that were found but not yet followed, in the order of discovery. A shortest path
    /// therefore comes first.
    queue: VecDeque<u32>,
}

/// How a message comes to hold a channel.
#[derive(Clone, Copy, Debug)]
enum ReachedFrom {
    Source,
    Channel(u32),
}

/// A channel that a message for the destination may hold, and the channels that it may want next.
struct WalkState {
    pub number: u32,
    pub next: Vec<u32>,
}

impl<'a> Walk<'a> {
    pub fn new(relation: &'a dyn Relation, destination: u32) -> Self {
        Walk {
            relation,
            numbers: ChannelNumbers::of(relation.topology()),
            destination,
            reached: vec![],
            queue: Default::default(),
        }
    }

    /// Starts a message at every source.
    pub fn begin(&mut self) -> Result<(), RelationError> {
        for source in 0..self.numbers.nodes {
            if source != self.destination {
                for first in self.first(source)? {
                    self.reach(first, ReachedFrom::Source);
                }
            }
        }
        Ok(())
    }

    /// Returns the next channel that some message holds. The walk does not yet advance from it.
    pub fn next_state(&mut self) -> Result<Option<WalkState>, RelationError> {
        let Some(number) = self.queue.pop_front() else {
            return Ok(None);
        };
        let next = self.next(number)?;
        Ok(Some(WalkState { number, next }))
    }

    pub fn follow(&mut self, state: &WalkState) {
        for &next in &state.next {
            self.reach(next, ReachedFrom::Channel(state.number));
        }
    }

    /// Calls [`next_state`](Self::next_state), then [`follow`](Self::follow).
    pub fn step(&mut self) -> Result<Option<WalkState>, RelationError> {
        let state = self.next_state()?;
        if let Some(state) = &state {
            self.follow(state);
        }
        Ok(state)
    }

    /// Returns the channels from a source to this one, on a shortest path that was walked.
    pub fn route(&self, number: u32) -> Vec<u32> {
        let mut route = vec![number];
        let mut here = number;
        while let Some(Some(ReachedFrom::Channel(before))) = self.reached.get(here as usize) {
            here = *before;
            route.push(here);
        }
        route.reverse();
        route
    }

    fn reach(&mut self, number: u32, came: ReachedFrom) {
        let place = number as usize;
        if self.reached.len() <= place {
            // Grows by whole virtual channels.
            let channels = (self.numbers.nodes * self.numbers.ports) as usize;
            let length = (place + 1).next_multiple_of(channels);
            self.reached.resize(length, None);
        }
        if self.reached[place].is_none() {
            self.reached[place] = Some(came);
            self.queue.push_back(number);
        }
    }

    pub fn first(&self, source: u32) -> Result<Vec<u32>, RelationError> {
        let first = self.relation.first(source, self.destination);
        self.check_channels(first, source)
    }

    pub fn next(&self, number: u32) -> Result<Vec<u32>, RelationError> {
        let channel = self.numbers.channel(number);
        let next = self.relation.next(channel, self.destination);
        let here = self.relation.topology().peer(channel.from).node;
        self.check_channels(next, here)
    }

    /// Converts the channels that may be entered at a node to numbers, and checks them.
    fn check_channels(&self, channels: Vec<Channel>, here: u32) -> Result<Vec<u32>, RelationError> {
        let topology = self.relation.topology();
        let destination = || topology.node_name(self.destination);
        let carried = self.relation.has_route(here, self.destination);
        if channels.is_empty() && here != self.destination && carried {
            return Err(RelationError::DeadEnd {
                node: topology.node_name(here),
                destination: destination(),
            });
        }
        let number = |channel: Channel| {
            let end = channel.from;
            let exists = end.port < self.numbers.ports && topology.is_connected(end);
            if end.node != here || !exists {
                return Err(RelationError::WrongNode {
                    end,
                    here,
                    last: self.numbers.ports.saturating_sub(1),
                    destination: destination(),
                });
            }
            self.numbers.number(channel)
        };
        channels.into_iter().map(number).collect()
    }
}

impl DependencyGraph {
    /// Returns a shortest cycle, or `None` if there is no cycle. Each channel may wait for the
    /// next, and the last for the first. The first channel is the lowest.
    pub fn shortest_cycle(&self) -> Option<Vec<Channel>> {
        self.shortest_cycles().into_iter().next()
    }

    /// Returns cycles of the shortest length, at most one for each channel that is the lowest of a
    /// cycle.
    fn shortest_cycles(&self) -> Vec<Vec<Channel>> {
        let (_, left) = self.sorted();
        let mut search =
            CycleSearch { graph: self, predecessor: vec![None; self.used.len()], reached: vec![] };
        let mut cycles: Vec<Vec<u32>> = vec![];
        for lowest in left {
            let most = cycles.first().map_or(usize::MAX, Vec::len);
            let Some(cycle) = search.shortest_through(lowest, most) else {
                continue;
            };
            if cycle.len() < most {
                cycles.clear();
            }
            cycles.push(cycle);
        }
        let channels = |cycle: Vec<u32>| {
            let channels = cycle.iter().map(|&number| self.numbers.channel(number));
            channels.collect()
        };
        cycles.into_iter().map(channels).collect()
    }
}

/// A breadth-first search that is repeated for each channel.
struct CycleSearch<'a> {
    graph: &'a DependencyGraph,
    /// Indexed by channel number: predecessor in the current search.
    predecessor: Vec<Option<u32>>,
    reached: Vec<u32>,
}

impl CycleSearch<'_> {
    /// Returns a shortest cycle of up to `most` channels whose lowest channel is `lowest`.
    fn shortest_through(&mut self, lowest: u32, most: usize) -> Option<Vec<u32>> {
        for number in self.reached.drain(..) {
            self.predecessor[number as usize] = None;
        }
        let mut queue = VecDeque::from([(lowest, 1)]);
        while let Some((number, length)) = queue.pop_front() {
            if length > most {
                return None;
            }
            for &next in &self.graph.next[number as usize] {
                if next == lowest {
                    return Some(self.path(lowest, number));
                }
                let came = &mut self.predecessor[next as usize];
                if next > lowest && came.is_none() {
                    *came = Some(number);
                    self.reached.push(next);
                    queue.push_back((next, length + 1));
                }
            }
        }
        None
    }

    /// Returns the path that was found from `lowest` to `last`.
    fn path(&self, lowest: u32, last: u32) -> Vec<u32> {
        let mut path = vec![last];
        let mut here = last;
        while here != lowest {
            here = self.predecessor[here as usize].expect("reached");
            path.push(here);
        }
        path.reverse();
        path
    }
}
