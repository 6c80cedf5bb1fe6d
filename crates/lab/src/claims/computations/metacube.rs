//! Figures of the paper "metacube-total-exchange".

use super::ClaimComputation;
use interconnect::routing::metacube::exchange::{destinations, memoryless_route, offsets};
use interconnect::routing::metacube::{offset, ClassPaths};
use interconnect::topology::{distances, Metacube};
use serde_json::{json, Value};
use std::collections::BTreeSet;

pub(super) const TABLE: &[(&str, ClaimComputation)] = &[
    ("metacube-sizes", sizes),
    ("metacube-structure", structure),
    ("metacube-diameters", diameters),
    ("metacube-order", exchange_order),
    ("metacube-lockstep", lockstep),
    ("metacube-class-paths", class_paths),
    ("metacube-algorithm-4", algorithm_4),
    ("metacube-extra-distance", extra_distance),
];

const MC21: Metacube = Metacube::of(2, 1);
const MC22: Metacube = Metacube::of(2, 2);

/// Sizes and degrees by the formulas, beside a cube with the same number of nodes.
fn sizes() -> Value {
    let row = |k: u32, m: u32| {
        let dims = m * (1 << k) + k;
        let (nodes, links) = (1u64 << dims, u64::from(m + k));
        json!({"k": k, "m": m, "nodes": nodes, "degree": links, "links": nodes * links / 2,
               "cube_links": nodes * u64::from(dims) / 2,
               "share": links as f64 / f64::from(dims),
               "classes": 1u64 << k, "clusters": 1u64 << (m * ((1 << k) - 1)),
               "nodes_of_a_cluster": 1u64 << m})
    };
    let known = |(k, m): (u32, u32)| Metacube::of(k, m).nodes() == 1 << (m * (1 << k) + k);
    let agrees = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)].into_iter().all(known);
    json!({
        "mc33": row(3, 3), "mc22": row(2, 2), "mc23": row(2, 3), "mc21": row(2, 1),
        "mc11": row(1, 1), "topology_agrees": agrees,
    })
}

/// Renames the fields and class of a node so that class 0 becomes class `by`.
fn rename_class(metacube: Metacube, node: u32, by: u32) -> u32 {
    let bits = metacube.field_bits();
    let field = |i: u32| metacube.field(node, i ^ by) << (i * bits);
    let fields: u32 = (0..metacube.classes()).map(field).sum();
    (metacube.class(node) ^ by) << (metacube.classes() * bits) | fields
}

/// Structure of a metacube, checked edge by edge.
fn structure() -> Value {
    let edges = |metacube: Metacube| {
        (0..metacube.nodes()).flat_map(move |node| {
            (0..metacube.links()).map(move |link| (node, metacube.neighbour(node, link)))
        })
    };
    let small = [Metacube::of(1, 1), Metacube::of(1, 2), MC21, MC22];
    let one_bit = small.iter().all(|mc| edges(*mc).all(|(a, b)| (a ^ b).is_power_of_two()));
    let has = |mc: Metacube, a: u32, b: u32| (0..mc.links()).any(|link| mc.neighbour(a, link) == b);
    // Renaming classes and inverting bits of fields map edges to edges. Together they map every
    // node to every other node.
    let keeps = |mc: Metacube| {
        let mask = (1 << (mc.classes() * mc.field_bits())) - 1;
        let by_class = (0..mc.classes()).all(|by| {
            edges(mc).all(|(a, b)| has(mc, rename_class(mc, a, by), rename_class(mc, b, by)))
        });
        let fields = [1, mask, 0b101 & mask];
        let by_field = fields.iter().all(|xor| edges(mc).all(|(a, b)| has(mc, a ^ xor, b ^ xor)));
        let images: BTreeSet<u32> = (0..mc.classes())
            .flat_map(|by| (0..=mask).map(move |xor| rename_class(mc, 0, by) ^ xor))
            .collect();
        by_class && by_field && images.len() == mc.nodes() as usize
    };
    // MC(0, m) is the m-cube.
    let cube = Metacube::from(interconnect::topology::Hypercube::of(5));
    let is_cube = cube.nodes() == 32
        && (0..32).all(|n| (0..5).all(|dim| cube.neighbour(n, dim) == n ^ 1 << dim));
    // Example of MC(2,3) in the paper: class 01, fields 3 to 0.
    let mc23 = Metacube::of(2, 3);
    let example = 0b01_111_101_110_000;
    let mut near: Vec<String> =
        (0..mc23.links()).map(|link| format!("{:014b}", mc23.neighbour(example, link))).collect();
    near.sort();
    // Clusters of a class in MC(2, 2), identified by the fields of the other classes.
    let clusters: BTreeSet<u32> = (0..MC22.nodes())
        .filter(|node| MC22.class(*node) == 0)
        .map(|node| node >> MC22.field_bits())
        .collect();
    json!({
        "edges_change_one_bit": one_bit, "symmetric": small.into_iter().all(keeps),
        "without_classes_a_cube": is_cube, "neighbours_of_the_example": near,
        "clusters_of_a_class_of_mc22": clusters.len(),
    })
}

