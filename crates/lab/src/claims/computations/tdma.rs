//! Figures of the paper "tdma-hypercube".

use super::ClaimComputation;
use interconnect::routing::hypercube;
use interconnect::routing::tdma::{PhaseSchedule, Role};
use interconnect::topology::Hypercube;
use machine::networks::tdma::OVERHEAD;
use serde_json::{json, Value};
use std::collections::HashSet;

pub(super) const TABLE: &[(&str, ClaimComputation)] = &[
    ("tdma-schedule", schedule),
    ("tdma-lone-message", lone_message),
    ("tdma-all-permutations", all_permutations),
    ("tdma-distances", distances),
    ("tdma-rates", rates),
    ("tdma-bandwidth", bandwidth),
    ("tdma-speed", link_capacity),
    ("tdma-grid", grid),
];

/// Cube of the paper's machine.
const CUBE: Hypercube = Hypercube::of(12);

/// Bits of a UART byte on the wire, 8N1.
const BITS_OF_A_BYTE: u32 = 10;

/// Superframe of the 12-cube: which nodes send on which link, phase by phase.
fn schedule() -> Value {
    let schedule = PhaseSchedule::new(CUBE);
    let phases = 2 * CUBE.dims();
    let sends = |node, phase| schedule.role(node, phase) == Role::Transmitter;
    let row = |phase| {
        let slot = schedule.slot(phase);
        let senders = CUBE.addresses().filter(|node| sends(*node, phase)).count();
        json!({"phase": phase, "dim": slot.dim, "bit": slot.transmit_bit, "senders": senders})
    };
    // Counts how often a node sends on one of its links, and checks whether both ends ever send at
    // once.
    let uses = |node, dim| {
        let at = [2 * dim, 2 * dim + 1];
        at.into_iter().filter(|phase| sends(node, *phase)).count()
    };
    let ends = || CUBE.addresses().flat_map(|node| (0..CUBE.dims()).map(move |dim| (node, dim)));
    let counts: HashSet<usize> = ends().map(|(node, dim)| uses(node, dim)).collect();
    let both = ends().any(|(node, dim)| {
        let other = CUBE.neighbour(node, dim);
        (2 * dim..2 * dim + 2).any(|phase| sends(node, phase) && sends(other, phase))
    });
    // A node that is one phase late sends when it should have sent one phase before.
    let late = ends().any(|(node, dim)| {
        let other = CUBE.neighbour(node, dim);
        sends(node, 2 * dim) && sends(other, 2 * dim + 1)
    });
    let rows: Vec<Value> = (0..phases).map(row).collect();
    json!({
        "nodes": CUBE.nodes(), "links": CUBE.link_count(), "phases": phases, "rows": rows,
        "uses_one_way": counts.into_iter().collect::<Vec<_>>(), "both_ends_send": both,
        "both_ends_send_if_one_is_late": late,
    })
}

/// Greatest number of phases from readiness to arrival of a lone message, over all pairs, for 2 to
/// 9 dimensions. The message is ready at phase 0, or at any phase.
///
/// The message crosses its dimensions in ascending order, each in the phase of the sender's bit.
/// Only one property of each dimension matters: not crossed, crossed upwards, or crossed downwards.
fn lone_message() -> Value {
    let all: Vec<u32> = (2..=9).collect();
    let worst = |dims: u32, starts: u32| -> u32 {
        let arrival = |start: u32, mut crossings: u32| {
            let mut phase = start;
            for dim in 0..dims {
                let crossing = crossings % 3;
                crossings /= 3;
                if crossing > 0 {
                    let slot = 2 * dim + crossing - 1;
                    let wait = (slot + 2 * dims - phase % (2 * dims)) % (2 * dims);
                    phase += wait + 1;
                }
            }
            phase - start
        };
        let crossings = 0..3u32.pow(dims);
        let each = |start| crossings.clone().map(move |ways| arrival(start, ways));
        (0..starts).flat_map(each).max().unwrap_or(0)
    };
    let of = |starts: fn(u32) -> u32| -> Vec<u32> {
        all.iter().map(|dims| worst(*dims, starts(*dims))).collect()
    };
    let (zero, any) = (of(|_| 1), of(|dims| 2 * dims));
    let over = |found: &[u32], law: fn(u32) -> u32| -> Vec<i64> {
        let pairs = found.iter().zip(&all);
        pairs.map(|(found, dims)| i64::from(*found) - i64::from(law(*dims))).collect()
    };
    json!({
        "dims": all, "ready_at_phase_0": zero, "ready_at_any_phase": any,
        "at_phase_0_over_2n": over(&zero, |n| 2 * n),
        "at_any_phase_over_2n": over(&any, |n| 2 * n),
        "at_any_phase_over_4n_minus_1": over(&any, |n| 4 * n - 1),
    })
}

/// Number of permutations of the 3-cube that complete in one superframe: those in which no two
/// messages want the same direction of a link.
fn all_permutations() -> Value {
    let mut order: Vec<u32> = (0..8).collect();
    let (mut all, mut pass) = (0u32, 0u32);
    for_each_permutation(&mut order, 0, &mut |order| {
        let mut used = HashSet::new();
        let mut links = (0u32..).zip(order).flat_map(|(from, to)| hypercube::hops(from, *to));
        all += 1;
        pass += u32::from(links.all(|(node, dim, _)| used.insert((node, dim))));
    });
    json!({"permutations": all, "in_one_superframe": pass})
}

