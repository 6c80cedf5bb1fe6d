//! Neighbours and routes, against the golden vectors and breadth-first search.

use phasecube::routing::dependencies::{check_deadlock, DeadlockVerdict, Switching};
use phasecube::routing::metacube::{next_link, ClassPaths, MetacubeRouting};
use phasecube::topology::{distances, Metacube};
use std::collections::BTreeMap;

pub fn metacube(class_bits: u32, field_bits: u32) -> Metacube {
    Metacube::new(class_bits, field_bits).unwrap()
}

/// Returns the node at the end of these links.
fn walk(metacube: Metacube, source: u32, links: &[u32]) -> u32 {
    let step = |here, link: &u32| metacube.neighbour(here, *link);
    links.iter().fold(source, step)
}

#[test]
fn neighbours_are_the_golden_ones() {
    let text = include_str!("../golden/mc21_neigh.json");
    let golden: BTreeMap<u32, Vec<u32>> = serde_json::from_str(text).unwrap();
    let metacube = metacube(2, 1);
    assert_eq!(golden.len() as u32, metacube.nodes());
    for (node, expected) in golden {
        let links = 0..metacube.links();
        let found: Vec<u32> = links.map(|link| metacube.neighbour(node, link)).collect();
        assert_eq!(found, expected, "node {node}");
    }
}

/// Routes by the memoryless rule, for every pair.
#[test]
fn routes_are_as_short_as_they_can_be() {
    for (k, m) in [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2)] {
        let metacube = metacube(k, m);
        for source in 0..metacube.nodes() {
            for (destination, distance) in (0..).zip(distances(&metacube, source)) {
                let mut here = source;
                let mut steps = 0;
                while let Some(link) = next_link(metacube, here, destination) {
                    here = metacube.neighbour(here, link);
                    steps += 1;
                    assert!(Some(steps) <= distance, "{source} to {destination}");
                }
                assert_eq!((here, Some(steps)), (destination, distance));
            }
        }
    }
}

/// The corrected table's routes are shortest. The printed table fails where dest is 3 and type 2.
/// The memoryless rule takes the same first link as the corrected table, but often differs later.
#[test]
#[ignore = "thorough: all pairs"]
fn the_papers_table() {
    for (m, astray, elsewhere) in [(1, 256, 512), (2, 49_152, 196_608)] {
        let metacube = metacube(2, m);
        let (mut failing, mut differing) = (0, 0);
        for source in 0..metacube.nodes() {
            for (destination, distance) in (0..).zip(distances(&metacube, source)) {
                let route = ClassPaths::Corrected.route(metacube, source, destination);
                assert_eq!(walk(metacube, source, &route), destination);
                assert_eq!(Some(route.len() as u32), distance);
                let printed = ClassPaths::Printed.route(metacube, source, destination);
                failing += u32::from(walk(metacube, source, &printed) != destination);

                let mut here = source;
                let mut own = vec![];
                while let Some(link) = next_link(metacube, here, destination) {
                    own.push(link);
                    here = metacube.neighbour(here, link);
                }
                assert_eq!(own.first(), route.first(), "{source} to {destination}");
                differing += u32::from(own != route);
            }
        }
        assert_eq!(failing, astray);
        assert_eq!(differing, elsewhere);
    }
}

/// With the required counts the buffers have an order. With one count less, or a single count, they
/// have no order.
#[test]
#[ignore = "thorough: all pairs"]
fn counts_make_an_order() {
    let is_acyclic = |k, m, counts| {
        let routing = MetacubeRouting { counts, ..MetacubeRouting::new(metacube(k, m)) };
        matches!(
            check_deadlock(&routing, Switching::StoreAndForward),
            Ok(DeadlockVerdict::Acyclic { .. })
        )
    };
    for (k, m) in [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)] {
        let needed = MetacubeRouting::new(metacube(k, m)).counts;
        assert!(is_acyclic(k, m, needed), "MC({k},{m})");
        assert!(!is_acyclic(k, m, needed - 1), "MC({k},{m})");
        assert!(!is_acyclic(k, m, 1), "MC({k},{m})");
    }
}
