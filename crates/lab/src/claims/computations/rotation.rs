//! Figures of the note "minimal-rotation-routing".

use super::ClaimComputation;
use interconnect::routing::rewired::{RewiredRouting, Rewiring};
use interconnect::routing::rotation::{least_rotation, RotationRule};
use interconnect::routing::Relation;
use interconnect::topology::Hypercube;
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TABLE: &[(&str, ClaimComputation)] = &[
    ("rotation-ways", routes),
    ("rotation-trees", route_trees),
    ("rotation-outputs", outputs),
    ("rotation-balance", balance),
    ("rotation-failure", failed_switch),
];

/// Largest number of dimensions in these computations. The smallest is 2.
const DIMS_MAX: u32 = 12;

fn is_prime(n: u32) -> bool {
    n > 1 && (2..n).all(|d| !n.is_multiple_of(d))
}

fn rotate_left(dims: u32, word: u32, by: u32) -> u32 {
    (word << by | word >> (dims - by)) & ((1 << dims) - 1)
}

/// Whether some rotation leaves the word unchanged.
fn is_periodic(dims: u32, word: u32) -> bool {
    (1..dims).any(|by| rotate_left(dims, word, by) == word)
}

/// Routes of all words of 2 to 12 bits by minimal rotation.
fn routes() -> Value {
    let rule = RotationRule::Minimal;
    let (mut words, mut longer, mut out_of_order, mut late_ties) = (0, 0, 0, 0);
    let (mut prime_ties, mut composite) = (BTreeSet::new(), BTreeSet::new());
    for dims in 2..=DIMS_MAX {
        let ties = |word: u32| {
            let least = least_rotation(dims, word).0;
            (0..dims).filter(|by| rotate_left(dims, word, *by) == least).count() > 1
        };
        let mut tied = 0;
        for word in 1..1u32 << dims {
            let route = rule.sequence(dims, word);
            words += 1;
            longer += u32::from(route.len() as u32 != word.count_ones());
            // Measures bits from the first one to the right, at most once around the word.
            let first = route[0];
            let right = |dim: &u32| (first + dims - dim) % dims;
            out_of_order += u32::from(!route.iter().map(right).is_sorted());
            tied += u32::from(ties(word));
            let left = route.iter().scan(word, |left, dim| {
                *left &= !(1 << dim);
                Some(*left)
            });
            late_ties += left.filter(|left| *left != 0 && ties(*left)).count();
        }
        match is_prime(dims) {
            true => prime_ties.insert(tied),
            false => composite.insert(tied),
        };
    }
    json!({
        "words": words, "not_shortest": longer, "out_of_order": out_of_order,
        "ties_after_the_first_step": late_ties,
        "ties_for_prime_k": prime_ties, "least_ties_for_composite_k": composite.first(),
    })
}

/// Routes to all nodes of the 4-cube as a tree: each node with its predecessor.
fn route_tree(next: impl Fn(u32) -> u32) -> BTreeMap<u32, u32> {
    let parent = |node: u32| {
        let (mut here, mut before) = (0, 0);
        while here != node {
            before = here;
            here ^= 1 << next(here ^ node);
        }
        before
    };
    (1..16).map(|node| (node, parent(node))).collect()
}

/// Tree printed in figure 1: each node with its predecessor.
const FIGURE_1: [(u32, u32); 15] = [
    (0b1000, 0),
    (0b1010, 0b1000),
    (0b1001, 0b1000),
    (0b1011, 0b1001),
    (0b0010, 0),
    (0b0001, 0),
    (0b0011, 0b0001),
    (0b0100, 0),
    (0b0110, 0b0010),
    (0b0101, 0b0100),
    (0b0111, 0b0011),
    (0b1100, 0b0100),
    (0b1101, 0b1100),
    (0b1110, 0b0110),
    (0b1111, 0b0111),
];

