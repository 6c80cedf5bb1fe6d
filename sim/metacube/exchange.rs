//! The order of total exchange, and what "conflict-free" means.

use crate::routes::metacube;
use phasecube::routing::metacube::{order, ClassPaths};
use phasecube::topology::Metacube;
use std::collections::HashSet;

/// The routes of all nodes' messages of one step.
fn routes(metacube: Metacube, orders: &[Vec<u32>], step: usize) -> Vec<Vec<u32>> {
    let route = |source: u32| {
        let destination = orders[source as usize][step];
        ClassPaths::Corrected.route(metacube, source, destination)
    };
    (0..metacube.nodes()).map(route).collect()
}

fn orders(metacube: Metacube) -> Vec<Vec<u32>> {
    (0..metacube.nodes()).map(|s| order(metacube, s)).collect()
}

#[test]
fn the_order_is_the_golden_one() {
    let text = include_str!("../golden/mc21_order_0.json");
    let golden: Vec<u32> = serde_json::from_str(text).unwrap();
    assert_eq!(order(metacube(2, 1), 0), golden);
}

/// Everyone once, and in each step nobody twice (section 3.2).
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

/// In lockstep: in each hop of a step all messages cross links of the same number, one
/// from each node. So all of a machine with one UART for each node is busy all the time,
/// for as many pairs of phases as a node's messages have hops.
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

/// Held from end to end, as in cut-through switching, most steps have circuits that
/// collide (against section 3.3).
#[test]
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
    }
}
