//! Total exchange on the metacube: every node sends to every other node (metacube-total-exchange,
//! section 3).
//!
//! All nodes send to the same sequence of [offsets](super::offset) and take the same links, in
//! lockstep. In a pair of phases all links of one number are open, first in one direction, then in
//! the other. Each node with one UART can then send one message and receive one. A [`ExchangePlan`] gives
//! the link number of each pair, and the offset whose messages cross these links. There are three
//! plans:
//!
//! * [`lockstep_plan`]: offset by offset, and each pair opens the links that the messages take next.
//!   Every node sends in every pair, so no plan is faster. The phase clock must follow the plan, so
//!   its order of links is programmed;
//! * [`cyclic_plan`]: offset by offset with the pairs in a fixed order, so messages wait;
//! * [`pipelined_plan`]: the same order, with several offsets in flight.

use super::{next_link, offset};
use crate::topology::Metacube;
use crate::traffic::ExchangeOrder;
use std::collections::{BTreeMap, BTreeSet};

/// Action of all nodes in a pair of phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePair {
    /// Number of the links that are open.
    pub link: u32,
    /// Offset from source to destination of the messages that cross the links, or `None` if no node
    /// sends.
    pub offset: Option<u32>,
}

/// Actions of all nodes from the beginning to the end of an exchange.
pub type ExchangePlan = Vec<PhasePair>;

/// Returns the offsets to all nodes in the order of Algorithm 1, 0 first. The loop variables of the
/// algorithm are the class and the fields, seen from the destination.
pub fn offsets(metacube: Metacube) -> impl Iterator<Item = u32> {
    let seen_from_source =
        move |loops| offset::permute_fields(metacube, loops, metacube.class(loops));
    (0..metacube.nodes()).map(seen_from_source)
}

/// Returns the destinations of a node's messages in the order of [`offsets`], the node itself
/// first. In each step all nodes send to the same offset, in lockstep over links of equal numbers.
pub fn destinations(metacube: Metacube, source: u32) -> Vec<u32> {
    let destination = |offset| offset::destination(metacube, source, offset);
    offsets(metacube).map(destination).collect()
}

/// Returns the links to this offset by the memoryless rule that the circuits follow.
pub fn memoryless_route(metacube: Metacube, offset: u32) -> Vec<u32> {
    let mut here = 0;
    let step = || {
        let link = next_link(metacube, here, offset)?;
        here = metacube.neighbour(here, link);
        Some(link)
    };
    std::iter::from_fn(step).collect()
}

/// Returns the number of steps in which two messages use a link in the same direction, and the
/// number of all steps. In each step all nodes send to one offset by the links that `walk` gives.
pub fn colliding_steps(metacube: Metacube, walk: impl Fn(u32) -> Vec<u32>) -> [usize; 2] {
    let collides = |offset: &u32| {
        let links = walk(*offset);
        let mut held = BTreeSet::new();
        let mut twice = false;
        for source in 0..metacube.nodes() {
            let mut here = source;
            for link in &links {
                twice |= !held.insert((here, *link));
                here = metacube.neighbour(here, *link);
            }
        }
        twice
    };
    let steps: Vec<u32> = offsets(metacube).skip(1).collect();
    [steps.iter().filter(|offset| collides(offset)).count(), steps.len()]
}

/// Returns the plan in lockstep, with the links that `walk` gives for each offset.
pub fn lockstep_plan(metacube: Metacube, walk: impl Fn(u32) -> Vec<u32>) -> ExchangePlan {
    let pairs = |offset| {
        let pair = move |link| PhasePair { link, offset: Some(offset) };
        walk(offset).into_iter().map(pair)
    };
    offsets(metacube).flat_map(pairs).collect()
}

/// Returns the plan offset by offset in fixed superframes with ascending links. Each offset begins
/// with a superframe.
pub fn cyclic_plan(metacube: Metacube, walk: impl Fn(u32) -> Vec<u32>) -> ExchangePlan {
    let mut plan = vec![];
    for offset in offsets(metacube) {
        let mut links = walk(offset).into_iter().peekable();
        while links.peek().is_some() {
            plan.extend(
                (0..metacube.links()).map(|link| PhasePair {
                    link,
                    offset: links.next_if_eq(&link).map(|_| offset),
                }),
            );
        }
    }
    plan
}

/// Returns the links of a plan, one per pair, as a phase clock is programmed with them.
pub fn plan_links(plan: &[PhasePair]) -> Vec<u32> {
    plan.iter().map(|pair| pair.link).collect()
}

