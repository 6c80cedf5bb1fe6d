//! Engines as machines of many equal nodes.

use super::{CircuitEngine, EngineError, PortId};
use std::collections::HashMap;
use std::ops::DerefMut;

/// Port of every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodePortId(pub usize);

/// Port of the shared circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedPortId(pub usize);

/// Engine for a machine of many equal nodes. A clock cycle is the same as for [`CircuitEngine`]. Ports
/// have up to 64 bits.
pub trait NodeEngine {
    /// Name of the engine on the command line.
    fn name(&self) -> &'static str;

    fn nodes(&self) -> usize;

    /// Returns the port of the nodes with this name.
    ///
    /// # Panics
    /// If it does not exist. The caller knows the names of a circuit's ports.
    fn port(&mut self, name: &str) -> NodePortId;

    /// Returns the port of the shared circuit with this name.
    ///
    /// # Panics
    /// As [`port`](Self::port).
    fn shared_port(&mut self, name: &str) -> SharedPortId;

    /// Inner signal of the nodes by its hierarchical name (`node.uart.tx`), to be read like a port.
    /// `None` if this engine does not show it.
    fn signal(&mut self, path: &str) -> Option<NodePortId>;

    /// Inner signal of the shared circuit by its hierarchical name.
    fn shared_signal(&mut self, path: &str) -> Option<SharedPortId>;

    /// Sets an input of one node from the present clock cycle on.
    fn set(&mut self, port: NodePortId, node: usize, value: u64);

    /// Sets an input of the shared circuit.
    fn set_shared(&mut self, port: SharedPortId, value: u64);

    /// Settles the combinational logic.
    ///
    /// # Errors
    /// If it does not settle, or the engine's process has ended.
    fn settle(&mut self) -> Result<(), EngineError>;

    /// Settled value of a port of one node.
    fn get(&mut self, port: NodePortId, node: usize) -> u64;

    /// Settled value of a port of the shared circuit.
    fn get_shared(&mut self, port: SharedPortId) -> u64;

    /// Settled values of a port of all nodes, in order.
    fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>) {
        values.clear();
        for node in 0..self.nodes() {
            let value = self.get(port, node);
            values.push(value);
        }
    }

    /// Applies the rising clock edge and leaves the circuit settled.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    fn clock(&mut self) -> Result<(), EngineError>;

    /// Lists the nodes at which a port is not zero, in order. The circuit must be settled.
    fn nonzero(&mut self, port: NodePortId, nodes: &mut Vec<usize>) {
        let mut values = vec![];
        self.get_all(port, &mut values);
        nodes.clear();
        nodes.extend((0..values.len()).filter(|node| values[*node] != 0));
    }

    /// True if one of these ports is not zero at some node. The circuit must be settled.
    fn any(&mut self, ports: &[NodePortId]) -> bool {
        let mut nodes = vec![];
        ports.iter().any(|port| {
            self.nonzero(*port, &mut nodes);
            !nodes.is_empty()
        })
    }

    /// Runs until one of these ports is not zero at some node, for at most `at_most` clock cycles.
    /// Returns the number of clock cycles. Stops before the clock edge, or at once if a port is
    /// already not zero.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    fn clocks_until(&mut self, at_most: u64, ports: &[NodePortId]) -> Result<u64, EngineError> {
        for done in 0..at_most {
            self.settle()?;
            if self.any(ports) {
                return Ok(done);
            }
            self.clock()?;
        }
        Ok(at_most)
    }

    /// Runs this number of clock cycles, without changes of inputs and without reads.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    fn clocks(&mut self, clock_cycles: u64) -> Result<(), EngineError> {
        for _ in 0..clock_cycles {
            self.clock()?;
        }
        Ok(())
    }
}

/// Views an engine that runs a machine as one circuit node by node. Its port `p[i]` is the port `p`
/// of node `i`.
pub struct ByNode<E> {
    engine: E,
    nodes: usize,
    ids: HashMap<String, PortId>,
    ports: Vec<Vec<PortId>>,
}

impl<E: DerefMut<Target: CircuitEngine>> ByNode<E> {
    /// `engine` is owned or borrowed.
    pub fn new(engine: E, nodes: usize) -> Self {
        let names = engine.ports().iter().map(|port| port.name.clone());
        ByNode {
            ids: names.zip((0..).map(PortId)).collect(),
            engine,
            nodes,
            ports: vec![],
        }
    }

    fn id(&self, name: &str) -> PortId {
        let id = self.ids.get(name).copied();
        id.unwrap_or_else(|| panic!("the circuit has no port `{name}`"))
    }
}

impl<E: DerefMut<Target: CircuitEngine>> NodeEngine for ByNode<E> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn port(&mut self, name: &str) -> NodePortId {
        let ids = (0..self.nodes).map(|i| self.id(&format!("{name}[{i}]")));
        let ids = ids.collect();
        self.ports.push(ids);
        NodePortId(self.ports.len() - 1)
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        SharedPortId(self.id(name).0)
    }

    fn signal(&mut self, path: &str) -> Option<NodePortId> {
        let id = |i| {
            let inside = self.engine.signal(&format!("nodes[{i}].{path}"));
            inside.or(self.ids.get(&format!("{path}[{i}]")).copied())
        };
        let ids = (0..self.nodes).map(id).collect::<Option<_>>()?;
        self.ports.push(ids);
        Some(NodePortId(self.ports.len() - 1))
    }

    fn shared_signal(&mut self, path: &str) -> Option<SharedPortId> {
        let inside = self.engine.signal(&format!("shared.{path}"));
        let id = inside.or(self.ids.get(path).copied());
        id.map(|id| SharedPortId(id.0))
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        self.engine.set_u64(self.ports[port.0][node], value);
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        self.engine.set_u64(PortId(port.0), value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        self.engine.get_u64(self.ports[port.0][node])
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
        self.engine.get_u64(PortId(port.0))
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.clock()
    }
}