/// Tree printed in figure 2. Figure 3 differs from it in one edge.
const FIGURE_2: [(u32, u32); 15] = [
    (0b0001, 0),
    (0b0101, 0b0001),
    (0b1001, 0b0001),
    (0b1101, 0b1001),
    (0b0100, 0),
    (0b1000, 0),
    (0b1100, 0b1000),
    (0b0010, 0),
    (0b0110, 0b0100),
    (0b1010, 0b0010),
    (0b1110, 0b1100),
    (0b0011, 0b0010),
    (0b0111, 0b0110),
    (0b1011, 0b0011),
    (0b1111, 0b1110),
];

/// Compares the trees printed in the three figures with the trees that the rules give.
fn route_trees() -> Value {
    let next = |rule: RotationRule| move |left| rule.next_dim(4, left).expect("something is left");
    // Leftmost 1 of the rightmost group: the mirror image of the rule.
    let mirrored = |word: u32| word.reverse_bits() >> 28;
    let mirror = move |left: u32| {
        let dim = RotationRule::Thacker.next_dim(4, mirrored(left));
        3 - dim.expect("something is left")
    };
    let thacker = route_tree(next(RotationRule::Thacker));
    let complement = route_tree(mirror);
    let ours = route_tree(next(RotationRule::Minimal));
    let figure_1 = BTreeMap::from(FIGURE_1);
    let figure_2 = BTreeMap::from(FIGURE_2);
    let figure_3 = {
        let mut edges = figure_2.clone();
        edges.insert(0b0101, 0b0100);
        edges
    };
    let apart = |a: &BTreeMap<u32, u32>, b: &BTreeMap<u32, u32>| -> Vec<u32> {
        let nodes = a.keys().copied();
        nodes.filter(|node| a[node] != b[node]).collect()
    };
    // The mirror image has the same number of outputs at each input, read from right to left.
    let outputs_of = |tree: &BTreeMap<u32, u32>| {
        let dim = |a: u32, b: u32| (a ^ b).trailing_zeros();
        let second = tree.iter().filter(|(_, before)| **before != 0);
        let turns: BTreeSet<(u32, u32)> = second
            .map(|(node, before)| (dim(*before, tree[before]), dim(*node, *before)))
            .collect();
        let mut counts = [0; 4];
        turns.iter().for_each(|(from, _)| counts[*from as usize] += 1);
        counts
    };
    let mut sorted = [outputs_of(&thacker), outputs_of(&complement), outputs_of(&ours)];
    sorted.iter_mut().for_each(|counts| counts.sort_unstable());
    json!({
        "figure_1_differs_in": apart(&figure_1, &thacker),
        "figure_2_differs_in": apart(&figure_2, &complement),
        "figure_3_differs_in": apart(&figure_3, &ours),
        "complement_and_ours_differ_in": apart(&complement, &ours),
        "outputs": {"thacker": sorted[0], "mirrored": sorted[1], "minimal": sorted[2]},
    })
}

/// Returns the outputs that each input can connect to.
fn connections(rule: RotationRule, dims: u32) -> Vec<BTreeSet<u32>> {
    let mut outputs = vec![BTreeSet::new(); dims as usize];
    for word in 1..1u32 << dims {
        for hop in rule.sequence(dims, word).windows(2) {
            outputs[hop[0] as usize].insert(hop[1]);
        }
    }
    outputs
}