/// Returns the offsets of a plan in the order of their first crossing, each with the pair of that
/// crossing, counted from 0.
pub fn first_pairs(plan: &[PhasePair]) -> Vec<(u32, usize)> {
    let mut known = BTreeSet::new();
    let pairs = plan.iter().enumerate();
    let moving = pairs.filter_map(|(pair, at)| Some((at.offset?, pair)));
    moving.filter(|(offset, _)| known.insert(*offset)).collect()
}

/// For each offset, the remaining offset after each link that leads nearer.
#[derive(Debug)]
pub struct ProductiveLinks {
    metacube: Metacube,
    remaining: Vec<Vec<Option<u32>>>,
}

impl ProductiveLinks {
    pub fn new(metacube: Metacube) -> Self {
        let far = |offset| metacube.distance(0, offset);
        let distances: Vec<u32> = (0..metacube.nodes()).map(far).collect();
        let behind = |offset, link| {
            let left = offset::after_link(metacube, offset, link);
            (distances[left as usize] < distances[offset as usize]).then_some(left)
        };
        let links = |offset| (0..metacube.links()).map(|link| behind(offset, link)).collect();
        ProductiveLinks { metacube, remaining: (0..metacube.nodes()).map(links).collect() }
    }

    /// Returns the remaining offsets, indexed by link.
    fn remaining_offsets(&self, offset: u32) -> &[Option<u32>] {
        &self.remaining[offset as usize]
    }

    /// Returns the shortest path to this offset that ends first if links are open in ascending
    /// order.
    pub fn earliest_path(&self, offset: u32) -> Vec<u32> {
        // Possible remaining offsets after some pairs, and the links that lead to each.
        let mut reached = BTreeMap::from([(offset, vec![])]);
        let mut link = 0;
        loop {
            if let Some(walk) = reached.remove(&0) {
                return walk;
            }
            let crossed = reached.iter().filter_map(|(&left, walk)| {
                let behind = self.remaining_offsets(left)[link as usize]?;
                Some((behind, [&walk[..], &[link]].concat()))
            });
            for (left, walk) in crossed.collect::<Vec<_>>() {
                reached.entry(left).or_insert(walk);
            }
            link = (link + 1) % self.metacube.links();
        }
    }
}

/// Messages of one offset that are in flight.
struct InFlightOffset {
    offset: u32,
    left: u32,
    /// Number of cross edges passed.
    crossed: u32,
    /// Buffer of the messages, by link and number of cross edges passed before it. `None` while the
    /// hosts still have them.
    buffer: Option<(u32, u32)>,
}

/// Returns the plan in fixed superframes with ascending links and up to `window` offsets in flight.
///
/// An offset and its complement follow each other. Messages take shortest paths. If several offsets
/// could cross a link, the one with the fewest alternative links crosses it. The oldest wins a tie.
/// A buffer holds one message. Buffers are identified by link and number of cross edges passed
/// before it.
///
/// Returns `None` if the messages wait for each other, or the window is 0.
pub fn pipelined_plan(nearer: &ProductiveLinks, window: usize) -> Option<ExchangePlan> {
    let metacube = nearer.metacube;
    let mut waiting = ExchangeOrder::Pairs.offsets(metacube.nodes()).into_iter().peekable();
    let mut under_way: Vec<InFlightOffset> = vec![];
    let mut plan = vec![];
    let mut idle = 0;
    for link in (0..metacube.links()).cycle() {
        let room = window - under_way.len();
        under_way.extend(waiting.by_ref().take(room).map(|offset| InFlightOffset {
            offset,
            left: offset,
            crossed: 0,
            buffer: None,
        }));
        if under_way.is_empty() && waiting.peek().is_none() {
            break;
        }
        let is_free = |register| under_way.iter().all(|other| other.buffer != Some(register));
        let may_cross = |&place: &usize| {
            let message = &under_way[place];
            nearer.remaining_offsets(message.left)[link as usize].is_some()
                && is_free((link, message.crossed))
        };
        let alternatives = |&place: &usize| {
            nearer.remaining_offsets(under_way[place].left).iter().flatten().count()
        };
        let chosen = (0..under_way.len()).filter(may_cross).min_by_key(alternatives);
        plan.push(PhasePair { link, offset: chosen.map(|place| under_way[place].offset) });
        idle += 1;
        if let Some(place) = chosen {
            idle = 0;
            let message = &mut under_way[place];
            message.buffer = Some((link, message.crossed));
            message.crossed += u32::from(metacube.is_cross(link));
            message.left = nearer.remaining_offsets(message.left)[link as usize]?;
            if message.left == 0 {
                under_way.remove(place);
            }
        }
        if idle > metacube.links() {
            return None;
        }
    }
    Some(plan)
}
