//! Lists of messages that may deadlock a machine.

use super::Ends;
use interconnect::routing::{Channel, Relation};
use interconnect::traffic::SplitMix64;
use std::collections::BTreeMap;

/// Numbers of repetitions of the messages that fill a cycle.
const REPEATS: [usize; 4] = [2, 4, 8, 16];

/// Messages of each source in a randomly drawn list.
const MESSAGES_PER_SOURCE: [usize; 2] = [4, 16];

/// Product of nodes and draws for one kind of list. Small machines get many draws, large machines
/// few.
const DRAWN_MESSAGES: usize = 512;

/// Returns the lists to try, in this order:
///
/// - the messages that fill the cycle in the graph, repeated
/// - random messages whose routes use two consecutive channels of the cycle
/// - random messages between all nodes
///
/// Each call returns the same lists.
pub fn lists<'a>(
    relation: &'a dyn Relation,
    cycle: &'a [Channel],
    filling: &'a [Ends],
) -> impl Iterator<Item = Vec<Ends>> + 'a {
    let repeated = REPEATS.iter().map(|times| filling.repeat(*times));
    let nodes = relation.topology().nodes();
    let draws = (DRAWN_MESSAGES / nodes as usize).clamp(2, 16) as u64;
    let seeds = move || (1..=draws).flat_map(|seed| MESSAGES_PER_SOURCE.map(|each| (seed, each)));
    // The routes of all pairs are computed only if the first lists do not suffice.
    let through = std::iter::once_with(move || destinations_through(relation, cycle));
    let through = through.flat_map(move |sources| {
        seeds().map(move |(seed, each)| random_list(&sources, each, seed))
    });
    let all = (0..nodes).map(|source| (source, (0..nodes).filter(|to| *to != source).collect()));
    let all: BTreeMap<u32, Vec<u32>> = all.collect();
    let everywhere = seeds().map(move |(seed, each)| random_list(&all, each, seed));
    repeated.chain(through).chain(everywhere)
}

/// Returns for each source the destinations whose routes use two consecutive channels of the cycle.
fn destinations_through(relation: &dyn Relation, cycle: &[Channel]) -> BTreeMap<u32, Vec<u32>> {
    let next = |at: usize| cycle[(at + 1) % cycle.len()];
    let after: BTreeMap<Channel, Channel> =
        (0..cycle.len()).map(|at| (cycle[at], next(at))).collect();
    let nodes = relation.topology().nodes();
    let mut sources: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for source in 0..nodes {
        for destination in 0..nodes {
            let route = relation.route(source, destination);
            let uses = |pair: &[Channel]| after.get(&pair[0]) == Some(&pair[1]);
            if route.windows(2).any(uses) {
                sources.entry(source).or_default().push(destination);
            }
        }
    }
    sources
}

/// Draws `each` messages of each source to random destinations, round-robin over the sources.
fn random_list(sources: &BTreeMap<u32, Vec<u32>>, each: usize, seed: u64) -> Vec<Ends> {
    let mut random = SplitMix64::new(seed);
    let mut list = vec![];
    for _ in 0..each {
        for (source, destinations) in sources {
            let at = random.below(destinations.len() as u64) as usize;
            list.push([*source, destinations[at]]);
        }
    }
    list
}
