//! The order of total exchange, the meaning of "conflict-free", and the plans.

use crate::metacube::routes::metacube;
use phasecube::routing::metacube::exchange::{
    colliding_steps, cyclic_plan, destinations, lockstep_plan, memoryless_route, pipelined_plan,
    PhasePair, ProductiveLinks,
};
use phasecube::routing::metacube::{offset, ClassPaths};
use phasecube::topology::Metacube;
use std::collections::HashSet;

/// Returns the routes of all nodes' messages in one step.
fn routes(metacube: Metacube, orders: &[Vec<u32>], step: usize) -> Vec<Vec<u32>> {
    let route = |source: u32| {
        let destination = orders[source as usize][step];
        ClassPaths::Corrected.route(metacube, source, destination)
    };
    (0..metacube.nodes()).map(route).collect()
}

fn orders(metacube: Metacube) -> Vec<Vec<u32>> {
    (0..metacube.nodes()).map(|s| destinations(metacube, s)).collect()
}

#[test]
fn the_order_is_the_golden_one() {
    let text = include_str!("../golden/mc21_order_0.json");
    let golden: Vec<u32> = serde_json::from_str(text).unwrap();
    assert_eq!(destinations(metacube(2, 1), 0), golden);
}

/// Each source sends to every node once, and in each step no destination occurs twice (section
/// 3.2).
#[test]
fn every_step_is_a_permutation() {
    for m in [1, 2] {
        let metacube = metacube(2, m);
        let orders = orders(metacube);
        for source in &orders {
            assert_eq!(source.iter().collect::<HashSet<_>>().len(), orders.len());
        }
        for step in 0..orders.len() {
            let to: HashSet<u32> = orders.iter().map(|source| source[step]).collect();
            assert_eq!(to.len(), orders.len());
        }
    }
}

/// In lockstep, all messages cross links of the same number in each hop of a step, one from each
/// node. A machine with one UART per node is therefore always busy. The exchange takes as many
/// pairs of phases as a node's messages have hops.
#[test]
fn in_lockstep_there_is_no_conflict() {
    for (m, hops) in [(1, 296), (2, 7_328)] {
        let metacube = metacube(2, m);
        let orders = orders(metacube);
        let mut found = 0;
        for step in 0..orders.len() {
            let routes = routes(metacube, &orders, step);
            assert!(routes.iter().all(|route| *route == routes[0]), "{step}");
            found += routes[0].len();
        }
        assert_eq!(found, hops);
    }
}

/// If circuits are held from end to end, as in cut-through switching, they collide in most steps
/// (contrary to section 3.3).
#[test]
#[ignore = "thorough: long runs"]
fn held_circuits_collide() {
    for (m, colliding, steps) in [(1, 51, 63), (2, 979, 1_023)] {
        let metacube = metacube(2, m);
        let orders = orders(metacube);
        assert_eq!(orders.len() - 1, steps);
        let collides = |step: &usize| {
            let mut held = HashSet::new();
            let mut twice = false;
            for (source, route) in (0..).zip(routes(metacube, &orders, *step)) {
                let mut here = source;
                for link in route {
                    twice |= !held.insert((here, link));
                    here = metacube.neighbour(here, link);
                }
            }
            twice
        };
        assert_eq!((1..orders.len()).filter(collides).count(), colliding);
        let by_table = |to| ClassPaths::Corrected.route(metacube, 0, to);
        let counted =
            colliding_steps(metacube, |to| by_table(offset::destination(metacube, 0, to)));
        assert_eq!(counted, [colliding, steps]);
    }
}

/// Figures of a machine that follows a plan.
#[derive(Debug, Default, PartialEq, Eq)]
struct ExchangeFigures {
    pairs: usize,
    superframes: usize,
    /// Pairs in which no node sends.
    idle: usize,
    /// Maximum number of messages in the buffers of a node.
    held: usize,
}