/// Calls `see` with all orders of the items from position `from` on.
fn for_each_permutation(items: &mut Vec<u32>, from: usize, see: &mut impl FnMut(&[u32])) {
    if from == items.len() {
        return see(items);
    }
    for place in from..items.len() {
        items.swap(from, place);
        for_each_permutation(items, from + 1, see);
        items.swap(from, place);
    }
}

/// Hops between two nodes of the 12-cube, over all pairs.
fn distances() -> Value {
    let hops: Vec<u32> = CUBE.addresses().map(u32::count_ones).collect();
    let sum: u32 = hops.iter().sum();
    json!({
        "mean": f64::from(sum) / f64::from(CUBE.nodes()), "most": hops.iter().max(),
        "with_ten_or_more": hops.iter().filter(|hops| **hops >= 10).count(),
        "of_the_example": (0x2A3u32 ^ 0x91C).count_ones(),
    })
}

/// Bytes that fit into a phase at 1 Mbaud, for the rates of the paper's table.
fn rates() -> Value {
    let frame = |payload: u32| (OVERHEAD as u32 + payload) * BITS_OF_A_BYTE;
    let row = |khz: u32| {
        let bits = 1000 / khz;
        let fits = (0..=80).rev().find(|payload| frame(*payload) <= bits);
        json!({
            "khz": khz, "superframe_us": 2 * CUBE.dims() * 1000 / khz, "bits": bits,
            "bytes": bits / BITS_OF_A_BYTE, "payload": fits,
        })
    };
    let rows: Vec<Value> = [1, 10, 100].map(row).to_vec();
    json!({
        "rates": rows, "frame_of_10_bytes": frame(10),
    })
}

/// Bandwidth in Gbit/s at 1 Mbaud: on all wires, and from end to end.
fn bandwidth() -> Value {
    let nodes = f64::from(CUBE.nodes());
    let phases = f64::from(2 * CUBE.dims());
    let gbits = |senders: f64| senders * 1e6 / 1e9;
    // A message uses one phase's worth of bits. In a total exchange each node receives two messages
    // per superframe, except in one superframe with a single message.
    let exchange = nodes * (nodes - 1.0) / (nodes / 2.0);
    json!({
        "on_the_wires": gbits(nodes / 2.0), "one_message_each": gbits(nodes / phases),
        "total_exchange": gbits(exchange / phases),
    })
}

/// Capacity of links that always work, relative to this schedule: full-duplex links, and wires that
/// carry one direction at a time.
fn link_capacity() -> Value {
    let senders = f64::from(CUBE.nodes() / 2);
    let links = CUBE.link_count() as f64;
    json!({"full_duplex": 2.0 * links / senders, "half_duplex": links / senders})
}

/// Grid of 64 x 64 points on the 12-cube, with each coordinate in Gray code.
fn grid() -> Value {
    let gray = |n: u32| n ^ n >> 1;
    let node = |x: u32, y: u32| gray(x % 64) | gray(y % 64) << 6;
    let points = || (0..64).flat_map(|y| (0..64).map(move |x| (x, y)));
    let steps = |(x, y)| [node(x, y) ^ node(x + 1, y), node(x, y) ^ node(x, y + 1)];
    let apart = points().flat_map(steps).map(u32::count_ones).max();
    let east: HashSet<u32> = points().map(|at| steps(at)[0]).collect();
    json!({"neighbours_apart": apart, "dims_of_a_step_east": east.len()})
}

#[cfg(test)]
mod tests {
    use super::{all_permutations, bandwidth, distances, link_capacity, lone_message};
    use interconnect::routing::compiled::schedule_one_sweep;
    use interconnect::topology::Hypercube;

    /// Figure of the errata, computed by a different model.
    #[test]
    fn permutation_counts_match_the_errata() {
        let found = all_permutations();
        assert_eq!(found["permutations"], 40_320);
        assert_eq!(found["in_one_superframe"], 30_528);
    }

    /// Small cubes, checked with the schedule compiler.
    #[test]
    fn link_conflicts_have_no_one_sweep_schedule() {
        let cube = Hypercube::of(3);
        let clash = [[0, 2], [1, 6]];
        assert!(schedule_one_sweep(cube, &clash).is_none());
        assert!(schedule_one_sweep(cube, &clash[..1]).is_some());
    }

    /// Errata: 47 for 12 dimensions, and 4n - 1 for n dimensions.
    #[test]
    fn a_lone_message_takes_up_to_4n_minus_1_phases() {
        let found = lone_message();
        assert_eq!(found["ready_at_any_phase"][0], 7);
        assert_eq!(found["ready_at_any_phase"][7], 35);
    }

    #[test]
    fn figures_match_the_errata() {
        let gbits = |name: &str| (bandwidth()[name].as_f64().unwrap() * 1000.0).round();
        assert_eq!(gbits("on_the_wires"), 2048.0);
        assert_eq!(gbits("one_message_each"), 171.0);
        assert_eq!(gbits("total_exchange"), 341.0);
        assert_eq!(distances()["mean"], 6.0);
        assert_eq!(link_capacity()["half_duplex"], 12.0);
    }
}
