//! Tests of the dependency graph, its order, its cycles and their filling, on relations with known
//! answers.

mod networks;
mod random;

use super::*;
use crate::routing::hypercube::{self, ECube};
use crate::topology::Hypercube;
use networks::{Hub, Mesh, Spiral, TestRotation, TestTorus};
use std::collections::{HashMap, HashSet};

/// Derives the edges of the graph independently, from all routes of all pairs. For relations
/// without choice.
fn edges_of_routes(relation: &dyn Relation) -> HashSet<(Channel, Channel)> {
    let nodes = relation.topology().nodes();
    let pairs = (0..nodes).flat_map(|s| (0..nodes).map(move |d| (s, d)));
    let routes = pairs.map(|(source, destination)| relation.route(source, destination));
    let edges = |route: Vec<Channel>| -> Vec<_> {
        let pairs = route.windows(2);
        pairs.map(|pair| (pair[0], pair[1])).collect()
    };
    routes.flat_map(edges).collect()
}

/// The product is computed without overflow: 2^32 numbers, and 2^16 times 2^16 times 2.
#[test]
fn channel_numbers_do_not_wrap() {
    let numbers = |nodes, ports| ChannelNumbers { nodes, ports };
    let channel = |node, port, vc| Channel::new(PortEnd { node, port }, vc);
    let largest = numbers(1 << 12, 1 << 11);
    let last = channel((1 << 12) - 1, (1 << 11) - 1, 1);
    assert_eq!(largest.number(last), Ok(MAX_CHANNELS - 1));
    assert_eq!(largest.channel(MAX_CHANNELS - 1), last);
    for (numbers, vc, channels) in [
        (largest, 2, 3 << 23),
        (numbers(1 << 16, 1 << 16), 0, 1 << 32),
        (numbers(1 << 16, (1 << 16) - 1), 1, ((1 << 16) - 1) << 17),
        (numbers(u32::MAX, u32::MAX), u32::MAX, u128::from(u32::MAX).pow(2) << 32),
    ] {
        let (nodes, ports) = (numbers.nodes, numbers.ports);
        let expected = RelationError::TooManyChannels { nodes, ports, vc, channels };
        assert_eq!(numbers.number(channel(0, 0, vc)), Err(expected));
    }
}

/// Searches for a cycle independently, depth first.
fn has_cycle(edges: &HashSet<(Channel, Channel)>) -> bool {
    fn closes(
        at: Channel,
        next: &HashMap<Channel, Vec<Channel>>,
        done: &mut HashMap<Channel, bool>,
    ) -> bool {
        if let Some(done) = done.get(&at) {
            return !done;
        }
        done.insert(at, false);
        let closed =
            next.get(&at).into_iter().flatten().any(|&next_one| closes(next_one, next, done));
        done.insert(at, true);
        closed
    }
    let mut next: HashMap<Channel, Vec<Channel>> = HashMap::new();
    for &(from, to) in edges {
        next.entry(from).or_default().push(to);
    }
    let mut done = HashMap::new();
    next.keys().any(|&at| closes(at, &next, &mut done))
}

/// Computes the length of a shortest cycle independently, from the channels that can be reached in
/// a number of steps.
fn girth(edges: &HashSet<(Channel, Channel)>) -> usize {
    let around = |&(start, first): &(Channel, Channel)| {
        let mut reached = HashSet::from([first]);
        (1..=edges.len()).find(|_| {
            let back = reached.contains(&start);
            let next = edges.iter().filter(|(from, _)| reached.contains(from));
            reached = next.map(|(_, to)| *to).collect();
            back
        })
    };
    edges.iter().filter_map(around).min().unwrap()
}

