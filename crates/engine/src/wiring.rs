//! Wiring of a machine: the sources of the inputs of its nodes.

use interconnect::topology::{PortEnd, Topology};
use lockstep::lanes::LaneMap;

/// Source of an input of every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputWiring {
    /// Input of the node.
    pub input: String,
    pub feed: Feed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feed {
    /// Output of the shared circuit, the same for all nodes.
    Shared(String),
    /// Number of the node, with the width of the input.
    Number,
    /// Outputs of other nodes, one line per bit of the input, the lowest first.
    Nodes(Vec<OutputBit>),
}

/// One bit of an output of another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputBit {
    pub output: String,
    pub bit: u32,
    /// Source node: node `i` reads the line of `node.from(i)`.
    pub node: LaneMap,
}

impl InputWiring {
    /// Connects the input to this output of the shared circuit.
    pub fn shared(input: &str, output: &str) -> Self {
        InputWiring::new(input, Feed::Shared(output.into()))
    }

    /// Connects the input to the number of the node.
    pub fn number(input: &str) -> Self {
        InputWiring::new(input, Feed::Number)
    }

    /// Connects an input with one bit per port to an output with one bit per port. Bit p of a
    /// node's input is what arrives at its port p. The source is the output bit of the node and
    /// port at the other end.
    ///
    /// # Panics
    /// If messages that arrive at a port come from different ports of the nodes. The topology
    /// numbers its ports to avoid this.
    pub fn links(input: &str, output: &str, topology: &dyn Topology) -> Self {
        let line = |port| {
            let (bit, node) = peer_of_port(topology, port);
            OutputBit { output: output.into(), bit, node }
        };
        let lines = (0..topology.ports()).map(line).collect();
        InputWiring::new(input, Feed::Nodes(lines))
    }

    /// Connects an input of `bits` bits to this output of the node whose messages arrive at this
    /// port.
    ///
    /// # Panics
    /// As [`links`](Self::links).
    pub fn word(input: &str, output: &str, bits: u32, topology: &dyn Topology, port: u32) -> Self {
        let (_, node) = peer_of_port(topology, port);
        InputWiring::of_node(input, output, bits, &node)
    }

    /// Connects an input of `bits` bits to this output of the node that receives messages from this
    /// port. Used for signals against the direction of a channel.
    pub fn reverse_word(
        input: &str,
        output: &str,
        bits: u32,
        topology: &dyn Topology,
        port: u32,
    ) -> Self {
        let ends = (0..topology.nodes()).map(|node| topology.peer(PortEnd { node, port }).node);
        InputWiring::of_node(input, output, bits, &lane_map(&ends.collect::<Vec<_>>()))
    }

    fn of_node(input: &str, output: &str, bits: u32, node: &LaneMap) -> Self {
        let line = |bit| OutputBit { output: output.into(), bit, node: node.clone() };
        InputWiring::new(input, Feed::Nodes((0..bits).map(line).collect()))
    }

    fn new(input: &str, feed: Feed) -> Self {
        let input = input.into();
        InputWiring { input, feed }
    }
}

/// Port and node from which the messages at this port come.
fn peer_of_port(topology: &dyn Topology, port: u32) -> (u32, LaneMap) {
    let sources: Vec<PortEnd> =
        (0..topology.nodes()).map(|node| topology.source(PortEnd { node, port })).collect();
    let first = sources[0];
    assert!(
        sources.iter().all(|source| source.port == first.port),
        "{}: what arrives at port {port} leaves by different ports",
        topology.name()
    );
    let nodes: Vec<u32> = sources.iter().map(|source| source.node).collect();
    (first.port, lane_map(&nodes))
}

/// Map from each node to its source, an XOR mask if possible.
fn lane_map(nodes: &[u32]) -> LaneMap {
    let mask = nodes[0];
    match (0..).zip(nodes).all(|(node, from)| *from == node ^ mask) {
        true => LaneMap::Xor(mask),
        false => LaneMap::Table(nodes.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::Hypercube;

    #[test]
    fn cube_links_become_xor_masks() {
        let wire = InputWiring::links("in", "out", &Hypercube::new(3).unwrap());
        let line = |bit, mask| OutputBit { output: "out".into(), bit, node: LaneMap::Xor(mask) };
        let lines = vec![line(0, 1), line(1, 2), line(2, 4)];
        assert_eq!(wire.feed, Feed::Nodes(lines));
    }
}
