//! Freedom from deadlock by escape channels.
//!
//! A network may have cycles in its channel dependency graph and still be free of deadlock (Duato,
//! "A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks", 1993, and "A Necessary and
//! Sufficient Condition for Deadlock-Free Adaptive Routing in Wormhole Networks", 1995). A *routing
//! subfunction* selects some of the channels that a message may enter, its escapes. The network is
//! free of deadlock if every waiting message has an escape, and the *extended* dependency graph of
//! the escapes has no cycle.
//!
//! The extended graph has an edge from channel a to channel b if a message can hold a and want b as
//! an escape, with only other channels between them. These are the direct dependencies (nothing
//! between them) and the indirect ones. If the message holds a as an ordinary channel, and a is an
//! escape for another destination, the dependency is a cross dependency. In store and forward a
//! message holds one channel, so all dependencies are direct.
//!
//! Proof: in a deadlock take the held escape channel that is last in an order of the extended graph,
//! and its message. The escapes that this message wants are held, too, and are later.
//!
//! The condition is sufficient. As in the papers, a queue holds parts of one message at a time.

use super::{Channel, ChannelNumbers, DependencyGraph, RelationError, Switching, Walk};
use crate::routing::Relation;
use std::collections::{HashMap, HashSet};

/// Origin of a routing subfunction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeSet {
    /// The relation declares it ([`Relation::is_escape`]).
    Declared,
    /// All channels of this virtual channel.
    VirtualChannel(u32),
}

/// Reason why a routing subfunction proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EscapeFault {
    /// A message for the destination has no escape at this node.
    Missing { node: u32, destination: u32 },
    /// The extended dependency graph has this cycle. No shorter one exists.
    Cycle(Vec<Channel>),
}

/// Verdict on the escape channels of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EscapeVerdict {
    /// The network is free of deadlock. In this order of the escape channels no message waits for an
    /// earlier one.
    Free { set: EscapeSet, order: Vec<Channel> },
    /// The declared subfunction has a fault, so the question is open.
    Faulty(EscapeFault),
    /// No subfunction is declared, and no virtual channel is one.
    None,
}

/// Checks the routing subfunction that a relation declares. Without one, tries the channels of each
/// virtual channel, if there are several.
///
/// The time is that of [`DependencyGraph::of`], and for worms up to the number of channels times as
/// much. The memory is the size of the graph.
///
/// # Errors
/// As [`DependencyGraph::of`].
pub fn check_escape(
    relation: &dyn Relation,
    holding: Switching,
) -> Result<EscapeVerdict, RelationError> {
    let (mut declared, mut vcs) = (vec![], 0);
    let numbers = ChannelNumbers::of(relation.topology());
    for destination in 0..relation.topology().nodes() {
        for number in Wants::of(relation, destination)?.all() {
            let channel = numbers.channel(number);
            vcs = vcs.max(channel.vc + 1);
            if relation.is_escape(channel, destination) {
                mark(&mut declared, number);
            }
        }
    }
    if declared.contains(&true) {
        let set = Subfunction {
            relation,
            numbers,
            holding,
            is_escape: &|channel, destination| relation.is_escape(channel, destination),
            is_in_set: &|number| declared.get(number as usize) == Some(&true),
        };
        return Ok(match set.order()? {
            Ok(order) => EscapeVerdict::Free { set: EscapeSet::Declared, order },
            Err(fault) => EscapeVerdict::Faulty(fault),
        });
    }
    for vc in (0..vcs).filter(|_| vcs > 1) {
        let set = Subfunction {
            relation,
            numbers,
            holding,
            is_escape: &|channel: Channel, _| channel.vc == vc,
            is_in_set: &|number| numbers.channel(number).vc == vc,
        };
        if let Ok(order) = set.order()? {
            let set = EscapeSet::VirtualChannel(vc);
            return Ok(EscapeVerdict::Free { set, order });
        }
    }
    Ok(EscapeVerdict::None)
}

fn mark(marks: &mut Vec<bool>, number: u32) {
    let place = number as usize;
    if marks.len() <= place {
        marks.resize(place + 1, false);
    }
    marks[place] = true;
}

