//! Random relations on four nodes, checked by exhaustive search.

use super::*;
use crate::topology::Topology;
use crate::traffic::SplitMix64;

/// Four nodes with two ports each. A table gives the output port for each node, input port if any,
/// and destination.
#[derive(Debug)]
struct RandomNetwork {
    to: [[u32; 2]; 4],
    /// Indexed by destination, node, and 0 for a source or the number of the previous channel.
    port: Vec<[[u32; 9]; 4]>,
}

impl Topology for RandomNetwork {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn nodes(&self) -> u32 {
        4
    }

    fn ports(&self) -> u32 {
        2
    }

    fn peer(&self, PortEnd { node, port }: PortEnd) -> PortEnd {
        let node = self.to[node as usize][port as usize];
        PortEnd { node, port }
    }
}

impl RandomNetwork {
    fn new(random: &mut SplitMix64) -> Self {
        let mut draw = |n: u32| random.below(n.into()) as u32;
        loop {
            // A ring makes every node reachable. The second port leads anywhere.
            let to = [0, 1, 2, 3].map(|node| [(node + 1) % 4, (node + 1 + draw(3)) % 4]);
            let mut network = RandomNetwork { to, port: vec![] };
            let tables = (0..4).map(|_| [[0; 9]; 4].map(|row| row.map(|_: u32| draw(2))));
            network.port = tables.collect();
            let pairs = (0..16).map(|pair| (pair / 4, pair % 4));
            if pairs.into_iter().all(|(s, d)| network.arrives(s, d)) {
                return network;
            }
        }
    }

    fn arrives(&self, source: u32, destination: u32) -> bool {
        let mut next = self.first(source, destination);
        for _ in 0..8 {
            match next.first() {
                Some(&channel) => next = self.next(channel, destination),
                None => return true,
            }
        }
        next.is_empty()
    }

    fn leaves(&self, node: u32, before: usize, destination: u32) -> Vec<Channel> {
        if node == destination {
            return vec![];
        }
        let port = self.port[destination as usize][node as usize][before];
        let from = PortEnd { node, port };
        vec![Channel { from, vc: 0 }]
    }
}

impl Relation for RandomNetwork {
    fn topology(&self) -> &dyn Topology {
        self
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.leaves(source, 0, destination)
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let PortEnd { node, port } = channel.from;
        let before = 1 + 2 * node + port;
        self.leaves(self.peer(channel.from).node, before as usize, destination)
    }
}

/// Returns the channels of the route of each pair, without pairs that need no channel.
fn routes(network: &RandomNetwork) -> Vec<(u32, u32, Vec<Channel>)> {
    let pairs = (0..16).map(|pair| (pair / 4, pair % 4));
    let routes = pairs.map(|(s, d)| (s, d, network.route(s, d)));
    routes.filter(|(_, _, route)| !route.is_empty()).collect()
}

/// Tries for each source no worm, and every part of every route from it that waits for the cycle.
fn worms_fill(
    cycle: &[Channel],
    routes: &[(u32, u32, Vec<Channel>)],
    source: u32,
    held: &[Channel],
) -> bool {
    if source == 4 {
        return cycle.iter().all(|channel| held.contains(channel));
    }
    if worms_fill(cycle, routes, source + 1, held) {
        return true;
    }
    let own = routes.iter().filter(|(from, _, _)| *from == source);
    own.into_iter().any(|(_, _, route)| {
        (1..route.len()).any(|length| {
            let (body, rest) = route.split_at(length);
            let repeats = (1..length).any(|i| body[..i].contains(&body[i]));
            let all = [held, body].concat();
            let useful = body.iter().any(|channel| cycle.contains(channel));
            !repeats
                && useful
                && cycle.contains(&rest[0])
                && body.iter().all(|channel| !held.contains(channel))
                && worms_fill(cycle, routes, source + 1, &all)
        })
    })
}

/// Tries to fill the channels one by one, in every possible order.
fn messages_fill(cycle: &[Channel], routes: &[(u32, u32, Vec<Channel>)], held: &[Channel]) -> bool {
    let open = cycle.iter().filter(|channel| !held.contains(channel));
    held.len() == cycle.len()
        || open.into_iter().any(|&channel| {
            let comes = |(_, _, route): &(u32, u32, Vec<Channel>)| {
                (0..route.len() - 1).any(|place| {
                    route[place] == channel
                        && cycle.contains(&route[place + 1])
                        && route[..=place].iter().all(|c| !held.contains(c))
                })
            };
            routes.iter().any(comes) && messages_fill(cycle, routes, &[held, &[channel]].concat())
        })
}

#[test]
fn a_filling_is_found_exactly_if_one_exists() {
    let mut random = SplitMix64::new(1);
    let mut seen: HashMap<(&str, bool), u32> = HashMap::new();
    for _ in 0..400 {
        let network = RandomNetwork::new(&mut random);
        let graph = graph(&network);
        let Some(cycle) = graph.shortest_cycle() else {
            continue;
        };
        let routes = routes(&network);
        for (kind, holding, expected) in [
            ("whole", Switching::StoreAndForward, messages_fill(&cycle, &routes, &[])),
            ("worms", Switching::Wormhole, worms_fill(&cycle, &routes, 0, &[])),
        ] {
            let filling = fill(&network, &cycle, holding).unwrap();
            match &filling {
                Filling::By(holders) => replay(&network, &cycle, holders, holding),
                Filling::No => {}
                Filling::Unknown => panic!("gave up"),
            }
            let found = matches!(filling, Filling::By(_));
            assert_eq!(found, expected, "{holding:?} {cycle:?} {network:?}");
            *seen.entry((kind, found)).or_default() += 1;
        }
    }
    // Both answers occur for worms.
    assert!(seen[&("worms", true)] > 20 && seen[&("worms", false)] > 10, "{seen:?}");
    assert!(seen[&("whole", true)] > 20, "{seen:?}");
}
