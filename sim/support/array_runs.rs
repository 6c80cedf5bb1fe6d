//! Runs a machine of identical nodes in all engines, and compares every output in every clock
//! cycle.

use crate::support::whole_runs::{self, OutputTrace};
use num_bigint::BigUint;
use phasecube::engine::{
    ports, CircuitEngine, EngineError, EnginePort, EvaluatorEngine, NodeEngine, NodePortId, PortId,
    SharedPortId,
};
use phasecube::machine::array::Array;
use std::collections::HashMap;

/// Checks that `run` has the same outputs in all engines: reference, evaluator, Verilator and
/// lockstep. `run` runs an engine to its end and returns its outputs. Each engine appears as one
/// circuit, [`Array::whole`].
pub fn agree(array: &Array, run: impl Fn(&mut dyn CircuitEngine) -> OutputTrace) -> OutputTrace {
    let whole = array.whole();
    let mut evaluator = EvaluatorEngine::new(&whole).unwrap();
    let mut verilator = whole_runs::verilator(&whole);
    let mut reference = array.reference().unwrap();
    assert_eq!(reference.name(), "reference");
    whole_runs::same(
        reference.circuit(),
        &mut [
            ("evaluator", &mut evaluator),
            ("verilator", &mut verilator),
            ("lockstep", &mut lockstep(array)),
        ],
        run,
    )
}

/// Returns the machine in the lockstep engine, as one circuit.
pub fn lockstep(array: &Array) -> OneCircuit {
    let engine = array.lockstep(&Default::default()).unwrap();
    OneCircuit::new(array, Box::new(engine))
}

/// A machine of nodes seen as one circuit. Its port `p[i]` is the port `p` of node `i`.
pub struct OneCircuit {
    engine: Box<dyn NodeEngine>,
    ports: Vec<EnginePort>,
    places: Vec<PortLocation>,
}

enum PortLocation {
    Node(NodePortId, usize),
    Shared(SharedPortId),
}

impl OneCircuit {
    /// Creates a circuit with the ports of [`Array::whole`].
    fn new(array: &Array, mut engine: Box<dyn NodeEngine>) -> Self {
        let ports = ports(&array.whole());
        let mut known: HashMap<String, NodePortId> = HashMap::new();
        let mut place = |name: &str| match name.strip_suffix(']').and_then(|n| n.split_once('[')) {
            None => PortLocation::Shared(engine.shared_port(name)),
            Some((name, node)) => {
                let port = known.entry(name.into()).or_insert_with(|| engine.port(name));
                PortLocation::Node(*port, node.parse().unwrap())
            }
        };
        OneCircuit { places: ports.iter().map(|port| place(&port.name)).collect(), ports, engine }
    }
}

impl CircuitEngine for OneCircuit {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn ports(&self) -> &[EnginePort] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        let value = value.iter_u64_digits().next().unwrap_or(0);
        match self.places[port.0] {
            PortLocation::Node(port, node) => self.engine.set(port, node, value),
            PortLocation::Shared(port) => self.engine.set_shared(port, value),
        }
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: PortId) -> BigUint {
        BigUint::from(match self.places[port.0] {
            PortLocation::Node(port, node) => self.engine.get(port, node),
            PortLocation::Shared(port) => self.engine.get_shared(port),
        })
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.clock()
    }
}
