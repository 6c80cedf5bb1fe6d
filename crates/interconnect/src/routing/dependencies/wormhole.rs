//! Filling a cycle with worms. A worm holds all channels between its source and its head.

use super::fill::{Cycle, Filling, Holder, Rank};
use super::walk::Walk;
use super::RelationError;
use std::collections::{BTreeMap, HashSet};

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
        let mut worms = Worms {
            longest,
            ..Default::default()
        };
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
        let mut places: Vec<usize> = route
            .iter()
            .filter_map(|c| self.positions.get(c).copied())
            .collect();
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
