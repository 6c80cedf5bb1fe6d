//! The lockstep engine seen as one circuit, as the other engines run a machine.

use num_bigint::BigUint;
use phasecube::engine::{
    ports, Engine, EngineError, LockstepEngine, NodeEngine, NodePort, Port, PortId, SharedPort,
};
use phasecube::machine::array::Array;
use std::collections::HashMap;

/// A machine whose port `p[i]` is the port `p` of lane `i`.
pub struct LockstepWhole {
    engine: LockstepEngine,
    ports: Vec<Port>,
    places: Vec<Place>,
}

enum Place {
    Node(NodePort, usize),
    Shared(SharedPort),
}

impl LockstepWhole {
    /// The ports are those of [`Array::whole`].
    pub fn new(array: &Array) -> Self {
        let mut engine = array.lockstep(&Default::default()).unwrap();
        let ports = ports(&array.whole());
        let mut known: HashMap<String, NodePort> = HashMap::new();
        let mut place = |name: &str| match name.strip_suffix(']').and_then(|n| n.split_once('[')) {
            None => Place::Shared(engine.shared_port(name)),
            Some((name, node)) => {
                let port = known
                    .entry(name.into())
                    .or_insert_with(|| engine.port(name));
                Place::Node(*port, node.parse().unwrap())
            }
        };
        LockstepWhole {
            places: ports.iter().map(|port| place(&port.name)).collect(),
            ports,
            engine,
        }
    }
}

impl Engine for LockstepWhole {
    fn name(&self) -> &'static str {
        "lockstep"
    }

    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        let value = value.iter_u64_digits().next().unwrap_or(0);
        match self.places[port.0] {
            Place::Node(port, node) => self.engine.set(port, node, value),
            Place::Shared(port) => self.engine.set_shared(port, value),
        }
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: PortId) -> BigUint {
        BigUint::from(match self.places[port.0] {
            Place::Node(port, node) => self.engine.get(port, node),
            Place::Shared(port) => self.engine.get_shared(port),
        })
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.clock()
    }
}
