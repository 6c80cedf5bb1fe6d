//! Machine of separate engines, one per node and one for the shared circuit, with the wires outside
//! of them. The reference engine runs machines in this form.

use super::{Array, Feed};
use engine::{
    CircuitEngine, EngineError, NodeEngine, NodePortId, PortId, ReferenceEngine, SharedPortId,
    MAX_ROUNDS,
};
use hdl::lower::Circuit;
use lockstep::lanes::LaneMap;

/// Engines of a machine's circuits.
pub struct BlockEngines {
    /// Node engines, with the ports of the array's node.
    pub nodes: Vec<Box<dyn CircuitEngine>>,
    /// Engine of the shared circuit, with its ports.
    pub shared: Box<dyn CircuitEngine>,
}

impl BlockEngines {
    /// Makes this number of node blocks and the shared one, each in the reference.
    ///
    /// # Errors
    /// As [`ReferenceEngine::new`].
    pub fn of(
        nodes: usize,
        node: impl Fn() -> Box<dyn Circuit>,
        shared: Box<dyn Circuit>,
    ) -> Result<Self, EngineError> {
        Ok(BlockEngines {
            nodes: ReferenceEngine::copies(nodes, node)?,
            shared: Box::new(ReferenceEngine::boxed(shared)?),
        })
    }
}

/// Machine that is simulated node by node. After each evaluation the wires are propagated until
/// nothing changes.
pub struct Assembly {
    blocks: BlockEngines,
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
    feed: ConnectionSource,
    /// Value of the input at each node.
    values: Vec<u64>,
}

enum ConnectionSource {
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
    pub fn assemble(&self, mut blocks: BlockEngines) -> Result<Assembly, EngineError> {
        assert_eq!(blocks.nodes.len(), self.nodes, "an engine for each node");
        let node = &blocks.nodes[0];
        let mut wires = vec![];
        for wire in &self.wiring {
            let feed = match &wire.feed {
                Feed::Number => continue,
                Feed::Shared(output) => ConnectionSource::Shared(blocks.shared.port(output)),
                Feed::Nodes(lines) => ConnectionSource::Nodes(
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
    fn propagate_wires(&mut self) -> bool {
        let BlockEngines { nodes, shared } = &mut self.blocks;
        let mut changed = false;
        for wire in &mut self.wires {
            let mut next = vec![0; nodes.len()];
            match &wire.feed {
                ConnectionSource::Shared(output) => next.fill(shared.get_u64(*output)),
                ConnectionSource::Nodes(lines) => {
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
fn find(engine: &mut dyn CircuitEngine, path: &str) -> Option<PortId> {
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

    fn port(&mut self, name: &str) -> NodePortId {
        NodePortId(self.blocks.nodes[0].port(name).0)
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        SharedPortId(self.blocks.shared.port(name).0)
    }

    fn signal(&mut self, path: &str) -> Option<NodePortId> {
        // All nodes have the same circuit, so the position is the same in all.
        let nodes = self.blocks.nodes.iter_mut();
        let places = nodes.map(|node| find(&mut **node, path));
        places.last().flatten().map(|id| NodePortId(id.0))
    }

    fn shared_signal(&mut self, path: &str) -> Option<SharedPortId> {
        find(&mut *self.blocks.shared, path).map(|id| SharedPortId(id.0))
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        self.blocks.nodes[node].set_u64(PortId(port.0), value);
        self.stale[node] = true;
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        self.blocks.shared.set_u64(PortId(port.0), value);
        self.shared_stale = true;
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        for _ in 0..MAX_ROUNDS {
            if std::mem::take(&mut self.shared_stale) {
                self.blocks.shared.settle()?;
            }
            for (node, stale) in self.blocks.nodes.iter_mut().zip(&mut self.stale) {
                if std::mem::take(stale) {
                    node.settle()?;
                }
            }
            if !self.propagate_wires() {
                return Ok(());
            }
        }
        Err(EngineError::Unsettled { rounds: MAX_ROUNDS })
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        self.blocks.nodes[node].get_u64(PortId(port.0))
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
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
