//! Messages that fill a cycle of channels, if there are any.
//!
//! What "can be filled" means here. Into an empty network messages are put one after
//! the other. Each goes its way at one stroke, through channels that no earlier one
//! holds, and then rests. In the end all channels of the cycle are held, and whatever
//! any of the messages may want next is one of them. Then none can ever move again.
//!
//! That a message rests although it could go on stands for a network without fixed
//! speeds; the paper's Definition 6 knows no time either. A synchronous machine has its
//! own: whether the list stops it, only a run can say. If each message begins with its
//! channel of the cycle ([`Filling::begins_in_it`]), and all sources begin together,
//! none has to rest.
//!
//! Within this meaning the search is exact, or says that it gave up. Messages that step
//! aside and let others pass are outside of it.

use super::walk::{Numbers, Walk};
use super::{Channel, Relation, RelationError};
use std::collections::{HashMap, HashSet};

/// How much of the network a message holds that can't go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// The one channel that it lies in, whole: store and forward. Its source is free
    /// for the next message.
    Whole,
    /// All channels from its source to its head, and the source's way into the
    /// network: a worm that is longer than these can take.
    Stretched,
}

/// What was found about a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// These messages fill it, put in in this order.
    By(Vec<Holder>),
    /// No messages do.
    No,
    /// There are too many ways to try all of them.
    Unknown,
}

/// A message that holds a part of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub source: u32,
    pub destination: u32,
    /// The channels from its source to its head.
    pub route: Vec<Channel>,
    /// The last so many of them it holds, 1 at least. A worm must be longer than what
    /// as many channels take; how long that is the network knows.
    pub holds: usize,
    /// What it may want next, all of it held.
    pub wants: Vec<Channel>,
}

impl Filling {
    /// Every message begins with a channel of the cycle, and no two have one source.
    pub fn begins_in_it(&self, cycle: &[Channel]) -> bool {
        let mut sources = HashSet::new();
        let Filling::By(holders) = self else {
            return false;
        };
        holders
            .iter()
            .all(|holder| cycle.contains(&holder.route[0]) && sources.insert(holder.source))
    }
}

/// Messages that fill a cycle of channels.
///
/// # Errors
/// If the relation is at fault.
pub fn fill(
    relation: &dyn Relation,
    cycle: &[Channel],
    holding: Holding,
) -> Result<Filling, RelationError> {
    let numbers = Numbers::of(relation.topology());
    let channels: Vec<u32> = cycle.iter().map(|&c| numbers.number(c)).collect();
    let cycle = Cycle {
        relation,
        numbers,
        places: channels.iter().copied().zip(0..).collect(),
        channels,
    };
    match holding {
        Holding::Whole => cycle.fill_whole(),
        Holding::Stretched => cycle.fill_stretched(),
    }
}

pub(super) struct Cycle<'a> {
    pub relation: &'a dyn Relation,
    pub numbers: Numbers,
    pub channels: Vec<u32>,
    /// Where in it a channel stands.
    pub places: HashMap<u32, usize>,
}

/// Which of two messages is the better: how many channels it has come through, and
/// whether it is not home after the next.
pub(super) type Rank = (usize, bool);
type Ranked = (Rank, Holder);

impl Cycle<'_> {
    /// A message that may want these next waits for the cycle only.
    pub fn waits(&self, next: &[u32]) -> bool {
        !next.is_empty() && next.iter().all(|next| self.places.contains_key(next))
    }

    /// Of a message that has come through so many channels and may want these next.
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

    /// Backwards from the last message: it may go through no channel of the cycle but
    /// its own; the one before it through that of the last one, too; and so on. The
    /// fewer others there are the more is allowed, so that it does not matter which of
    /// several is taken first.
    fn fill_whole(&self) -> Result<Filling, RelationError> {
        let mut backwards = vec![];
        let mut open: HashSet<u32> = self.channels.iter().copied().collect();
        while !open.is_empty() {
            let last = self.placed_last(&open)?;
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

    /// For each of the open channels the best message that comes to it through none of
    /// the others, where there is one; in the opposite order of the cycle.
    fn placed_last(&self, open: &HashSet<u32>) -> Result<Vec<(u32, Ranked)>, RelationError> {
        let mut best: HashMap<u32, Ranked> = HashMap::new();
        for destination in 0..self.relation.topology().nodes() {
            let mut walk = Walk::new(self.relation, destination);
            walk.begin()?;
            while let Some(state) = walk.look()? {
                if !open.contains(&state.number) {
                    walk.follow(&state);
                    continue;
                }
                if !self.waits(&state.next) {
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
        best.sort_by_key(|(channel, _)| std::cmp::Reverse(self.places[channel]));
        Ok(best)
    }
}