/// Number of outputs, for 2 to 12 dimensions.
fn outputs() -> Value {
    let most = |rule, dims| connections(rule, dims).iter().map(BTreeSet::len).max();
    let all: Vec<u32> = (2..=DIMS_MAX).collect();
    let over = |of: &dyn Fn(u32) -> i64| -> Vec<i64> { all.iter().map(|k| of(*k)).collect() };
    let widest = |dims: u32| most(RotationRule::Minimal, dims).unwrap_or(0) as i64;
    let total = |dims: u32| -> i64 {
        let outputs = connections(RotationRule::Minimal, dims);
        outputs.iter().map(|set| set.len() as i64).sum()
    };
    // There are k/2 words with two bits half a rotation apart. No other word has consecutive
    // dimensions that far apart.
    let opposite = |dims: u32| {
        let half = |hop: &[u32]| (hop[0] + dims - hop[1]) % dims == dims / 2;
        let words = (1..1u32 << dims).filter(|word| {
            let route = RotationRule::Minimal.sequence(dims, *word);
            dims.is_multiple_of(2) && route.windows(2).any(half)
        });
        words.map(u32::count_ones).collect::<BTreeSet<_>>()
    };
    let opposite_words: BTreeSet<u32> = all.iter().flat_map(|dims| opposite(*dims)).collect();
    json!({
        "dims": all,
        "over_half_of_k": over(&|k| widest(k) - i64::from(k / 2)),
        "connections_over_the_least": over(&|k| total(k) - i64::from(k * (k - 1) / 2)),
        "ones_in_words_half_a_turn_apart": opposite_words,
        "thacker_at_5": most(RotationRule::Thacker, 5), "thacker_at_8": most(RotationRule::Thacker, 8),
    })
}

/// Number of messages on a channel when all pairs send. Counts are by dimension, because all nodes
/// have the same counts.
struct RotationLoads {
    /// Indexed by step.
    steps: Vec<Vec<u32>>,
    total: Vec<u32>,
}

fn loads(rule: RotationRule, dims: u32, is_counted: impl Fn(u32) -> bool) -> RotationLoads {
    let mut steps = vec![vec![0; dims as usize]; dims as usize];
    for word in (1..1u32 << dims).filter(|word| is_counted(*word)) {
        for (step, dim) in rule.sequence(dims, word).into_iter().enumerate() {
            steps[step][dim as usize] += 1;
        }
    }
    let total = (0..dims as usize).map(|dim| steps.iter().map(|step| step[dim]).sum()).collect();
    RotationLoads { steps, total }
}

/// Returns the greatest difference between two dimensions.
fn spread(loads: &[u32]) -> u32 {
    loads.iter().max().unwrap_or(&0) - loads.iter().min().unwrap_or(&0)
}

/// Balance of the channel loads, in total and in each step.
fn balance() -> Value {
    let uneven = |dims: u32| {
        let loads = loads(RotationRule::Minimal, dims, |_| true);
        loads.total.iter().any(|load| *load != 1 << (dims - 1))
    };
    let per_step = |rule, dims: u32, counted: &dyn Fn(u32) -> bool| {
        let loads = loads(rule, dims, counted);
        loads.steps.iter().map(|step| spread(step)).max()
    };
    let whole = |dims| per_step(RotationRule::Minimal, dims, &|_| true).unwrap_or(0);
    let primes: Vec<u32> = (2..=DIMS_MAX + 1).filter(|dims| is_prime(*dims)).collect();
    let composite = (4..=DIMS_MAX).filter(|dims| !is_prime(*dims));
    let aperiodic = (2..=DIMS_MAX)
        .filter_map(|dims| per_step(RotationRule::Minimal, dims, &|word| !is_periodic(dims, word)))
        .max();
    let without_ones = primes.iter().filter_map(|dims| {
        let ones = (1 << dims) - 1;
        per_step(RotationRule::Minimal, *dims, &|word| word != ones)
    });
    let antipodal: Vec<bool> = (2..=DIMS_MAX)
        .map(|dims| {
            let route = RotationRule::Minimal.sequence(dims, (1 << dims) - 1);
            route == (0..dims).rev().collect::<Vec<_>>()
        })
        .collect();
    let thacker = loads(RotationRule::Thacker, 4, |_| true);
    // Counts node by node on the 5-cube.
    let mut at = BTreeMap::new();
    for source in 0..32u32 {
        for destination in (0..32).filter(|to| *to != source) {
            let mut here = source;
            let route = RotationRule::Minimal.sequence(5, source ^ destination);
            for (step, dim) in route.into_iter().enumerate() {
                *at.entry((step, dim, here)).or_insert(0u32) += 1;
                here ^= 1 << dim;
            }
        }
    }
    let mut alike: BTreeMap<(usize, u32), Vec<u32>> = BTreeMap::new();
    for ((step, dim, _), load) in at {
        alike.entry((step, dim)).or_default().push(load);
    }
    let uneven_between = |loads: &&Vec<u32>| loads.len() != 32 || spread(loads) != 0;
    json!({
        "dims_with_uneven_totals": (2..=DIMS_MAX).filter(|dims| uneven(*dims)).count(),
        "uneven_between_switches": alike.values().filter(uneven_between).count(),
        "thacker_totals": thacker.total, "thacker_steps": thacker.steps,
        "thacker_spread": thacker.steps.iter().map(|step| spread(step)).max(),
        "minimal_spread_at_4": whole(4),
        "aperiodic_spread": aperiodic,
        "prime_spread_without_ones": without_ones.max(),
        "composite": composite.map(|k| (k.to_string(), whole(k))).collect::<BTreeMap<_, _>>(),
        "antipodal_ways_from_left_to_right": antipodal.iter().all(|is| *is),
    })
}

