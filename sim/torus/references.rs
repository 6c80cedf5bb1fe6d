//! A machine in the simulator of `rust-hdl`: one simulation for every node, and the wires
//! between them by hand. What goes over a wire comes from a register, so that it is
//! enough to carry it once after each clock edge.

use num_bigint::BigUint;
use phasecube::engine::{Engine, EngineError, NodeEngine, NodePort, PortId, Reference, SharedPort};
use phasecube::lower::Circuit;
use phasecube::machine::array::{Array, Source};

pub struct References<C: Circuit> {
    array: Array,
    nodes: Vec<Reference<C>>,
    ports: Vec<PortId>,
}

impl<C: Circuit> References<C> {
    pub fn new(array: Array, node: impl Fn() -> C) -> Self {
        let nodes = (0..array.nodes).map(|_| Reference::new(node()).unwrap());
        let mut references = References {
            nodes: nodes.collect(),
            array,
            ports: vec![],
        };
        references.carry();
        references
    }

    /// Carries what nodes say to those who hear it.
    fn carry(&mut self) {
        for wire in &self.array.wiring {
            let Source::Nodes(lines) = &wire.source else {
                panic!("a torus has wires between nodes only");
            };
            for i in 0..self.array.nodes {
                let mut word = BigUint::ZERO;
                for (bit, line) in (0..).zip(lines) {
                    let from = &mut self.nodes[line.node.from(i)];
                    let port = from.port(&line.output);
                    word.set_bit(bit, from.get(port).bit(line.bit.into()));
                }
                let input = self.nodes[i].port(&wire.input);
                self.nodes[i].set(input, &word);
            }
        }
    }
}

impl<C: Circuit> NodeEngine for References<C> {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn port(&mut self, name: &str) -> NodePort {
        self.ports.push(self.nodes[0].port(name));
        NodePort(self.ports.len() - 1)
    }

    fn shared_port(&mut self, name: &str) -> SharedPort {
        panic!("nothing is shared, so nothing is called {name}");
    }

    fn signal(&mut self, _path: &str) -> Option<NodePort> {
        None
    }

    fn shared_signal(&mut self, _path: &str) -> Option<SharedPort> {
        None
    }

    fn set(&mut self, port: NodePort, node: usize, value: u64) {
        self.nodes[node].set_u64(self.ports[port.0], value);
    }

    fn set_shared(&mut self, port: SharedPort, _value: u64) {
        panic!("nothing is shared: {port:?}");
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.nodes.iter_mut().try_for_each(Engine::settle)
    }

    fn get(&mut self, port: NodePort, node: usize) -> u64 {
        self.nodes[node].get_u64(self.ports[port.0])
    }

    fn get_shared(&mut self, port: SharedPort) -> u64 {
        panic!("nothing is shared: {port:?}");
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        self.nodes.iter_mut().try_for_each(Engine::clock)?;
        self.carry();
        self.settle()
    }
}