/// Diameters by breadth-first search from one node, because all nodes are equivalent.
fn diameters() -> Value {
    let of = |k: u32, m: u32| {
        let metacube = Metacube::of(k, m);
        distances(&metacube, 0).into_iter().flatten().max().unwrap_or(0)
    };
    let sizes = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2)];
    let rows: Vec<Value> = sizes
        .into_iter()
        .map(|(k, m)| {
            json!({"k": k, "m": m, "diameter": of(k, m), "cube": m * (1 << k) + k,
                   "over_the_formula": i64::from(of(k, m)) - i64::from((1 << k) * (m + 1))})
        })
        .collect();
    let longer = rows.iter().filter(|row| row["diameter"].as_u64() > row["cube"].as_u64());
    json!({"longer_than_a_cubes": longer.count(), "sizes": rows})
}

/// Algorithm 1: destinations of a node, step by step.
fn exchange_order() -> Value {
    let metacube = MC21;
    let nodes = || 0..metacube.nodes();
    let is_whole = |source: u32| {
        let order = destinations(metacube, source);
        let all: BTreeSet<u32> = order.iter().copied().collect();
        order[0] == source && all.len() == metacube.nodes() as usize
    };
    let steps: Vec<Vec<u32>> = {
        let orders: Vec<Vec<u32>> = nodes().map(|source| destinations(metacube, source)).collect();
        let step = |place: usize| orders.iter().map(|order| order[place]).collect();
        (1..orders[0].len()).map(step).collect()
    };
    let is_even = |step: &&Vec<u32>| {
        let far: BTreeSet<u32> =
            nodes().zip(*step).map(|(from, to)| metacube.distance(from, *to)).collect();
        let to: BTreeSet<&u32> = step.iter().collect();
        far.len() == 1 && to.len() == step.len()
    };
    json!({
        "nodes": metacube.nodes(), "whole": nodes().filter(|n| is_whole(*n)).count(),
        "steps": steps.len(), "even_steps": steps.iter().filter(is_even).count(),
        "steps_of_mc22": offsets(MC22).count() - 1,
    })
}

/// All nodes send to the same offset on the same links, hop by hop. Counts how often two messages
/// want the same direction of a link, and how often a node receives twice.
fn lockstep() -> Value {
    let walk = |metacube: Metacube, walks: &dyn Fn(u32) -> Vec<u32>| {
        let (mut conflicts, mut twice, mut hops) = (0, 0, 0);
        for offset in offsets(metacube).skip(1) {
            let mut here: Vec<u32> = (0..metacube.nodes()).collect();
            for link in walks(offset) {
                let sends: BTreeSet<u32> = here.iter().copied().collect();
                conflicts += here.len() - sends.len();
                here.iter_mut().for_each(|node| *node = metacube.neighbour(*node, link));
                let receives: BTreeSet<u32> = here.iter().copied().collect();
                twice += here.len() - receives.len();
                hops += 1;
            }
        }
        json!({"conflicts": conflicts, "receive_twice": twice, "hops": hops})
    };
    // Algorithm 4 with the corrected table, from node 0. The other nodes take the same links.
    let paper = |mc: Metacube| walk(mc, &move |to| ClassPaths::Corrected.route(mc, 0, to));
    json!({"mc21": paper(MC21), "mc22": paper(MC22)})
}