/// Returns the graph of a relation without choice, checked against its routes.
fn graph(relation: &dyn Relation) -> DependencyGraph {
    let graph = DependencyGraph::of(relation).unwrap();
    let channels = graph.channels();
    let after = |&from: &Channel| {
        let next = graph.successors(from).into_iter();
        next.map(move |to| (from, to)).collect::<Vec<_>>()
    };
    let edges: HashSet<_> = channels.iter().flat_map(after).collect();
    let expected = edges_of_routes(relation);
    assert_eq!(edges, expected);
    assert_eq!(graph.edges(), edges.len());
    assert!(!graph.adaptive());
    match graph.order() {
        Some(order) => {
            assert!(!has_cycle(&expected));
            graph.check_order(&order).unwrap();
            assert!(graph.shortest_cycle().is_none());
        }
        None => {
            assert!(has_cycle(&expected));
            let cycle = graph.shortest_cycle().unwrap();
            assert_eq!(cycle.len(), girth(&expected));
            let ends = cycle.iter().zip(cycle.iter().cycle().skip(1));
            assert!(ends.into_iter().all(|(&a, &b)| expected.contains(&(a, b))));
        }
    }
    graph
}

/// Enters the messages one by one by the rules of the relation alone. Checks that none can move and
/// that the cycle is full.
fn replay(relation: &dyn Relation, cycle: &[Channel], holders: &[Holder], holding: Switching) {
    let mut held = HashSet::new();
    let mut sources = HashSet::new();
    for holder in holders {
        let Holder { route, holds, .. } = holder;
        let (from, to) = (holder.source, holder.destination);
        assert!(relation.first(from, to).contains(&route[0]));
        for pair in route.windows(2) {
            assert!(relation.next(pair[0], to).contains(&pair[1]));
        }
        assert!(route.iter().all(|channel| !held.contains(channel)));
        match holding {
            Switching::StoreAndForward => assert_eq!(*holds, 1),
            Switching::Wormhole => {
                assert_eq!(*holds, route.len());
                assert!(sources.insert(from), "two worms of one source");
            }
        }
        for channel in &route[route.len() - holds..] {
            assert!(held.insert(*channel));
        }
    }
    for holder in holders {
        let head = *holder.route.last().unwrap();
        let next = relation.next(head, holder.destination);
        assert!(!next.is_empty(), "it is home");
        assert!(next.iter().all(|channel| held.contains(channel)));
        assert_eq!(next, holder.wants);
    }
    assert!(cycle.iter().all(|channel| held.contains(channel)));
}

/// Returns the shortest cycle and the messages that fill it. Checks that both kinds of messages
/// fill it, each from its first channel.
fn filled_cycle(relation: &dyn Relation) -> (Vec<Channel>, Vec<(u32, u32)>) {
    let mut lists = vec![];
    for holding in [Switching::StoreAndForward, Switching::Wormhole] {
        let DeadlockVerdict::Cyclic { cycle, filling, adaptive: false } =
            check_deadlock(relation, holding).unwrap()
        else {
            panic!("acyclic, or of the other kind");
        };
        assert!(filling.starts_in_cycle(&cycle));
        let Filling::By(holders) = filling else {
            panic!("not filled");
        };
        replay(relation, &cycle, &holders, holding);
        let mut list: Vec<_> = holders.iter().map(|h| (h.source, h.destination)).collect();
        list.sort_unstable();
        lists.push((cycle, list));
    }
    assert_eq!(lists[0], lists[1]);
    lists.remove(0)
}

/// Dimension order is free of deadlock, and the order of the channels is the certificate. The test
/// also checks it hop by hop, without the graph.
#[test]
fn ecube_routing_is_acyclic() {
    for dims in 1..=8 {
        let cube = Hypercube::new(dims).unwrap();
        let relation = ECube(cube);
        let order = match dims {
            1..=6 => graph(&relation).order().unwrap(),
            _ => match check_deadlock(&relation, Switching::StoreAndForward).unwrap() {
                DeadlockVerdict::Acyclic { order } => order,
                cyclic => panic!("{cyclic:?}"),
            },
        };
        assert_eq!(order.len(), 2 * cube.link_count());
        let places: HashMap<_, _> = order.iter().map(|c| c.from).zip(0..).collect();
        for source in cube.addresses() {
            for destination in cube.addresses() {
                let hops = hypercube::hops(source, destination);
                let place = hops.map(|(node, port, _)| places[&PortEnd { node, port }]);
                assert!(place.is_sorted_by(|earlier, later| earlier < later));
            }
        }
    }
}

