//! Figures of the paper "torus-routing-chip".

use super::ClaimComputation;
use engine::{CircuitEngine, EvaluatorEngine};
use hdl::lower::lower;
use interconnect::routing::dependencies::DependencyGraph;
use interconnect::routing::hypercube::ECube;
use interconnect::routing::torus::{TorusRouting, VcSwitchNode};
use interconnect::routing::Relation;
use interconnect::topology::{Hypercube, Torus};
use interconnect::traffic::{ExchangeOrder, Recipe};
use rtl::bytes::ByteChannel;
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TABLE: &[(&str, ClaimComputation)] = &[
    ("torus-sizes", sizes),
    ("torus-diameters", diameters),
    ("torus-bisection", bisection),
    ("torus-same-bisection", same_bisection),
    ("torus-folded", folded_ring),
    ("torus-acyclic", acyclic),
    ("torus-crosspoints", crosspoints),
    ("torus-byte-rate", byte_rate),
    ("torus-turns", arbitration),
];

fn torus(radices: &[u32]) -> Torus {
    Torus::new(radices).expect("it is of the sizes there are")
}

/// Largest torus with two dimensions and a one-byte address in each.
fn sizes() -> Value {
    let largest = torus(&[Torus::MAX_RADIX; 2]);
    let relative = largest.addresses().map(|to| largest.relative(0, to, 0)).max();
    let chips = |dims: u32| dims.div_ceil(2);
    json!({
        "radix": Torus::MAX_RADIX, "nodes": largest.nodes(), "largest_address": relative,
        "chips_for_4_dimensions": chips(4),
    })
}

/// Diameters of k x k nodes, for k = 2, 4, 8 and 16, beside cubes with the same number of nodes.
fn diameters() -> Value {
    let row = |bits: u32| {
        let k = 1 << bits;
        let cube = 2 * bits;
        let diameter = torus(&[k, k]).diameter();
        let ratio = f64::from(diameter) / f64::from(cube);
        json!({"radix": k, "diameter": diameter, "cube": cube, "times": ratio,
               "by_the_formula": 2.0 * f64::from(k) / f64::from(cube),
               "by_ours": 2.0 * f64::from(k - 1) / f64::from(cube)})
    };
    let rows: Vec<Value> = (1..=4).map(row).collect();
    json!({"squares": rows})
}

/// Wires across the bisection of 256 nodes.
fn bisection() -> Value {
    let cube = Hypercube::of(8);
    let half = cube.nodes() / 2;
    // Each link has one wire in each direction.
    let in_cube = cube.addresses().filter(|node| {
        let crosses = |dim| (node < &half) != (cube.neighbour(*node, dim) < half);
        (0..cube.dims()).any(crosses)
    });
    let torus = torus(&[16, 16]);
    let upper = |node: u32| torus.coordinate(node, 1) < 8;
    let channels = torus.addresses().flat_map(|node| (0..2).map(move |dim| (node, dim)));
    let crossing = channels.filter(|(node, dim)| upper(*node) != upper(torus.next(*node, *dim)));
    let channels = crossing.count();
    json!({"cube_wires": in_cube.count(), "torus_channels": channels,
           "torus_wires": 8 * channels})
}

/// Busiest channel of 16 x 16 nodes and of an 8-cube with the same number of wires across the
/// bisection. A torus channel has eight wires. A cube link has one wire in each direction. A
/// message occupies a torus channel for an eighth of the time that it occupies a cube link.
fn same_bisection() -> Value {
    const WIRES: f64 = 8.0;
    let cube = ECube(Hypercube::of(8));
    let torus = TorusRouting::new(torus(&[16, 16]), VcSwitchNode::AtOrigin);
    let row = |pattern: &str| {
        let recipe = Recipe {
            pattern: pattern.parse().expect("it is a pattern"),
            seed: 1,
            payload: 1,
            order: ExchangeOrder::default(),
        };
        let messages = recipe.list(cube.0).expect("256 nodes have it");
        let ends: Vec<(u32, u32)> = (0..messages.len())
            .map(|i| messages.get(i))
            .map(|message| (message.source, message.destination))
            .collect();
        let (cube, torus) = (busiest(&cube, &ends), busiest(&torus, &ends) / WIRES);
        json!({"pattern": pattern, "cube": cube, "torus": torus, "times": cube / torus})
    };
    let spread = ["permutation", "relation:16", "relation:64"].map(row);
    let uneven = ["transpose", "bitrev", "hotspot"].map(row);
    json!({"spread": spread, "uneven": uneven})
}

/// Messages over the busiest channel. The virtual channels of a channel count together.
fn busiest(relation: &dyn Relation, ends: &[(u32, u32)]) -> f64 {
    let mut loads: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (source, destination) in ends {
        for channel in relation.route(*source, *destination) {
            *loads.entry((channel.from.node, channel.from.port)).or_default() += 1;
        }
    }
    f64::from(loads.into_values().max().unwrap_or(0))
}

