//! The wires of time-multiplexed nodes. Each end sees the level that the other end pulls, with the
//! delay that [`TimeMultiplexedWires`] documents.

use crate::agreement::agree::agree;
use crate::agreement::engines;
use hdl::lower::Circuit;
use interconnect::topology::{Hypercube, Metacube};
use interconnect::traffic::SplitMix64;
use rtl::hosted::TimeMultiplexedWires;

#[test]
fn time_multiplexed_wires_agree() {
    agree(TimeMultiplexedWires::<4, 4, 16>::default);
}

#[test]
fn time_multiplexed_wires_join_the_nodes_of_a_cube() {
    join::<TimeMultiplexedWires<4, 4, 16>>(Hypercube::of(4).into());
}

#[test]
fn time_multiplexed_wires_join_the_nodes_of_a_metacube() {
    join::<TimeMultiplexedWires<2, 3, 8>>(Metacube::of(1, 1));
}

fn join<C: Circuit + Default + 'static>(shape: Metacube) {
    let nodes = shape.nodes();
    for mut engine in engines::both(C::default) {
        let mut random = SplitMix64::new(9);
        let inputs = ["node", "pull", "holds"].map(|name| engine.port(name));
        let outputs = ["level", "clash"].map(|name| engine.port(name));
        // Pull and hold of each node, in its current clock cycle and its previous one.
        let mut now = vec![[0; 2]; nodes as usize];
        let mut before = now.clone();
        for _ in 0..200 {
            for node in 0..nodes {
                now[node as usize] = [(); 2].map(|()| random.below(1 << shape.links()));
                let own = now[node as usize];
                for (port, value) in inputs.into_iter().zip([node.into(), own[0], own[1]]) {
                    engine.set_u64(port, value);
                }
                let mut others = [0; 2];
                for link in 0..shape.links() {
                    let other = shape.neighbour(node, link);
                    let seen = if other < node { &now } else { &before };
                    for (others, seen) in others.iter_mut().zip(seen[other as usize]) {
                        *others |= seen & (1 << link);
                    }
                }
                engine.settle().unwrap();
                let shown = outputs.map(|port| engine.get_u64(port));
                let low = own[0] | others[0];
                let level = !low & ((1 << shape.links()) - 1);
                let expected = [level, own[1] & others[1]];
                assert_eq!(shown, expected, "node {node}, {}", engine.name());
                engine.clock().unwrap();
            }
            before.clone_from(&now);
        }
    }
}
