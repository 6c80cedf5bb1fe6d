//! Byte networks as they go on a board: eight nodes, their processors and their host. The
//! processors are programs that share one core.

use super::bytes::{ByteShape, WatchedPort};
use super::rotation::{RotationCircuit, RotationShape};
use super::torus::{TorusCircuit, TorusShape};
use crate::program::ByteNetwork;
use crate::MachineCircuit;
use hdl::lower::{lower, LowerErrors};
use interconnect::topology::{Hypercube, Torus};
use lockstep::design::{Builder, Design, Library};
use rtl::bytes::ByteCounter;
use rtl::hosted::ByteProcessors;
use rtl::rotation::RotationPlan;
use rtl::torus::TorusPlan;
use std::sync::Arc;

/// Byte network that goes on a board.
pub struct HostedBytes {
    network: ByteNetwork,
    circuit: Box<dyn MachineCircuit>,
    shape: Arc<dyn ByteShape>,
}

/// Bytes that a queue holds. The chip has no room for more.
const QUEUE: usize = 2;

impl HostedBytes {
    /// Creates the network with eight nodes, whose queues hold two bytes: the torus of 4 x 2, or
    /// the 3-cube.
    pub fn new(network: ByteNetwork) -> Self {
        let dims = ByteProcessors::DIMS as u32;
        let (circuit, shape): (Box<dyn MachineCircuit>, Arc<dyn ByteShape>) = match network {
            ByteNetwork::Torus => {
                let torus = Torus::of_cube(dims).expect("there is a torus of eight nodes");
                let shape = TorusShape::new(torus);
                let plan = TorusPlan { queue: QUEUE, ..shape.plan() };
                let shape = shape.with(plan).expect("there are such chips");
                (Box::new(TorusCircuit::new(shape.clone())), Arc::new(shape))
            }
            ByteNetwork::Rotation => {
                let shape = RotationShape::new(Hypercube::of(dims));
                let plan = RotationPlan { queue: QUEUE, ..shape.plan() };
                let shape = shape.with(plan).expect("there are such switches");
                (Box::new(RotationCircuit::new(shape)), Arc::new(shape))
            }
        };
        HostedBytes { network, circuit, shape }
    }

    /// Returns the nodes and wires. The processors are outside this circuit.
    pub fn circuit(&self) -> &dyn MachineCircuit {
        &*self.circuit
    }

    pub fn shape(&self) -> &Arc<dyn ByteShape> {
        &self.shape
    }

    /// Returns the circuit with the ports of a board: the network, the processors and host of
    /// [`ByteProcessors`], and a [`ByteCounter`] of the channels between nodes. The host reads the
    /// counter. `memory` is passed to [`ByteProcessors::new`].
    ///
    /// # Errors
    /// A released circuit causes no error, because the tests lower it.
    ///
    /// # Panics
    /// As [`ByteProcessors::new`].
    pub fn design(&self, memory: &[u32]) -> Result<Design, LowerErrors> {
        let network = self.circuit.array()?.whole();
        let nodes = self.shape.topology().nodes() as usize;
        let requests = self.shape.requests().into_iter();
        let requests = requests.filter(|port| self.shape.channel_port(port.queue).is_some());
        let of_nodes = |port: WatchedPort| (0..nodes).map(move |i| format!("{}[{i}]", port.name));
        let requests: Vec<String> = requests.flat_map(of_nodes).collect();
        let width = network.top().port(&requests[0]).map(|(_, port)| port.width());
        let counter = match width {
            Some(1) => lower(&ByteCounter::<1>::new(requests.len()))?,
            _ => lower(&ByteCounter::<2>::new(requests.len()))?,
        };

        let mut library = Library::default();
        let name = self.network.name();
        let topology = self.shape.topology().name();
        let doc = format!("The {topology} of the design `{name}`, its processors and their host.");
        let mut top = Builder::new(&format!("hosted_{name}"), &doc);
        let processors = lower(&ByteProcessors::new(memory))?;
        let of_board = ["rx", "tx", "led"].map(|name| {
            let (_, port) = processors.top().port(name).expect("a board has it");
            port
        });
        let processors = top.instantiate_design(&mut library, "processors", &processors);
        let network = top.instantiate_design(&mut library, "network", &network);
        let counter = top.instantiate_design(&mut library, "counter", &counter);

        for port in of_board {
            top.export_port(processors[&port.name], port, &port.name);
        }
        for (place, request) in requests.iter().enumerate() {
            top.connect(counter[&format!("request[{place}]")], network[request]);
        }
        top.connect(processors["count"], counter["count"]);
        for node in 0..nodes {
            let of_node = |name: &str| format!("{name}[{node}]");
            let pin = |name: &str| network[&of_node(name)];
            for pins in self.shape.constant_inputs() {
                let input = pin(&pins.name);
                let width = top.module().signal(input).width();
                let value = top.constant(pins.values[node], width);
                top.assign(input, value);
            }
            top.connect(pin("send_data"), processors["send_data"]);
            let came = processors[&of_node("receive_data")];
            top.connect(came, pin("receive_data"));
            // The processors have one word for the bits of all nodes.
            for name in ["send_request", "receive_acknowledge"] {
                let all = top.read(processors[name]);
                let own = top.bit(all, node as u32);
                top.assign(pin(name), own);
            }
            for name in ["send_acknowledge", "receive_request"] {
                let own = top.read(pin(name));
                top.assign_bit(processors[name], node as u32, own);
            }
        }
        let top = library.add_module(top.finish());
        Ok(library.finish(top))
    }
}
