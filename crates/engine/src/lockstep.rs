//! Lockstep engine, for machines of up to 65,536 equal nodes.

use super::{EngineError, NodeEngine, NodePortId, SharedPortId};
use ::lockstep::lanes::{
    LaneInput, LaneMachine, LaneOptions, LaneProbe, LaneWiring, LanesError, StopCondition,
};
use ::lockstep::netlist::Netlist;

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
    /// Makes `nodes` lanes of this netlist with the given wiring.
    ///
    /// # Errors
    /// If there are more than 65,536 nodes, or no memory for the code.
    pub fn new(
        node: Netlist,
        nodes: usize,
        wiring: &LaneWiring,
        options: &LaneOptions,
    ) -> Result<Self, EngineError> {
        let machine = LaneMachine::new(node, nodes, wiring, options)?;
        Ok(LockstepEngine {
            machine,
            ports: vec![],
            shared: vec![],
            watches: vec![],
        })
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
