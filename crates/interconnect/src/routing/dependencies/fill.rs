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

use super::{Channel, ChannelNumbers, Relation, RelationError, Walk};
use std::collections::{BTreeMap, HashMap, HashSet};

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
    let channels = cycle.iter().map(|&channel| numbers.number(channel));
    let channels = channels.collect::<Result<Vec<u32>, _>>()?;
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
        Holder { source, destination, route: channels(route), holds, wants: channels(wants) }
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

// Filling a cycle with worms. A worm holds all channels between its source and its head.

/// Maximum number of channels visited in the search for worms.
const MAX_VISITS: usize = 1 << 24;
/// Maximum number of worms kept for the same positions of the cycle.
const MAX_WORMS: usize = 64;
/// Maximum number of worms tried in the search for compatible ones.
const MAX_TRIES: usize = 1 << 20;

/// A worm that waits only for channels of the cycle.
struct Worm {
    rank: Rank,
    /// Channels that the worm holds outside the cycle.
    outside: Vec<u32>,
    holder: Holder,
}

/// Worms, indexed by the positions of the cycle that they hold, ascending.
#[derive(Default)]
struct Worms {
    by_positions: BTreeMap<Vec<usize>, Vec<Worm>>,
    /// Maximum number of channels that a worm holds.
    longest: usize,
    steps: usize,
    /// True if some worms were omitted.
    incomplete: bool,
}

/// Compatible worms.
#[derive(Default)]
struct ChosenWorms {
    positions: HashSet<usize>,
    outside: HashSet<u32>,
    sources: HashSet<u32>,
    holders: Vec<Holder>,
    tries: usize,
}

impl Cycle<'_> {
    /// Tries worms of one channel first, then all worms that begin in the cycle, then all worms.
    pub fn fill_wormhole(&self) -> Result<Filling, RelationError> {
        let mut exhausted = true;
        for (from_outside, longest) in [(false, 1), (false, usize::MAX), (true, usize::MAX)] {
            let worms = self.worms(from_outside, longest)?;
            let mut parts: Vec<_> = worms.by_positions.iter().collect();
            parts.sort_by_key(|(places, _)| places.len());
            let mut chosen = ChosenWorms::default();
            if self.choose(&parts, &mut chosen) {
                return Ok(Filling::By(chosen.holders));
            }
            exhausted = !worms.incomplete && chosen.tries < MAX_TRIES;
        }
        Ok(match exhausted {
            true => Filling::No,
            false => Filling::Unknown,
        })
    }

    /// Covers the remaining positions of the cycle, each by one worm.
    fn choose(&self, parts: &[(&Vec<usize>, &Vec<Worm>)], chosen: &mut ChosenWorms) -> bool {
        let mut places = 0..self.channels.len();
        let Some(lowest) = places.find(|place| !chosen.positions.contains(place)) else {
            return true;
        };
        for (places, worms) in parts {
            let free = |place| !chosen.positions.contains(place);
            if !places.contains(&lowest) || !places.iter().all(free) {
                continue;
            }
            for worm in *worms {
                chosen.tries += 1;
                if chosen.tries >= MAX_TRIES {
                    return false;
                }
                if chosen.sources.contains(&worm.holder.source)
                    || worm.outside.iter().any(|c| chosen.outside.contains(c))
                {
                    continue;
                }
                chosen.put(places, worm);
                if self.choose(parts, chosen) {
                    return true;
                }
                chosen.take(places, worm);
            }
        }
        false
    }

    /// Returns the worms of all pairs, or only of sources at the cycle, with at most `longest`
    /// channels.
    fn worms(&self, from_outside: bool, longest: usize) -> Result<Worms, RelationError> {
        let mut worms = Worms { longest, ..Default::default() };
        let mut sources: Vec<u32> = match from_outside {
            true => (0..self.relation.topology().nodes()).collect(),
            false => {
                let from = |&number: &u32| self.numbers.channel(number).from.node;
                self.channels.iter().map(from).collect()
            }
        };
        sources.sort_unstable();
        sources.dedup();
        for destination in 0..self.relation.topology().nodes() {
            let walk = Walk::new(self.relation, destination);
            for &source in &sources {
                if source == destination {
                    continue;
                }
                for first in walk.first(source)? {
                    if from_outside || self.positions.contains_key(&first) {
                        self.grow(&walk, source, &mut vec![first], &mut worms)?;
                    }
                }
            }
        }
        Ok(worms)
    }

    /// Records the worm if it waits for the cycle, and extends it from its head.
    fn grow(
        &self,
        walk: &Walk,
        source: u32,
        route: &mut Vec<u32>,
        worms: &mut Worms,
    ) -> Result<(), RelationError> {
        worms.steps += 1;
        if worms.steps > MAX_VISITS {
            worms.incomplete = true;
            return Ok(());
        }
        let (head, tail) = route.split_last().expect("a worm has a head");
        if tail.contains(head) {
            return Ok(()); // The worm would hold one position twice.
        }
        let next = walk.next(*head)?;
        let mut places: Vec<usize> =
            route.iter().filter_map(|c| self.positions.get(c).copied()).collect();
        if !places.is_empty() && self.waits_for_cycle(&next) {
            places.sort_unstable();
            let mut outside = route.clone();
            outside.retain(|c| !self.positions.contains_key(c));
            let worm = Worm {
                rank: self.rank(walk, route.len(), &next)?,
                outside,
                holder: self.holder(source, walk.destination, route, route.len(), &next),
            };
            worms.keep(places, worm);
        }
        if route.len() == worms.longest {
            return Ok(());
        }
        for next in next {
            route.push(next);
            self.grow(walk, source, route, worms)?;
            route.pop();
        }
        Ok(())
    }
}

impl Worms {
    /// Keeps the best of the worms that hold the same channels.
    fn keep(&mut self, places: Vec<usize>, worm: Worm) {
        let kept = self.by_positions.entry(places).or_default();
        let same =
            |old: &Worm| old.holder.source == worm.holder.source && old.outside == worm.outside;
        match kept.iter().position(same) {
            Some(old) if worm.rank < kept[old].rank => kept[old] = worm,
            Some(_) => {}
            None if kept.len() < MAX_WORMS => kept.push(worm),
            None => self.incomplete = true,
        }
    }
}

impl ChosenWorms {
    fn put(&mut self, places: &[usize], worm: &Worm) {
        self.positions.extend(places);
        self.outside.extend(&worm.outside);
        self.sources.insert(worm.holder.source);
        self.holders.push(worm.holder.clone());
    }

    fn take(&mut self, places: &[usize], worm: &Worm) {
        places.iter().for_each(|place| {
            self.positions.remove(place);
        });
        worm.outside.iter().for_each(|channel| {
            self.outside.remove(channel);
        });
        self.sources.remove(&worm.holder.source);
        self.holders.pop();
    }
}
