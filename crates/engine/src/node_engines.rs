//! Engines as machines of many equal nodes.

use super::{CircuitEngine, EngineError, PortId};
use ::lockstep::lanes::{LaneInput, LaneMachine, LaneProbe, LanesError, StopCondition};
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

    /// Reads a word of a memory of a node, given by its path in the netlist of the node. `None` if
    /// there is no such word, or if the engine cannot read memories.
    fn memory_word(&mut self, _path: &str, _node: usize, _address: usize) -> Option<u64> {
        None
    }

    /// Sets a word of a memory of a node, given as for [`memory_word`](Self::memory_word). Returns
    /// false if there is no such word, or if the engine cannot write memories.
    fn set_memory_word(&mut self, _path: &str, _node: usize, _address: usize, _value: u64) -> bool {
        false
    }

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

/// Implements the name, the number of nodes and these methods of a [`NodeEngine`] that wraps another
/// one: calls the method of its field `engine`.
macro_rules! forward_to_engine {
    ($(fn $method:ident(&mut self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        fn name(&self) -> &'static str {
            self.engine.name()
        }

        fn nodes(&self) -> usize {
            self.engine.nodes()
        }

        $(fn $method(&mut self $(, $argument: $type)*) $(-> $result)? {
            self.engine.$method($($argument),*)
        })*
    };
}
pub(crate) use forward_to_engine;

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
        ByNode { ids: names.zip((0..).map(PortId)).collect(), engine, nodes, ports: vec![] }
    }

    /// Returns the machine as one circuit.
    pub fn circuit(&mut self) -> &mut E::Target {
        &mut self.engine
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

// Lockstep engine, for machines of up to 65,536 equal nodes.

/// Lockstep engine: the netlist of one node with one lane per node, and the shared circuit.
pub struct LockstepEngine {
    machine: LaneMachine,
    ports: Vec<LanePort>,
    shared: Vec<String>,
    /// Watches of earlier waits, by ports.
    watches: Vec<(Vec<NodePortId>, StopCondition)>,
}

/// Port of the nodes.
#[derive(Clone, Copy)]
enum LanePort {
    Input(LaneInput),
    Output(LaneProbe),
}

impl LockstepEngine {
    /// The machine is already wired.
    pub fn new(machine: LaneMachine) -> Self {
        LockstepEngine { machine, ports: vec![], shared: vec![], watches: vec![] }
    }

    /// The machine, for access to any signal that is kept.
    pub fn machine(&mut self) -> &mut LaneMachine {
        &mut self.machine
    }

    fn output(&self, port: NodePortId) -> LaneProbe {
        match self.ports[port.0] {
            LanePort::Output(probe) => probe,
            LanePort::Input(_) => panic!("an input cannot be read"),
        }
    }
}

/// Unwraps a result that cannot fail, because ports and values belong to the engine's circuit.
fn expect_known<T>(result: Result<T, LanesError>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

impl NodeEngine for LockstepEngine {
    fn name(&self) -> &'static str {
        "lockstep"
    }

    fn nodes(&self) -> usize {
        self.machine.lanes()
    }

    fn port(&mut self, name: &str) -> NodePortId {
        let port = match self.machine.input(name) {
            Ok(input) => LanePort::Input(input),
            Err(_) => {
                let output = self.machine.netlist().output(name);
                assert!(output.is_some(), "the circuit has no port `{name}`");
                LanePort::Output(expect_known(self.machine.probe(name)))
            }
        };
        self.ports.push(port);
        NodePortId(self.ports.len() - 1)
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        self.shared.push(name.into());
        SharedPortId(self.shared.len() - 1)
    }

    fn signal(&mut self, path: &str) -> Option<NodePortId> {
        let probe = self.machine.probe(path).ok()?;
        self.ports.push(LanePort::Output(probe));
        Some(NodePortId(self.ports.len() - 1))
    }

    fn shared_signal(&mut self, path: &str) -> Option<SharedPortId> {
        self.machine.helper_signal(path).ok()?;
        Some(self.shared_port(path))
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        match self.ports[port.0] {
            LanePort::Input(input) => expect_known(self.machine.set(input, node, value)),
            LanePort::Output(_) => panic!("an output cannot be set"),
        }
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        expect_known(self.machine.set_helper(&self.shared[port.0], value));
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.machine.settle();
        Ok(())
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        let probe = self.output(port);
        self.machine.get(probe, node)
    }

    fn memory_word(&mut self, path: &str, node: usize, address: usize) -> Option<u64> {
        let memory = self.machine.memory(path).ok()?;
        let word = self.machine.memory_word(memory, node, address).ok()?;
        Some(word.iter_u64_digits().next().unwrap_or(0))
    }

    fn set_memory_word(&mut self, path: &str, node: usize, address: usize, value: u64) -> bool {
        let Ok(memory) = self.machine.memory(path) else {
            return false;
        };
        let set = self.machine.set_memory_word(memory, node, address, &value.into());
        set.is_ok()
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
        let value = expect_known(self.machine.helper_signal(&self.shared[port.0]));
        value.iter_u64_digits().next().unwrap_or(0)
    }

    fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>) {
        let probe = self.output(port);
        self.machine.get_all(probe, values);
    }

    fn nonzero(&mut self, port: NodePortId, nodes: &mut Vec<usize>) {
        let probe = self.output(port);
        self.machine.nonzero(probe, nodes);
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.machine.clock();
        Ok(())
    }

    fn clocks_until(&mut self, at_most: u64, ports: &[NodePortId]) -> Result<u64, EngineError> {
        let known = self.watches.iter().find(|(known, _)| known == ports);
        let watch = match known {
            Some((_, watch)) => watch.clone(),
            None => {
                let probes = ports.iter().map(|port| self.output(*port));
                let probes: Vec<LaneProbe> = probes.collect();
                let watch = self.machine.stop_condition(&probes)?;
                self.watches.push((ports.to_vec(), watch.clone()));
                watch
            }
        };
        Ok(self.machine.run(at_most, &watch).clock_cycles)
    }

    fn clocks(&mut self, clock_cycles: u64) -> Result<(), EngineError> {
        self.machine.clocks(clock_cycles);
        Ok(())
    }
}