/// Ring of k nodes folded together at the ends: distance in positions between neighbours.
fn folded_ring() -> Value {
    let longest = |k: i64| {
        // The ring goes up on the even positions and down on the odd ones.
        let place = |node: i64| {
            if 2 * node < k {
                2 * node
            } else {
                2 * (k - node) - 1
            }
        };
        let spans = (0..k).map(|node| (place(node) - place((node + 1) % k)).abs());
        spans.max().unwrap_or(0)
    };
    let most = (3..=256).map(longest).max();
    json!({"longest_wire": most})
}

/// Number of tested tori that have an acyclic channel order: by the rules of section 4 and Figure
/// 2B, and with one virtual channel.
fn acyclic() -> Value {
    let shapes: [&[u32]; 10] =
        [&[3], &[4], &[5], &[8], &[16], &[3, 3], &[4, 4], &[4, 2], &[5, 3], &[3, 3, 3]];
    let has_order = |radices: &[u32], switch, channels| {
        let routing = TorusRouting { channels, ..TorusRouting::new(torus(radices), switch) };
        let graph = DependencyGraph::of(&routing).expect("torus routing leads home");
        graph.order().is_some()
    };
    let count = |switch, channels| {
        let shapes = shapes.iter();
        shapes.filter(|radices| has_order(radices, switch, channels)).count()
    };
    // Binary tori with one virtual channel.
    let binary = |dims: usize| has_order(&vec![2; dims], VcSwitchNode::AtOrigin, 1);
    json!({
        "tried": shapes.len(), "section_4": count(VcSwitchNode::AtOrigin, 2),
        "figure_2b": count(VcSwitchNode::AfterOrigin, 2), "one_virtual_channel": count(VcSwitchNode::AtOrigin, 1),
        "binary_tried": 6, "binary": (1..=6).filter(|dims| binary(*dims)).count(),
    })
}

/// Crosspoints that some packet uses in a chip with two dimensions.
fn crosspoints() -> Value {
    let routing = TorusRouting::new(torus(&[4, 4]), VcSwitchNode::AtOrigin);
    let mut taken = BTreeSet::new();
    let name = |port: u32, vc: u32| format!("{}{vc}", ["X", "Y"][port as usize]);
    for source in routing.torus.addresses() {
        for destination in routing.torus.addresses() {
            let route = routing.route(source, destination);
            let inner = route.iter().map(|c| name(c.from.port, c.vc));
            let stops: Vec<String> =
                std::iter::once("P".to_owned()).chain(inner).chain(["P".to_owned()]).collect();
            taken.extend(stops.windows(2).map(<[String]>::to_vec));
        }
    }
    json!({"all": 25, "taken": taken.len(), "which": taken})
}

/// Rate in Mbit/s of a channel of eight wires, from the time of a byte.
fn byte_rate() -> Value {
    let of = |ns: f64| 8.0 * 1000.0 / ns;
    json!({"mhz_at_250_ns": 1000.0 / 250.0, "one_virtual_channel": of(250.0),
           "two_virtual_channels": 2.0 * of(250.0), "set_up_ns": 150 - 60})
}

/// Returns the virtual channels of the bytes on a channel's wires, in order, if both always have a
/// byte to send. The receiver takes a byte of channel 1 only after `wait_of_1` bytes of channel 0.
fn order_of_bytes(bytes: usize, wait_of_1: usize) -> Vec<usize> {
    let circuit = lower(&ByteChannel::<8, 2>::default()).expect("it is published");
    let mut channel = EvaluatorEngine::new(&circuit).expect("it is published");
    let ports = |name: &str| [0, 1].map(|v| channel.port(&format!("{name}[{v}]")));
    let [offer, sent, present, take] = ["offer", "sent", "present", "take"].map(ports);
    offer.iter().for_each(|port| channel.set_u64(*port, 1));
    let mut order = vec![];
    while order.len() < bytes {
        channel.settle().expect("it has no loop");
        let zeros = order.iter().filter(|v| **v == 0).count();
        for v in 0..2 {
            let taken = channel.get_u64(present[v]) == 1 && (v == 0 || zeros >= wait_of_1);
            channel.set_u64(take[v], taken.into());
        }
        channel.settle().expect("it has no loop");
        order.extend((0..2).filter(|v| channel.get_u64(sent[*v]) == 1));
        channel.clock().expect("it has no loop");
    }
    order
}

/// Arbitration between two virtual channels, by the circuit of a channel.
fn arbitration() -> Value {
    let both = order_of_bytes(64, 0);
    let longest = both.chunk_by(|a, b| a == b).map(<[usize]>::len).max();
    // Figure 8: the byte of X1 is acknowledged after two bytes of X0.
    let late = order_of_bytes(16, 2);
    let from = late.iter().position(|v| *v == 1).unwrap_or_default();
    json!({"both_ready": both.len(), "longest_run": longest, "figure_8": late[from..from + 4]})
}

#[cfg(test)]
mod tests {
    use super::{bisection, crosspoints, diameters};

    /// The list in docs and circuits, computed in a different way.
    #[test]
    fn fifteen_crosspoints_are_used() {
        let found = crosspoints();
        assert_eq!(found["taken"], 15, "{found}");
    }

    #[test]
    fn figures_match_the_ledger() {
        assert_eq!(diameters()["squares"][3]["diameter"], 30);
        assert_eq!(bisection()["cube_wires"], 256);
        assert_eq!(bisection()["torus_channels"], 32);
    }
}
