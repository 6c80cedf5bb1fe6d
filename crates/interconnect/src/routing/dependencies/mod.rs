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
//! * [`check_deadlock`]: both, as one verdict.

mod cycle;
mod fill;
mod walk;
mod wormhole;

pub use fill::{fill, Filling, Holder, Switching};

use super::{Channel, Relation};
use crate::topology::PortEnd;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use thiserror::Error;
use walk::{ChannelNumbers, Walk};

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
    WrongNode {
        end: PortEnd,
        here: u32,
        last: u32,
        destination: String,
    },
}

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
    /// Returns an error if the relation stops a message at a node that is not its destination, or
    /// leads out of the topology.
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
        used.map(|(number, _)| self.numbers.channel(number))
            .collect()
    }

    /// Returns the channels that a message in this channel may want next.
    pub fn successors(&self, channel: Channel) -> Vec<Channel> {
        let next = self.next.get(self.numbers.number(channel) as usize);
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
        let found = DeadlockVerdict::Cyclic {
            cycle,
            filling,
            adaptive: graph.adaptive(),
        };
        if filled {
            return Ok(found);
        }
        first.get_or_insert(found);
    }
    Ok(first.expect("what has no order has a cycle"))
}

#[cfg(test)]
mod tests;