/// Routing around a failed switch of the 4-cube. For each failed switch, checks whether a shortest
/// path connects every live pair. Also returns the number of connections in a switch.
fn failed_switch() -> Value {
    let cube = Hypercube::of(Rewiring::DIMS);
    let (mut pairs, mut shortest) = (0, 0);
    let (mut most, mut widest) = (0, 0);
    for failed in cube.addresses() {
        let routing = RewiredRouting { failed, channels: 2 };
        let live = |node: &u32| *node != failed;
        for source in cube.addresses().filter(live) {
            for destination in cube.addresses().filter(live).filter(|to| *to != source) {
                let route = routing.route(source, destination);
                let far = cube.distance(source, destination) as usize;
                let clear = route.iter().all(|channel| channel.from.node != failed);
                pairs += 1;
                shortest += u32::from(route.len() == far && clear);
            }
        }
        for node in cube.addresses().filter(live) {
            let outputs = |dim| Rewiring::built_in().outputs(failed, node, dim).count_ones();
            let all: Vec<u32> = (0..Rewiring::DIMS).map(outputs).collect();
            most = most.max(all.iter().sum());
            widest = widest.max(all.into_iter().max().unwrap_or(0));
        }
    }
    // Minimal rotation ignores failures, so this counts the routes through the failed switch. After
    // translation by an xor, each inner node of a route is the failed switch for one pair.
    let inner = |word: u32| RotationRule::Minimal.sequence(cube.dims(), word).len() - 1;
    let lost: usize = (1..cube.nodes()).map(inner).sum();
    json!({
        "lost_with_the_old_wiring": lost,
        "failures": cube.nodes(), "pairs": pairs, "shortest": shortest,
        "connections": most, "outputs_of_an_input": widest,
        // The note argues that 7 switches have more connections than 8 had.
        "seven_switches": 7 * 7, "eight_switches": 8 * 6, "average": 8.0 * 6.0 / 7.0 / 4.0,
    })
}

#[cfg(test)]
mod tests {
    use super::{balance, failed_switch, outputs};

    /// Figures confirmed by other models.
    #[test]
    fn figures_match_the_ledger() {
        let found = balance();
        assert_eq!(found["thacker_steps"][1], serde_json::json!([3, 4, 2, 2]));
        assert_eq!(found["composite"]["6"], 3);
        assert_eq!(found["composite"]["8"], 3);
        assert_eq!(found["composite"]["12"], 12);
        assert_eq!(outputs()["thacker_at_8"], 6);
        assert_eq!(failed_switch()["shortest"], 3360);
    }
}