/// Routes by Table 1 and Algorithm 4. An offset represents all pairs of nodes with that offset.
fn class_paths() -> Value {
    let ends =
        |mc: Metacube, links: &[u32]| links.iter().fold(0, |here, link| mc.neighbour(here, *link));
    let wrong = |mc: Metacube, table: ClassPaths| {
        let fails = |to: &u32| ends(mc, &table.route(mc, 0, *to)) != *to;
        (1..mc.nodes()).filter(fails).count() as u32 * mc.nodes()
    };
    let longer = |mc: Metacube| {
        let far = distances(&mc, 0);
        let of = |to: &u32| ClassPaths::Corrected.route(mc, 0, *to).len() as u32;
        (1..mc.nodes()).filter(|to| Some(of(to)) != far[*to as usize]).count()
    };
    // All nodes of MC(2, 1) have the routes of node 0, translated.
    let moved = (0..MC21.nodes()).all(|from| {
        (0..MC21.nodes()).all(|to| {
            let seen = offset::between(MC21, from, to);
            let [there, here] = [(from, to), (0, seen)];
            ClassPaths::Corrected.route(MC21, there.0, there.1)
                == ClassPaths::Corrected.route(MC21, here.0, here.1)
        })
    });
    let memoryless_longer = |mc: Metacube| {
        let far = distances(&mc, 0);
        let of = |to: &u32| memoryless_route(mc, *to).len() as u32;
        (1..mc.nodes()).filter(|to| Some(of(to)) != far[*to as usize]).count()
    };
    // Classes visited from node 0 if class 1 and the field of class 2 differ.
    let classes: Vec<u32> = {
        let mut here = 0;
        let links = ClassPaths::Corrected.route(MC21, 0, 0b01_0100);
        let step = |link| {
            here = MC21.neighbour(here, link);
            MC21.class(here)
        };
        let mut classes: Vec<u32> = std::iter::once(0).chain(links.into_iter().map(step)).collect();
        classes.dedup();
        classes
    };
    // Algorithm 2 as printed, in one cluster of MC(2, 2): it crosses every link.
    let send_always_wrong = (0..1 << MC22.field_bits())
        .filter(|to| (0..MC22.field_bits()).fold(0, |at, bit| MC22.neighbour(at, bit)) != *to)
        .count();
    json!({
        "printed": {"mc21": wrong(MC21, ClassPaths::Printed),
                    "mc22": wrong(MC22, ClassPaths::Printed)},
        "corrected": {"mc21": wrong(MC21, ClassPaths::Corrected),
                      "mc22": wrong(MC22, ClassPaths::Corrected)},
        "longer_than_shortest": [longer(MC21), longer(MC22)],
        "memoryless_longer": [memoryless_longer(MC21), memoryless_longer(MC22)],
        "one_table_for_all_classes": moved,
        "classes_of_dest_1_type_1": classes, "send_always_wrong": send_always_wrong,
    })
}

/// Reading of the loop in Algorithm 4.
#[derive(Clone, Copy, PartialEq)]
enum Loop {
    /// Lines 9 to 12 are the body.
    Whole,
    /// Lines 9 to 12 are the body, without the test of line 12.
    Untested,
    /// Line 9 alone is the body, because there are no braces.
    OneLine,
}

