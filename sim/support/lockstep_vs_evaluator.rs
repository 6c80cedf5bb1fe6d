//! Compares the lockstep engine and the evaluator on the same machine, in every clock cycle and
//! every signal that both name.

use lockstep::lanes::{Keep, LaneOptions, LaneProbe};
use lockstep::netlist::NetId;
use phasecube::engine::{
    CircuitEngine, EngineError, EvaluatorEngine, LockstepEngine, NodeEngine, NodePortId, PortId,
    SharedPortId,
};
use phasecube::machine::array::Array;

/// Both engines. They get the same inputs and are compared before every clock edge.
pub struct LockstepVsEvaluator {
    lockstep: LockstepEngine,
    evaluator: EvaluatorEngine,
    nodes: usize,
    /// Ports by name, for the evaluator.
    ports: Vec<Vec<PortId>>,
    shared: Vec<PortId>,
    /// Signals that both engines name, with the evaluator's net for each node.
    signals: Vec<(String, LaneProbe, Vec<NetId>)>,
    /// Values compared so far.
    pub compared: u64,
}

impl LockstepVsEvaluator {
    pub fn new(array: &Array, options: &LaneOptions) -> Self {
        let options = LaneOptions { keep: Keep::All, ..options.clone() };
        let mut lockstep = array.lockstep(&options).unwrap();
        let evaluator = EvaluatorEngine::new(&array.whole()).unwrap();
        let (flat, machine) = (evaluator.evaluator().netlist(), lockstep.machine());
        let names: Vec<String> = machine.netlist().names.iter().map(|n| n.path.clone()).collect();
        let signals = names
            .into_iter()
            .map(|name| {
                let net = |i| flat.find(&format!("nodes[{i}].{name}"));
                let nets: Option<Vec<NetId>> = (0..array.nodes).map(net).collect();
                let probe = machine.probe(&name).unwrap();
                (name, probe, nets.expect("the evaluator has a name for it"))
            })
            .collect();
        LockstepVsEvaluator {
            lockstep,
            evaluator,
            nodes: array.nodes,
            ports: vec![],
            shared: vec![],
            signals,
            compared: 0,
        }
    }

    fn compare(&mut self) {
        let (machine, evaluator) = (self.lockstep.machine(), self.evaluator.evaluator());
        let mut values = vec![];
        for (name, probe, nets) in &self.signals {
            machine.get_all(*probe, &mut values);
            for (node, (found, net)) in values.iter().zip(nets).enumerate() {
                assert_eq!(*found, evaluator.get(*net), "{name} of node {node}");
            }
            self.compared += nets.len() as u64;
        }
    }
}

impl NodeEngine for LockstepVsEvaluator {
    fn name(&self) -> &'static str {
        "lockstep and evaluator"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn port(&mut self, name: &str) -> NodePortId {
        let id = |i| self.evaluator.port(&format!("{name}[{i}]"));
        self.ports.push((0..self.nodes).map(id).collect());
        let port = self.lockstep.port(name);
        assert_eq!(port.0, self.ports.len() - 1);
        port
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        self.shared.push(self.evaluator.port(name));
        self.lockstep.shared_port(name)
    }

    fn signal(&mut self, _path: &str) -> Option<NodePortId> {
        None
    }

    fn shared_signal(&mut self, _path: &str) -> Option<SharedPortId> {
        None
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        self.evaluator.set_u64(self.ports[port.0][node], value);
        self.lockstep.set(port, node, value);
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        self.evaluator.set_u64(self.shared[port.0], value);
        self.lockstep.set_shared(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.evaluator.settle()?;
        self.lockstep.settle()
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        self.lockstep.get(port, node)
    }

    fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>) {
        self.lockstep.get_all(port, values);
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
        let value = self.lockstep.get_shared(port);
        assert_eq!(value, self.evaluator.get_u64(self.shared[port.0]));
        value
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        self.compare();
        self.evaluator.clock()?;
        self.lockstep.clock()
    }
}
