//! `tdma_minimal.json`. It covers all sets of a given number of messages, at most one per node and
//! none to its own source. It counts the sets that take more than one superframe, and those that
//! lose a message without flow control. It also gives the first set of each kind in ascending
//! order.

use crate::model::{self, CubeRule};
use crate::model_golden::{congestion, cube, messages};
use phasecube::topology::Hypercube;
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::fs;

/// Dimensions, with the maximum number of messages for which all sets are run. The larger golden
/// figures are checked on their examples only.
const EXHAUSTIVE: [(u64, usize); 4] = [(1, 2), (2, 4), (3, 4), (4, 2)];

type PairList = Vec<(u32, u32)>;

fn golden() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/sim/golden/tdma_minimal.json");
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap()
}

fn number(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap()
}

fn distinct(pairs: &[(u32, u32)]) -> bool {
    let destinations: BTreeSet<u32> = pairs.iter().map(|&(_, d)| d).collect();
    destinations.len() == pairs.len()
}

/// Result of one set of messages.
struct SetResult {
    slow: bool,
    loses: bool,
}

/// Runs one set with and without flow control. A set is slow in both cases or in neither. It is
/// slow exactly if two messages need the same link in the same direction (errata, "completes within
/// one cycle").
fn see(cube: Hypercube, pairs: &[(u32, u32)]) -> SetResult {
    let messages = messages(pairs);
    let acked = model::run(cube, &messages, CubeRule::Ascending);
    let raw = model::run(cube, &messages, CubeRule::Raw);
    let slow = acked.superframes > 1;
    assert_eq!(acked.lost_count(), 0, "{pairs:?}");
    assert_eq!(acked.delivered_count(), pairs.len() as u64, "{pairs:?}");
    assert_eq!(slow, raw.superframes > 1, "{pairs:?}");
    assert_eq!(slow, congestion(cube, &messages) > 1, "{pairs:?}");
    SetResult { slow, loses: raw.lost_count() > 0 }
}

/// Number of sets with a property, and the first of them.
#[derive(Default)]
struct SetCount {
    sets: u64,
    first: Option<PairList>,
}

impl SetCount {
    fn add(&mut self, does: bool, pairs: &PairList) {
        if does {
            self.sets += 1;
            self.first.get_or_insert_with(|| pairs.clone());
        }
    }
}

/// Calls `visit` with every set of `left` more messages after those in `pairs`, in ascending order.
fn sets(cube: Hypercube, left: usize, pairs: &mut PairList, visit: &mut impl FnMut(&PairList)) {
    if left == 0 {
        return visit(pairs);
    }
    let start = pairs.last().map_or(0, |&(source, _)| source + 1);
    for source in start..cube.nodes() {
        for destination in cube.addresses().filter(|&d| d != source) {
            pairs.push((source, destination));
            sets(cube, left - 1, pairs, visit);
            pairs.pop();
        }
    }
}

/// Returns one row of the file, computed by the model.
fn row(dims: u64, count: usize) -> Value {
    let cube = cube(dims);
    let mut all = 0;
    let [mut slow, mut slow_distinct, mut lost, mut lost_distinct] =
        std::array::from_fn(|_| SetCount::default());
    sets(cube, count, &mut vec![], &mut |pairs| {
        let seen = see(cube, pairs);
        let distinct = distinct(pairs);
        all += 1;
        slow.add(seen.slow, pairs);
        slow_distinct.add(seen.slow && distinct, pairs);
        lost.add(seen.loses, pairs);
        lost_distinct.add(seen.loses && distinct, pairs);
    });
    json!({
        "n": dims,
        "messages": count,
        "sets": all,
        "more_than_one_superframe": slow.sets,
        "with_distinct_destinations": slow_distinct.sets,
        "lose_with_one_register": lost.sets,
        "lose_distinct_destinations": lost_distinct.sets,
        "ex_slow": slow.first,
        "ex_slow_distinct": slow_distinct.first,
        "ex_lost": lost.first,
        "ex_lost_distinct": lost_distinct.first,
    })
}

#[test]
fn exhaustive_counts_and_first_examples_are_the_golden_ones() {
    let mut compared = 0;
    for golden in golden() {
        let (dims, count) = (number(&golden, "n"), number(&golden, "messages") as usize);
        if EXHAUSTIVE.iter().any(|&(n, most)| n == dims && count <= most) {
            assert_eq!(row(dims, count), golden);
            compared += 1;
        }
    }
    assert_eq!(compared, 12);
}

/// Every example in the file has the property that it illustrates.
#[test]
fn golden_examples_have_the_illustrated_property() {
    let mut examples = 0;
    for golden in golden() {
        let cube = cube(number(&golden, "n"));
        for (key, count, loss, all_distinct) in [
            ("ex_slow", "more_than_one_superframe", false, false),
            ("ex_slow_distinct", "with_distinct_destinations", false, true),
            ("ex_lost", "lose_with_one_register", true, false),
            ("ex_lost_distinct", "lose_distinct_destinations", true, true),
        ] {
            assert_eq!(golden[key].is_null(), number(&golden, count) == 0, "{key}");
            if golden[key].is_null() {
                continue;
            }
            let pairs: PairList = serde_json::from_value(golden[key].clone()).unwrap();
            assert_eq!(pairs.len() as u64, number(&golden, "messages"));
            let seen = see(cube, &pairs);
            assert!(if loss { seen.loses } else { seen.slow }, "{key} {pairs:?}");
            assert!(!all_distinct || distinct(&pairs), "{key} {pairs:?}");
            examples += 1;
        }
    }
    assert_eq!(examples, 17);
}