/// Node at which a message from node 0 ends by Algorithm 4, which never clears the difference.
fn end_by_algorithm_4(mc: Metacube, to: u32, reading: Loop) -> u32 {
    let bits = mc.field_bits();
    let in_cluster = |here: u32| {
        let field = ((1 << bits) - 1) << (mc.class(here) * bits);
        here ^ (to & field)
    };
    let in_class = |here: u32, class: u32| {
        let fields = (1 << (mc.classes() * bits)) - 1;
        here & fields | class << (mc.classes() * bits)
    };
    let mut classes = vec![];
    let mut at = 0;
    for link in ClassPaths::Corrected.route(mc, 0, to) {
        at = mc.neighbour(at, link);
        if mc.is_cross(link) {
            classes.push(mc.class(at));
        }
    }
    if reading == Loop::OneLine {
        classes = classes.pop().into_iter().collect();
    }
    let start = in_cluster(0);
    classes.into_iter().fold(start, |here, class| {
        let here = in_class(here, class);
        match here != to || reading == Loop::Untested {
            true => in_cluster(here),
            false => here,
        }
    })
}

/// Number of node pairs whose messages end at the wrong node by Algorithm 4.
fn algorithm_4() -> Value {
    let wrong = |mc: Metacube, reading| {
        let fails = |to: &u32| end_by_algorithm_4(mc, *to, reading) != *to;
        (1..mc.nodes()).filter(fails).count() as u32 * mc.nodes()
    };
    let both = |reading| json!({"mc21": wrong(MC21, reading), "mc22": wrong(MC22, reading)});
    json!({
        "whole_loop": both(Loop::Whole), "without_the_test": both(Loop::Untested),
        "one_line": both(Loop::OneLine),
    })
}

/// Extra hops of a node's messages compared with a cube, by the class of the destination. The hops
/// are measured, and computed by the formulas.
fn extra_distance() -> Value {
    let of = |mc: Metacube| {
        let far = distances(&mc, 0);
        let mut extra = [0u32; 4];
        for to in 1..mc.nodes() {
            let more = far[to as usize].unwrap_or(0) - to.count_ones();
            extra[mc.class(to) as usize] += more;
        }
        let all: u32 = far.iter().flatten().sum();
        let cube: u32 = (0..mc.nodes()).map(u32::count_ones).sum();
        json!({"by_dest": extra, "sum": extra.iter().sum::<u32>(), "hops": all, "cube": cube,
               "share": f64::from(all - cube) / f64::from(all)})
    };
    let formula = |m: u32| {
        let p = |bits: u32| 1i64 << (bits * m);
        let one = p(1) - 1;
        let e0 = (p(1) * one + p(1) * one) * 2 + (p(1) * one * one + p(1) * (p(3) - p(2))) * 4;
        let e1 = (p(2) * one + p(2) * one + p(2) * one * one) * 2;
        let e3 = p(2) * one * one * 2;
        let closed =
            5 * (1i64 << (4 * m + 1)) - 2 * (1i64 << (3 * m + 1)) - 3 * (1i64 << (2 * m + 1));
        let nodes = 1i64 << (4 * m + 2);
        let cube = nodes / 2 * i64::from(4 * m + 2);
        json!({"by_dest": [e0, e1, e1, e3], "closed": closed,
               "share": closed as f64 / (closed + cube) as f64})
    };
    json!({
        "mc21": of(MC21), "mc22": of(MC22), "formula_1": formula(1), "formula_2": formula(2),
        "formula_3": formula(3), "formula_4": formula(4),
    })
}

#[cfg(test)]
mod tests {
    use super::{algorithm_4, class_paths, diameters, extra_distance, lockstep};
    use serde_json::json;

    /// Figures confirmed by other models.
    #[test]
    #[ignore = "thorough: all pairs"]
    fn figures_match_the_ledger() {
        let found = extra_distance();
        assert_eq!(found["mc21"]["by_dest"], json!([48, 24, 24, 8]), "{found}");
        assert_eq!(found["mc22"]["by_dest"], json!([960, 480, 480, 288]));
        assert_eq!(found["mc22"]["hops"], 7328);
        assert_eq!(class_paths()["printed"]["mc21"], 256);
        assert_eq!(class_paths()["printed"]["mc22"], 49_152);
        assert_eq!(algorithm_4()["without_the_test"]["mc21"], 576);
        assert_eq!(algorithm_4()["without_the_test"]["mc22"], 304_128);
        assert_eq!(lockstep()["mc21"]["hops"], 296);
        assert_eq!(diameters()["sizes"][5]["diameter"], 12);
    }
}
