//! Machine of separate engines, one per node and one for the shared circuit, with the wires outside
//! of them. The reference engine runs machines in this form.

use super::{Array, Feed};
use crate::engine::{
    Engine, EngineError, NodeEngine, NodePort, PortId, Reference, SharedPort, ROUNDS,
};
use hdl::lower::Circuit;
use lockstep::lanes::LaneMap;

/// Engines of a machine's circuits.
pub struct Blocks {
    /// Node engines, with the ports of the array's node.
    pub nodes: Vec<Box<dyn Engine>>,
    /// Engine of the shared circuit, with its ports.
    pub shared: Box<dyn Engine>,
}

impl Blocks {
    /// Makes this number of node blocks and the shared one, each in the reference.
    ///
    /// # Errors
    /// As [`Reference::new`].
    pub fn of(
        nodes: usize,
        node: impl Fn() -> Box<dyn Circuit>,
        shared: Box<dyn Circuit>,
    ) -> Result<Self, EngineError> {
        Ok(Blocks {
            nodes: Reference::copies(nodes, node)?,
            shared: Box::new(Reference::boxed(shared)?),
        })
    }
}

/// Machine that is simulated node by node. After each evaluation the wires are propagated until
/// nothing changes.
pub struct Assembly {
    blocks: Blocks,
    wires: Vec<Connection>,
    /// Nodes whose inputs have changed since their last evaluation.
    stale: Vec<bool>,
    shared_stale: bool,
    /// Buffer for one output of all nodes.
    outputs: Vec<u64>,
}

/// Input of the nodes and its source.
struct Connection {
    input: PortId,
    feed: Connected,
    /// Value of the input at each node.
    values: Vec<u64>,
}

enum Connected {
    Shared(PortId),
    /// For each bit of the input: the output, its bit, and the node.
    Nodes(Vec<(PortId, u32, LaneMap)>),
}

impl Array {
    /// Assembles the machine from these engines and settles it.
    ///
    /// # Errors
    /// If it does not settle.
    ///
    /// # Panics
    /// If the number of engines differs from the number of nodes, or their ports differ.
    pub fn assemble(&self, mut blocks: Blocks) -> Result<Assembly, EngineError> {
        assert_eq!(blocks.nodes.len(), self.nodes, "an engine for each node");
        let node = &blocks.nodes[0];
        let mut wires = vec![];
        for wire in &self.wiring {
            let feed = match &wire.feed {
                Feed::Number => continue,
                Feed::Shared(output) => Connected::Shared(blocks.shared.port(output)),
                Feed::Nodes(lines) => Connected::Nodes(
                    lines
                        .iter()
                        .map(|line| (node.port(&line.output), line.bit, line.node.clone()))
                        .collect(),
                ),
            };
            wires.push(Connection {
                input: node.port(&wire.input),
                feed,
                values: vec![0; self.nodes],
            });
        }
        for wire in self.wiring.iter().filter(|w| w.feed == Feed::Number) {
            for (number, node) in (0..).zip(&mut blocks.nodes) {
                node.set_u64(node.port(&wire.input), number);
            }
        }
        let mut assembly = Assembly {
            wires,
            stale: vec![true; self.nodes],
            shared_stale: true,
            outputs: vec![],
            blocks,
        };
        assembly.settle()?;
        Ok(assembly)
    }
}

impl Assembly {
    /// Propagates every wire. Returns whether an input of a node has changed.
    fn follow(&mut self) -> bool {
        let Blocks { nodes, shared } = &mut self.blocks;
        let mut changed = false;
        for wire in &mut self.wires {
            let mut next = vec![0; nodes.len()];
            match &wire.feed {
                Connected::Shared(output) => next.fill(shared.get_u64(*output)),
                Connected::Nodes(lines) => {
                    let mut read = None;
                    for (place, (output, bit, from)) in lines.iter().enumerate() {
                        if read != Some(output) {
                            let outputs = nodes.iter_mut().map(|node| node.get_u64(*output));
                            self.outputs.clear();
                            self.outputs.extend(outputs);
                            read = Some(output);
                        }
                        for (node, value) in next.iter_mut().enumerate() {
                            *value |= (self.outputs[from.from(node)] >> bit & 1) << place;
                        }
                    }
                }
            }
            for (node, (old, new)) in wire.values.iter_mut().zip(next).enumerate() {
                if *old != new {
                    *old = new;
                    nodes[node].set_u64(wire.input, new);
                    self.stale[node] = true;
                    changed = true;
                }
            }
        }
        changed
    }
}

/// Finds an inner signal or a port.
fn find(engine: &mut dyn Engine, path: &str) -> Option<PortId> {
    let inside = engine.signal(path);
    let mut ports = engine.ports().iter();
    inside.or(ports.position(|port| port.name == path).map(PortId))
}

impl NodeEngine for Assembly {
    fn name(&self) -> &'static str {
        self.blocks.shared.name()
    }

    fn nodes(&self) -> usize {
        self.blocks.nodes.len()
    }

    fn port(&mut self, name: &str) -> NodePort {
        NodePort(self.blocks.nodes[0].port(name).0)
    }

    fn shared_port(&mut self, name: &str) -> SharedPort {
        SharedPort(self.blocks.shared.port(name).0)
    }

    fn signal(&mut self, path: &str) -> Option<NodePort> {
        // All nodes have the same circuit, so the position is the same in all.
        let nodes = self.blocks.nodes.iter_mut();
        let places = nodes.map(|node| find(&mut **node, path));
        places.last().flatten().map(|id| NodePort(id.0))
    }

    fn shared_signal(&mut self, path: &str) -> Option<SharedPort> {
        find(&mut *self.blocks.shared, path).map(|id| SharedPort(id.0))
    }

    fn set(&mut self, port: NodePort, node: usize, value: u64) {
        self.blocks.nodes[node].set_u64(PortId(port.0), value);
        self.stale[node] = true;
    }

    fn set_shared(&mut self, port: SharedPort, value: u64) {
        self.blocks.shared.set_u64(PortId(port.0), value);
        self.shared_stale = true;
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        for _ in 0..ROUNDS {
            if std::mem::take(&mut self.shared_stale) {
                self.blocks.shared.settle()?;
            }
            for (node, stale) in self.blocks.nodes.iter_mut().zip(&mut self.stale) {
                if std::mem::take(stale) {
                    node.settle()?;
                }
            }
            if !self.follow() {
                return Ok(());
            }
        }
        Err(EngineError::Unsettled { rounds: ROUNDS })
    }

    fn get(&mut self, port: NodePort, node: usize) -> u64 {
        self.blocks.nodes[node].get_u64(PortId(port.0))
    }

    fn get_shared(&mut self, port: SharedPort) -> u64 {
        self.blocks.shared.get_u64(PortId(port.0))
    }

    /// All engines settle before the first clock edge. No engine reads another one until all have
    /// had their clock edges.
    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        self.blocks.shared.clock()?;
        for node in &mut self.blocks.nodes {
            node.clock()?;
        }
        self.settle()
    }
}
