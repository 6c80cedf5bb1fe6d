//! Channel loads when every node sends a message to every other node, by step of the route.

use super::Relation;
use std::collections::BTreeSet;
use thiserror::Error;

/// Minimum and maximum of a value over all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadRange {
    pub least: u32,
    pub most: u32,
}

/// Channel loads of a relation. Messages always take the first permitted channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelLoads {
    /// Number of messages between different nodes.
    pub messages: u64,
    /// Number of channel crossings by all messages.
    pub hops: u64,
    /// Messages that leave a node in each step, by port.
    pub steps: Vec<Vec<LoadRange>>,
    /// Messages that leave a node in all steps together, by port.
    pub all: Vec<LoadRange>,
    /// Output ports of messages that arrived from a neighbour's port, indexed by that port's
    /// number.
    pub connections: Vec<BTreeSet<u32>>,
}

/// Error: the network has too many pairs to examine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the loads by all pairs of {nodes} nodes cannot be counted; accepted: up to {max} nodes", max = ChannelLoads::MAX_NODES)]
pub struct TooManyNodes {
    pub nodes: u32,
}

impl ChannelLoads {
    /// Maximum number of nodes of a network whose routes differ from node to node.
    pub const MAX_NODES: u32 = 1024;

    /// Computes the loads of all pairs.
    ///
    /// # Errors
    /// Returns an error if there are too many pairs.
    pub fn of(relation: &dyn Relation) -> Result<Self, TooManyNodes> {
        let topology = relation.topology();
        let nodes = topology.nodes();
        if relation.is_translation_invariant() {
            return Ok(count_loads(relation, 0..1, true));
        }
        if nodes > Self::MAX_NODES {
            return Err(TooManyNodes { nodes });
        }
        Ok(count_loads(relation, 0..nodes, false))
    }
}

/// Counts the loads of the messages of some nodes. If `translated`, the result is scaled to all
/// nodes.
fn count_loads(
    relation: &dyn Relation,
    sources: std::ops::Range<u32>,
    translated: bool,
) -> ChannelLoads {
    let topology = relation.topology();
    let (nodes, ports) = (topology.nodes() as usize, topology.ports() as usize);
    // Each translated copy of a message crosses the port at another node.
    let places = if translated { 1 } else { nodes };
    let mut steps: Vec<Vec<Vec<u32>>> = vec![];
    let mut connections = vec![BTreeSet::new(); ports];
    let (mut messages, mut hops) = (0, 0);
    for source in sources {
        for destination in (0..topology.nodes()).filter(|to| *to != source) {
            let route = relation.route(source, destination);
            messages += 1;
            hops += route.len() as u64;
            for (step, channel) in route.iter().enumerate() {
                if steps.len() == step {
                    steps.push(vec![vec![0; places]; ports]);
                }
                let place = if translated { 0 } else { channel.from.node as usize };
                steps[step][channel.from.port as usize][place] += 1;
            }
            for hop in route.windows(2) {
                connections[hop[0].from.port as usize].insert(hop[1].from.port);
            }
        }
    }
    let copies = (nodes / places) as u64;
    let of_port = |port: usize| -> Vec<u32> {
        let sum = |place: usize| steps.iter().map(|step| step[port][place]).sum();
        (0..places).map(sum).collect()
    };
    ChannelLoads {
        messages: messages * copies,
        hops: hops * copies,
        all: (0..ports).map(|port| extent(&of_port(port))).collect(),
        steps: steps.iter().map(|step| step.iter().map(|port| extent(port)).collect()).collect(),
        connections,
    }
}

fn extent(loads: &[u32]) -> LoadRange {
    LoadRange {
        least: loads.iter().min().copied().unwrap_or(0),
        most: loads.iter().max().copied().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::hypercube::ECube;
    use crate::routing::rotation::{RotationRouting, RotationRule};
    use crate::routing::torus::{TorusRouting, VcSwitchNode};
    use crate::topology::{Hypercube, Torus};

    /// Translated loads equal the loads that are counted pair by pair.
    #[test]
    fn translated_loads_equal_loads_of_all_pairs() {
        for dims in 1..=6 {
            let cube = Hypercube::new(dims).unwrap();
            let minimal = RotationRouting::new(cube);
            let thacker = RotationRouting { rule: RotationRule::Thacker, ..minimal };
            let relations: [&dyn Relation; 3] = [&ECube(cube), &minimal, &thacker];
            for relation in relations {
                assert!(relation.is_translation_invariant());
                let all = count_loads(relation, 0..cube.nodes(), false);
                assert_eq!(ChannelLoads::of(relation), Ok(all));
            }
        }
    }

    /// Loads in a ring of four, drawn by hand. Each node sends messages over one, two and three
    /// channels.
    #[test]
    fn loads_of_a_ring() {
        let ring = TorusRouting::new(Torus::new(&[4]).unwrap(), VcSwitchNode::AtOrigin);
        let loads = ChannelLoads::of(&ring).unwrap();
        let most: Vec<u32> = loads.steps.iter().map(|step| step[0].most).collect();
        assert_eq!((loads.messages, loads.hops), (12, 24));
        assert_eq!(most, [3, 2, 1]);
        assert_eq!(loads.all, [LoadRange { least: 6, most: 6 }]);
        assert_eq!(loads.connections, [BTreeSet::from([0])]);
    }

    #[test]
    fn too_many_nodes_are_rejected() {
        let torus = TorusRouting::new(Torus::new(&[64, 64]).unwrap(), VcSwitchNode::AtOrigin);
        let refused = ChannelLoads::of(&torus).unwrap_err().to_string();
        assert!(refused.ends_with("accepted: up to 1024 nodes"), "{refused}");
    }
}