/// Lets every node follow the plan, phase by phase. Each node has a buffer for each link and each
/// number of cross edges that a message passed before that link.
///
/// # Panics
/// If a node does not have the message that it must send, a buffer receives a second message, or a
/// message does not reach its destination.
fn play(metacube: Metacube, plan: &[PhasePair]) -> ExchangeFigures {
    let (nodes, links) = (metacube.nodes(), metacube.links());
    let buffers = (links * 5) as usize;
    let mut played = ExchangeFigures {
        pairs: plan.len(),
        superframes: plan.len().div_ceil(links as usize),
        ..ExchangeFigures::default()
    };
    // The source of the message in each buffer, and the number of messages in each node.
    let mut held = vec![None; nodes as usize * buffers];
    let mut count = vec![0; nodes as usize];
    // For each offset, the buffer of its messages and the cross edges passed.
    let mut at = vec![None; nodes as usize];
    let mut crossed = vec![0; nodes as usize];
    let mut delivered = vec![false; (nodes * nodes) as usize];
    let ends = |link| {
        let ends = (0..nodes).map(|node| (node, metacube.neighbour(node, link)));
        let (low, high): (Vec<_>, Vec<_>) = ends.partition(|(node, other)| node < other);
        [low, high]
    };
    let ends: Vec<_> = (0..links).map(ends).collect();
    let destinations = |source| {
        let to = |offset| offset::destination(metacube, source, offset);
        (0..nodes).map(to).collect()
    };
    let destinations: Vec<Vec<u32>> = (0..nodes).map(destinations).collect();
    for PhasePair { link, offset } in plan {
        let Some(offset) = offset.map(|offset| offset as usize) else {
            played.idle += 1;
            continue;
        };
        let to_buffer = (crossed[offset] * links + link) as usize;
        for (from, to) in ends[*link as usize].iter().flatten() {
            let (from, to) = (*from as usize, *to as usize);
            let source = match at[offset] {
                None => from as u32,
                Some(buffer) => {
                    count[from] -= 1;
                    let here: &mut Option<u32> = &mut held[from * buffers + buffer];
                    here.take().expect("a message to send")
                }
            };
            let there = &mut held[to * buffers + to_buffer];
            assert_eq!(there.replace(source), None, "offset {offset} by link {link}");
            count[to] += 1;
            played.held = played.held.max(count[to]);
            if destinations[source as usize][offset] == to as u32 {
                *there = None;
                count[to] -= 1;
                let message = &mut delivered[source as usize * nodes as usize + to];
                assert!(!*message, "{source} to {to} twice");
                *message = true;
            }
        }
        at[offset] = Some(to_buffer);
        crossed[offset] += u32::from(metacube.is_cross(*link));
    }
    // All except those to their own source.
    let missing = delivered.iter().filter(|arrived| !**arrived).count();
    assert_eq!((missing, count.iter().sum::<usize>()), (nodes as usize, 0));
    played
}

/// In lockstep every node sends in every pair, both by the paper's routes and by the circuits'
/// routes. In one pair a node holds one message and the one it has just received.
#[test]
fn in_lockstep_every_uart_is_busy() {
    for (k, m, pairs) in [(1, 1, 16), (2, 1, 296), (2, 2, 7_328)] {
        let metacube = metacube(k, m);
        let played = play(metacube, &lockstep_plan(metacube, |o| memoryless_route(metacube, o)));
        assert_eq!((played.pairs, played.idle), (pairs, 0));
        assert!(played.held <= 2);
    }
    let metacube = metacube(2, 1);
    let paper = |offset| ClassPaths::Corrected.route(metacube, 0, offset);
    let played = play(metacube, &lockstep_plan(metacube, paper));
    assert_eq!((played.pairs, played.idle), (296, 0));
}

/// With a fixed order of links messages wait, and the choice of routes matters.
#[test]
fn one_offset_after_the_other_in_fixed_superframes() {
    let metacube = metacube(2, 1);
    let nearer = ProductiveLinks::new(metacube);
    let superframes = |plan: &[PhasePair]| play(metacube, plan).superframes;
    let paper = |offset| ClassPaths::Corrected.route(metacube, 0, offset);
    assert_eq!(superframes(&cyclic_plan(metacube, |o| nearer.earliest_path(o))), 159);
    assert_eq!(superframes(&cyclic_plan(metacube, |o| memoryless_route(metacube, o))), 165);
    assert_eq!(superframes(&cyclic_plan(metacube, paper)), 171);
}

/// In each superframe one message of a node crosses a link, so the busiest link bounds the time.
/// Three messages under way reach the bound on MC(2,1). On MC(2,2), six come within 3 per cent of
/// it, closer than the 2,272 superframes of a model without buffers.
#[test]
fn several_offsets_under_way_in_fixed_superframes() {
    for (m, window, superframes, bound) in [(1, 3, 128, 128), (2, 6, 2_104, 2_048)] {
        let metacube = metacube(2, m);
        let plan = pipelined_plan(&ProductiveLinks::new(metacube), window).expect("a plan");
        let played = play(metacube, &plan);
        assert_eq!(played.superframes, superframes);
        // The messages under way, and the one that a node has just received.
        assert_eq!(played.held, window + 1);
        let crossing = |link| {
            let sends = |pair: &&PhasePair| pair.link == link && pair.offset.is_some();
            plan.iter().filter(sends).count()
        };
        assert_eq!((0..metacube.links()).map(crossing).max(), Some(bound));
    }
}

/// MC(1,3) deadlocks with eight messages under way. Arbitrary shortest routes impose no order on
/// the buffers.
#[test]
fn not_every_window_has_a_plan() {
    let nearer = ProductiveLinks::new(metacube(1, 3));
    assert!(pipelined_plan(&nearer, 7).is_some());
    assert_eq!(pipelined_plan(&nearer, 8), None);
    assert_eq!(pipelined_plan(&nearer, 0), None);
}