/// A ring of 4 nodes deadlocks if each sends to the opposite one (torus-routing-chip, Figure 1).
#[test]
fn a_ring_of_4_deadlocks() {
    let ring = TestTorus::new(4, 1, false);
    assert_eq!(graph(&ring).channels().len(), 4);
    let (cycle, list) = filled_cycle(&ring);
    assert_eq!(cycle.len(), 4);
    assert_eq!(list, [(0, 2), (1, 3), (2, 0), (3, 1)]);
}

/// Order of section 3 for the rule of section 3. No message can use the printed channel c13.
#[test]
fn the_spiral_has_the_order_of_the_paper() {
    let spiral = Spiral::new(4);
    let order = graph(&spiral).order().unwrap();
    let names: Vec<_> = order.iter().map(|c| (c.vc, c.from.node)).collect();
    assert_eq!(names, [(1, 2), (1, 1), (1, 0), (0, 3), (0, 2), (0, 1)]);
}

/// With two virtual channels and the change at node 0, no torus has a cycle. A ring uses 2k - 2 of
/// its 2k virtual channels.
#[test]
fn two_virtual_channels_break_the_cycles_of_a_torus() {
    for (k, n) in [(2, 1), (3, 1), (4, 1), (8, 1), (2, 2), (3, 2), (4, 2), (3, 3)] {
        let graph = graph(&TestTorus::new(k, n, true));
        assert!(graph.order().is_some(), "{k}-ary {n}-cube");
        let rings = n * k.pow(n - 1);
        assert_eq!(graph.channels().len() as u32, rings * (2 * k - 2));
    }
}

#[test]
fn one_virtual_channel_is_enough_for_2_nodes_in_a_ring_and_not_for_3() {
    for n in [1, 2, 3] {
        assert!(graph(&TestTorus::new(2, n, false)).order().is_some());
    }
    for (k, n) in [(3, 1), (8, 1), (3, 2), (4, 2), (5, 2)] {
        let torus = TestTorus::new(k, n, false);
        assert!(graph(&torus).order().is_none());
        let (cycle, list) = filled_cycle(&torus);
        assert_eq!((cycle.len() as u32, list.len() as u32), (k, k));
    }
}

/// Hexagon of minimal rotation, with its six messages. The cube has four hexagons, which differ by
/// an offset of all addresses.
#[test]
fn minimal_rotation_deadlocks_in_a_hexagon() {
    let rotation = TestRotation::new(3, false);
    assert!(graph(&rotation).order().is_none());
    let known = [(0, 3), (2, 7), (3, 5), (4, 2), (5, 0), (7, 4)];
    let (cycle, list) = filled_cycle(&rotation);
    assert_eq!(cycle.len(), 6);
    let by_offset = |offset: u32| {
        let mut list = known.map(|(from, to)| (from ^ offset, to ^ offset));
        list.sort_unstable();
        list
    };
    assert!((0..8).any(|offset| list == by_offset(offset)), "{list:?}");
    let ends = [(0, 1), (2, 0), (3, 2), (7, 1), (5, 0), (4, 2)];
    let hexagon = ends.map(|(node, port)| Channel { from: PortEnd { node, port }, vc: 0 });
    let Filling::By(holders) = fill(&rotation, &hexagon, Switching::Wormhole).unwrap() else {
        panic!("not filled");
    };
    let mut list: Vec<_> = holders.iter().map(|h| (h.source, h.destination)).collect();
    list.sort_unstable();
    assert_eq!(list, known);
    for k in 2..=6 {
        assert!(graph(&TestRotation::new(k, true)).order().is_some());
        assert_eq!(graph(&TestRotation::new(k, false)).order().is_none(), k >= 3);
    }
}