/// The channels that messages for a destination may want, by number.
struct Wants {
    /// Nodes at which messages begin, with the channels there.
    first: Vec<(u32, Vec<u32>)>,
    /// For each channel that a message may hold, the next channels.
    next: HashMap<u32, Vec<u32>>,
}

impl Wants {
    fn of(relation: &dyn Relation, destination: u32) -> Result<Self, RelationError> {
        let mut walk = Walk::new(relation, destination);
        walk.begin()?;
        let sources = (0..relation.topology().nodes()).filter(|source| *source != destination);
        let first = sources.map(|source| Ok((source, walk.first(source)?)));
        let first = first.collect::<Result<_, RelationError>>()?;
        let mut next = HashMap::new();
        while let Some(state) = walk.step()? {
            next.insert(state.number, state.next);
        }
        Ok(Wants { first, next })
    }

    /// All wanted channels, some several times.
    fn all(&self) -> impl Iterator<Item = u32> + '_ {
        let first = self.first.iter().map(|(_, first)| first);
        first.chain(self.next.values()).flatten().copied()
    }
}

/// A routing subfunction of a relation.
struct Subfunction<'a> {
    relation: &'a dyn Relation,
    numbers: ChannelNumbers,
    holding: Switching,
    /// True if the channel is an escape for the destination.
    is_escape: &'a dyn Fn(Channel, u32) -> bool,
    /// True if the channel with this number is an escape for some destination.
    is_in_set: &'a dyn Fn(u32) -> bool,
}

impl Subfunction<'_> {
    /// Returns the escape channels in an order of the extended dependency graph.
    fn order(&self) -> Result<Result<Vec<Channel>, EscapeFault>, RelationError> {
        let mut graph =
            DependencyGraph { numbers: self.numbers, used: vec![], next: vec![], adaptive: true };
        for destination in 0..self.relation.topology().nodes() {
            let wants = Wants::of(self.relation, destination)?;
            if let Some(node) = self.node_without_escape(&wants, destination) {
                return Ok(Err(EscapeFault::Missing { node, destination }));
            }
            self.add_dependencies(&wants, destination, &mut graph);
        }
        graph.next.resize(graph.used.len(), vec![]);
        for edges in &mut graph.next {
            edges.sort_unstable();
            edges.dedup();
        }
        Ok(match graph.order() {
            Some(order) => Ok(order),
            None => Err(EscapeFault::Cycle(graph.shortest_cycle().expect("there is no order"))),
        })
    }

    fn is_escape(&self, number: u32, destination: u32) -> bool {
        (self.is_escape)(self.numbers.channel(number), destination)
    }

    /// Returns the lowest node at which a message for the destination waits without an escape.
    fn node_without_escape(&self, wants: &Wants, destination: u32) -> Option<u32> {
        let topology = self.relation.topology();
        let head = |number: u32| topology.peer(self.numbers.channel(number).from).node;
        let first = wants.first.iter().map(|(node, first)| (*node, first));
        let next = wants.next.iter().map(|(number, next)| (head(*number), next));
        let without = first.chain(next).filter(|(_, channels)| {
            let mut channels = channels.iter();
            !channels.as_slice().is_empty()
                && !channels.any(|number| self.is_escape(*number, destination))
        });
        without.map(|(node, _)| node).min()
    }

    /// Adds the dependencies of the messages for a destination.
    fn add_dependencies(&self, wants: &Wants, destination: u32, graph: &mut DependencyGraph) {
        for number in wants.all().filter(|number| (self.is_in_set)(*number)) {
            mark(&mut graph.used, number);
        }
        if graph.next.len() < graph.used.len() {
            graph.next.resize(graph.used.len(), vec![]);
        }
        for held in wants.next.keys().filter(|number| (self.is_in_set)(**number)) {
            let mut seen = HashSet::from([*held]);
            let mut open = vec![*held];
            while let Some(head) = open.pop() {
                for number in wants.next.get(&head).into_iter().flatten() {
                    if self.is_escape(*number, destination) {
                        let edges = &mut graph.next[*held as usize];
                        if !edges.contains(number) {
                            edges.push(*number);
                        }
                    } else if self.holding == Switching::Wormhole && seen.insert(*number) {
                        open.push(*number);
                    }
                }
            }
        }
    }
}