// Observation of a running machine for waveforms and pictures.

/// Observer of a running machine. Most observers only read. A debugger also writes the registers and
/// memories of the engine, on behalf of its user.
pub trait Observer {
    /// First clock cycle from `clock` on, counted from the start, that the observer wants to see.
    /// `None` if it has finished.
    fn next_look(&self, clock: u64) -> Option<u64>;

    /// Observes the machine in this clock cycle, when it has settled and before the clock edge.
    ///
    /// # Errors
    /// If the observed data cannot be stored.
    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError>;
}

/// Engine that is observed.
///
/// The wrapper is inserted between the engine and the machine that drives it, and is transparent
/// for both. Between observations it runs at the engine's speed.
pub struct ObservedEngine<'a> {
    engine: &'a mut dyn NodeEngine,
    observers: Vec<&'a mut dyn Observer>,
    /// Present clock cycle.
    clock: u64,
}

impl<'a> ObservedEngine<'a> {
    /// Starts with an engine in clock cycle 0.
    pub fn new(engine: &'a mut dyn NodeEngine, observers: Vec<&'a mut dyn Observer>) -> Self {
        ObservedEngine { engine, observers, clock: 0 }
    }

    /// Clock cycles until the next observation, at most `at_most`.
    fn clocks_to_next_look(&self, at_most: u64) -> u64 {
        let looks = self.observers.iter().map(|o| o.next_look(self.clock));
        let next = looks.flatten().min().unwrap_or(u64::MAX);
        at_most.min(next - self.clock)
    }
}

impl NodeEngine for ObservedEngine<'_> {
    forward_to_engine! {
        fn port(&mut self, name: &str) -> NodePortId;
        fn shared_port(&mut self, name: &str) -> SharedPortId;
        fn signal(&mut self, path: &str) -> Option<NodePortId>;
        fn shared_signal(&mut self, path: &str) -> Option<SharedPortId>;
        fn set(&mut self, port: NodePortId, node: usize, value: u64);
        fn set_shared(&mut self, port: SharedPortId, value: u64);
        fn settle(&mut self) -> Result<(), EngineError>;
        fn get(&mut self, port: NodePortId, node: usize) -> u64;
        fn get_shared(&mut self, port: SharedPortId) -> u64;
        fn memory_word(&mut self, path: &str, node: usize, address: usize) -> Option<u64>;
        fn set_memory_word(&mut self, path: &str, node: usize, address: usize, value: u64) -> bool;
        fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>);
        fn nonzero(&mut self, port: NodePortId, nodes: &mut Vec<usize>);
        fn any(&mut self, ports: &[NodePortId]) -> bool;
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        let clock = self.clock;
        for observer in &mut self.observers {
            if observer.next_look(clock) == Some(clock) {
                self.engine.settle()?;
                observer.look(self.engine, clock)?;
            }
        }
        self.clock += 1;
        self.engine.clock()
    }

    fn clocks_until(&mut self, at_most: u64, ports: &[NodePortId]) -> Result<u64, EngineError> {
        let mut done = 0;
        while done < at_most {
            let unseen = self.clocks_to_next_look(at_most - done);
            if unseen > 0 {
                let went = self.engine.clocks_until(unseen, ports)?;
                (self.clock, done) = (self.clock + went, done + went);
                if went < unseen {
                    break;
                }
            } else {
                self.engine.settle()?;
                if self.engine.any(ports) {
                    break;
                }
                self.clock()?;
                done += 1;
            }
        }
        Ok(done)
    }

    fn clocks(&mut self, clock_cycles: u64) -> Result<(), EngineError> {
        let mut left = clock_cycles;
        while left > 0 {
            match self.clocks_to_next_look(left) {
                0 => {
                    self.clock()?;
                    left -= 1;
                }
                unseen => {
                    self.engine.clocks(unseen)?;
                    self.clock += unseen;
                    left -= unseen;
                }
            }
        }
        Ok(())
    }
}