/// All traffic enters the ring through one channel. Worms that hold this channel keep each other
/// out, so they can never fill the cycle. Short messages enter one by one and fill it.
#[test]
fn a_cycle_that_worms_cannot_fill_is_reported() {
    let cycle_and = |filling| {
        let ring = (0..4).map(|node| Channel { from: PortEnd { node, port: 0 }, vc: 0 });
        DeadlockVerdict::Cyclic { cycle: ring.collect(), filling, adaptive: false }
    };
    graph(&Hub);
    let worms = check_deadlock(&Hub, Switching::Wormhole).unwrap();
    assert_eq!(worms, cycle_and(Filling::No));
    let DeadlockVerdict::Cyclic { cycle, filling, adaptive: false } =
        check_deadlock(&Hub, Switching::StoreAndForward).unwrap()
    else {
        panic!("acyclic, or of the other kind");
    };
    assert!(!filling.starts_in_cycle(&cycle));
    let Filling::By(holders) = filling else {
        panic!("not filled");
    };
    replay(&Hub, &cycle, &holders, Switching::StoreAndForward);
    assert_eq!(holders.len(), 4);
}

/// A message with a choice waits only if all channels that it may want are held. Without an escape
/// path, four messages that turn the last corner deadlock a square. With an escape path the same
/// cycles exist, but no messages fill them.
#[test]
fn an_escape_channel_prevents_deadlock() {
    for holding in [Switching::StoreAndForward, Switching::Wormhole] {
        let mesh = Mesh { escape: false };
        assert!(DependencyGraph::of(&mesh).unwrap().adaptive());
        let DeadlockVerdict::Cyclic { cycle, filling, adaptive: true } =
            check_deadlock(&mesh, holding).unwrap()
        else {
            panic!("acyclic, or of the other kind");
        };
        let Filling::By(holders) = filling else {
            panic!("not filled: {cycle:?}");
        };
        assert_eq!((cycle.len(), holders.len()), (4, 4));
        replay(&mesh, &cycle, &holders, holding);

        let mesh = Mesh { escape: true };
        let DeadlockVerdict::Cyclic { cycle, filling, adaptive: true } =
            check_deadlock(&mesh, holding).unwrap()
        else {
            panic!("acyclic, or of the other kind");
        };
        assert!(cycle.iter().all(|channel| channel.vc == 1));
        assert_eq!(filling, Filling::No);
    }
}

/// An invalid order is rejected at the first position where it fails.
#[test]
fn an_invalid_channel_order_is_rejected() {
    let graph = graph(&Spiral::new(4));
    let order = graph.order().unwrap();
    let mut turned = order.clone();
    turned.swap(1, 2);
    let backwards = OrderError::Backwards(order[1], order[2]);
    assert_eq!(graph.check_order(&turned), Err(backwards));
    assert_eq!(graph.check_order(&order[1..]), Err(OrderError::NotOnce(order[0])));
    let twice = [&order[..], &order[..1]].concat();
    assert_eq!(graph.check_order(&twice), Err(OrderError::NotOnce(order[0])));
    let foreign = Channel { from: PortEnd { node: 3, port: 0 }, vc: 1 };
    let more = [&order[..], &[foreign]].concat();
    assert_eq!(graph.check_order(&more), Err(OrderError::NotOnce(foreign)));
}

/// A faulty relation is reported, and the check terminates.
#[test]
fn a_faulty_relation_is_reported() {
    let lost = networks::Faulty { port: None };
    assert_eq!(
        DependencyGraph::of(&lost).unwrap_err().to_string(),
        "a message for 0x0 ends at 0x1; accepted: a channel that it may enter there"
    );
    let elsewhere = networks::Faulty { port: Some(7) };
    assert_eq!(
        DependencyGraph::of(&elsewhere).unwrap_err().to_string(),
        "a message for 0x0 may enter port 7 of node 1 from node 1; \
         accepted: ports 0 to 0 of node 1"
    );
    // Node 3 is never reached: the messages for it circulate between the other three.
    let round = networks::Faulty { port: Some(0) };
    let cycle = DependencyGraph::of(&round).unwrap().shortest_cycle().unwrap();
    assert_eq!(cycle.len(), 3);
    for holding in [Switching::StoreAndForward, Switching::Wormhole] {
        let Filling::By(holders) = fill(&round, &cycle, holding).unwrap() else {
            panic!("not filled");
        };
        replay(&round, &cycle, &holders, holding);
    }
}
