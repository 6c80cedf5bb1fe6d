//! Checks a routing relation for deadlock, without a circuit: a mesh with edges, with adaptive
//! minimal routing on virtual channel 1 and dimension order as its escape on virtual channel 0.

use phasecube::routing::dependencies::{check_escape, Switching};
use phasecube::routing::{Channel, Relation};
use phasecube::topology::{Graph, PortEnd, Topology};

const SIDE: u32 = 4;

struct Mesh(Graph);

impl Relation for Mesh {
    fn topology(&self) -> &dyn Topology {
        &self.0
    }

    fn first(&self, at: u32, to: u32) -> Vec<Channel> {
        let step = |at: u32, to: u32, by: u32| if to > at { by } else { 0u32.wrapping_sub(by) };
        let mut useful = vec![];
        if at % SIDE != to % SIDE {
            useful.push(at.wrapping_add(step(at % SIDE, to % SIDE, 1)));
        }
        if at / SIDE != to / SIDE {
            useful.push(at.wrapping_add(step(at / SIDE, to / SIDE, SIDE)));
        }
        let end = |next: &u32| PortEnd::new(at, self.0.port_to(at, *next).unwrap());
        let escape = useful.iter().take(1).map(|next| Channel::new(end(next), 0));
        escape.chain(useful.iter().map(|next| Channel::new(end(next), 1))).collect()
    }

    fn next(&self, channel: Channel, to: u32) -> Vec<Channel> {
        self.first(self.0.peer(channel.from).node, to)
    }

    fn is_escape(&self, channel: Channel, _: u32) -> bool {
        channel.vc == 0
    }
}

fn main() {
    let mut graph = Graph::default();
    for row in 0..SIDE {
        for x in 1..SIDE {
            for [a, b] in [[x - 1, x], [x, x - 1]] {
                let add = |graph: &mut Graph, a: u32, b: u32| {
                    graph.add_channel(&a.to_string(), &b.to_string())
                };
                add(&mut graph, row * SIDE + a, row * SIDE + b).unwrap();
                add(&mut graph, a * SIDE + row, b * SIDE + row).unwrap();
            }
        }
    }
    println!("{:?}", check_escape(&Mesh(graph), Switching::Wormhole));
}
