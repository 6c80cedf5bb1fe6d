//! Search for messages that fill a cycle of channels.
//!
//! A list of messages fills a cycle under the following rules. Messages enter an empty network one
//! after the other. Each advances through channels that no earlier message holds, and then rests.
//! At the end all channels of the cycle are held. Every channel that one of the messages may want
//! next belongs to the cycle. None of the messages can then move again.
//!
//! A message may rest although it could advance, which models a network without fixed speeds. The
//! paper's Definition 6 has no notion of time either. A synchronous machine has fixed speeds, so
//! only a run shows whether the list deadlocks it. No message has to rest if each begins with its
//! channel of the cycle ([`Filling::starts_in_cycle`]) and all sources begin together.
//!
//! Within these rules the search is exact, or reports that it gave up. The rules do not cover
//! messages that step aside to let others pass.

use super::walk::{ChannelNumbers, Walk};
use super::{Channel, Relation, RelationError};
use std::collections::{HashMap, HashSet};

/// Channels that a blocked message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switching {
    /// Only the channel that contains the whole message: store and forward. Its source is free for
    /// the next message.
    StoreAndForward,
    /// All channels from the source to the head, and the injection path of the source. The message
    /// is a worm that is longer than these can hold.
    Wormhole,
}

/// Result of the search for messages that fill a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// These messages fill the cycle, entered in this order.
    By(Vec<Holder>),
    /// No messages fill the cycle.
    No,
    /// There are too many combinations to try all of them.
    Unknown,
}

/// A message that holds a part of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub source: u32,
    pub destination: u32,
    /// Channels from its source to its head.
    pub route: Vec<Channel>,
    /// Number of channels that the message holds at the end of its route, at least 1. A worm must
    /// be longer than the capacity of these channels, which depends on the network.
    pub holds: usize,
    /// Channels that the message may want next. All of them are held.
    pub wants: Vec<Channel>,
}

impl Filling {
    /// Returns true if every message begins with a channel of the cycle and all sources differ.
    pub fn starts_in_cycle(&self, cycle: &[Channel]) -> bool {
        let mut sources = HashSet::new();
        let Filling::By(holders) = self else {
            return false;
        };
        holders
            .iter()
            .all(|holder| cycle.contains(&holder.route[0]) && sources.insert(holder.source))
    }
}

/// Searches for messages that fill a cycle of channels.
///
/// # Errors
/// Returns an error if the relation is faulty.
pub fn fill(
    relation: &dyn Relation,
    cycle: &[Channel],
    holding: Switching,
) -> Result<Filling, RelationError> {
    let numbers = ChannelNumbers::of(relation.topology());
    let channels: Vec<u32> = cycle.iter().map(|&c| numbers.number(c)).collect();
    let cycle = Cycle {
        relation,
        numbers,
        positions: channels.iter().copied().zip(0..).collect(),
        channels,
    };
    match holding {
        Switching::StoreAndForward => cycle.fill_store_and_forward(),
        Switching::Wormhole => cycle.fill_wormhole(),
    }
}

pub(super) struct Cycle<'a> {
    pub relation: &'a dyn Relation,
    pub numbers: ChannelNumbers,
    pub channels: Vec<u32>,
    /// Position of each channel in the cycle.
    pub positions: HashMap<u32, usize>,
}

/// Preference between two messages; the lower rank is better. The rank is the number of channels on
/// the route and whether the message needs more than one further channel.
pub(super) type Rank = (usize, bool);
type Ranked = (Rank, Holder);

impl Cycle<'_> {
    /// Returns true if a message that may want these channels next waits only for the cycle.
    pub fn waits_for_cycle(&self, next: &[u32]) -> bool {
        !next.is_empty() && next.iter().all(|next| self.positions.contains_key(next))
    }

    /// Returns the rank of a message with this route length and these next channels.
    pub fn rank(&self, walk: &Walk, route: usize, next: &[u32]) -> Result<Rank, RelationError> {
        let after = next.iter().map(|&next| walk.next(next));
        let after = after.collect::<Result<Vec<_>, _>>()?;
        Ok((route, !after.concat().is_empty()))
    }

    pub fn holder(
        &self,
        source: u32,
        destination: u32,
        route: &[u32],
        holds: usize,
        wants: &[u32],
    ) -> Holder {
        let channels = |numbers: &[u32]| {
            let channels = numbers.iter().map(|&number| self.numbers.channel(number));
            channels.collect()
        };
        Holder {
            source,
            destination,
            route: channels(route),
            holds,
            wants: channels(wants),
        }
    }

    /// Places messages backwards from the last one. The last message may pass no channel of the
    /// cycle except its own. The one before it may also pass the channel of the last one, and so
    /// on. Each placed message enlarges the set of allowed channels, so the choice between several
    /// candidates does not matter.
    fn fill_store_and_forward(&self) -> Result<Filling, RelationError> {
        let mut backwards = vec![];
        let mut open: HashSet<u32> = self.channels.iter().copied().collect();
        while !open.is_empty() {
            let last = self.last_messages(&open)?;
            if last.is_empty() {
                return Ok(Filling::No);
            }
            for (channel, (_, holder)) in last {
                open.remove(&channel);
                backwards.push(holder);
            }
        }
        backwards.reverse();
        Ok(Filling::By(backwards))
    }

    /// Returns the best message for each open channel, if there is one. Such a message reaches its
    /// channel through no other open channel. The result is in the reverse order of the cycle.
    fn last_messages(&self, open: &HashSet<u32>) -> Result<Vec<(u32, Ranked)>, RelationError> {
        let mut best: HashMap<u32, Ranked> = HashMap::new();
        for destination in 0..self.relation.topology().nodes() {
            let mut walk = Walk::new(self.relation, destination);
            walk.begin()?;
            while let Some(state) = walk.next_state()? {
                if !open.contains(&state.number) {
                    walk.follow(&state);
                    continue;
                }
                if !self.waits_for_cycle(&state.next) {
                    continue;
                }
                let route = walk.route(state.number);
                let rank = self.rank(&walk, route.len(), &state.next)?;
                if best.get(&state.number).is_none_or(|(old, _)| rank < *old) {
                    let source = self.numbers.channel(route[0]).from.node;
                    let holder = self.holder(source, destination, &route, 1, &state.next);
                    best.insert(state.number, (rank, holder));
                }
            }
            let perfect = |(rank, _): &Ranked| *rank == (1, false);
            if best.len() == open.len() && best.values().all(perfect) {
                break;
            }
        }
        let mut best: Vec<_> = best.into_iter().collect();
        best.sort_by_key(|(channel, _)| std::cmp::Reverse(self.positions[channel]));
        Ok(best)
    }
}
