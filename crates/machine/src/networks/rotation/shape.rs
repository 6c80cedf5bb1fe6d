//! Parameters of a machine of rotation switches.

use crate::array::{Array, BlockCircuit, InputWiring};
use crate::networks::bytes::{
    self, ByteDriver, ByteShape, ConstantInput, RouteStage, WatchedPort, MAX_QUEUE,
};
use crate::MachineCircuit;
use hdl::lower::LowerErrors;
use interconnect::routing::rewired::{RewiredRouting, Rewiring};
use interconnect::routing::rotation::{RotationRouting, RotationRule};
use interconnect::routing::{Channel, Relation};
use interconnect::topology::{Hypercube, Topology};
use interconnect::traffic::Message;
use rtl::bytes::ConstantStep;
use rtl::rotation::{machine, Crossbar, FirstHop, RotationPlan};
use thiserror::Error;

/// Cube and the plan of its switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationShape {
    cube: Hypercube,
    plan: RotationPlan,
    /// Address of a switch that has failed.
    failed: Option<u32>,
}

/// Reason why there is no such machine. The message lists what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RotationShapeError {
    #[error("{0} virtual channels are not possible; accepted: 1 or 2")]
    Channels(usize),
    #[error("queues of {0} bytes are not possible; accepted: 1 to {MAX_QUEUE}")]
    Queue(usize),
    #[error("a table for the first hop in {0} dimensions is too large; accepted: up to {max} dimensions, or the first hop by rotating (serial)", max = RotationPlan::TABLE_DIMS)]
    Table(usize),
    #[error("no wiring of {dims} dimensions past a failed switch is known; accepted: {known} dimensions, and --rule minimal", known = Rewiring::DIMS)]
    Rewired { dims: usize },
}

impl RotationShape {
    /// Creates a machine with two virtual channels and queues of four bytes.
    pub fn new(cube: Hypercube) -> Self {
        RotationShape { cube, plan: RotationPlan::new(cube.dims() as usize), failed: None }
    }

    /// Returns the machine with another plan of switches. The number of dimensions stays the same.
    ///
    /// # Errors
    /// If there are no such switches.
    pub fn with(self, plan: RotationPlan) -> Result<Self, RotationShapeError> {
        let dims = self.plan.dims;
        if !(1..=2).contains(&plan.channels) {
            return Err(RotationShapeError::Channels(plan.channels));
        }
        if !(1..=MAX_QUEUE).contains(&plan.queue) {
            return Err(RotationShapeError::Queue(plan.queue));
        }
        if plan.first == FirstHop::Table && dims > RotationPlan::TABLE_DIMS {
            return Err(RotationShapeError::Table(dims));
        }
        let rewired = self.plan.rewired;
        let plan = RotationPlan { dims, rewired, ..plan };
        Ok(RotationShape { plan, ..self })
    }

    /// Returns the machine with a failed switch, and with the other switches wired past it.
    ///
    /// # Errors
    /// If no such wiring is known.
    pub fn with_failed(self, node: u32) -> Result<Self, RotationShapeError> {
        let (dims, rule) = (self.plan.dims, self.plan.rule);
        if (dims, rule) != (Rewiring::DIMS as usize, RotationRule::Minimal) {
            return Err(RotationShapeError::Rewired { dims });
        }
        let plan = RotationPlan { rewired: true, ..self.plan };
        let failed = Some(node);
        Ok(RotationShape { plan, failed, ..self })
    }

    /// Returns the bytes of a packet with `payload` bytes of payload: header, data and tail. The
    /// data are one byte longer than the payload.
    pub fn packet(&self, payload: usize) -> usize {
        self.plan.header() + payload + 1 + 1
    }

    /// Returns the clock cycles without a change of a request or acknowledge after which no further
    /// change occurs. A serial choice of the first hop takes as many clock cycles as a header has
    /// bits, in which no wire changes.
    pub fn quiescent_after(&self) -> u64 {
        match self.plan.first {
            FirstHop::Table => ByteDriver::QUIESCENT_AFTER,
            FirstHop::Serial => ByteDriver::QUIESCENT_AFTER + self.plan.dims as u64,
        }
    }

    pub fn cube(&self) -> &Hypercube {
        &self.cube
    }

    pub fn plan(&self) -> RotationPlan {
        self.plan
    }

    /// Returns the switch that has failed.
    pub fn failed(&self) -> Option<u32> {
        self.failed
    }

    pub fn relation(&self) -> Box<dyn Relation> {
        let channels = self.plan.channels as u32;
        match self.failed {
            Some(failed) => Box::new(RewiredRouting { failed, channels }),
            None => Box::new(RotationRouting { cube: self.cube, rule: self.plan.rule, channels }),
        }
    }

    pub fn crossbar(&self) -> &'static Crossbar {
        Crossbar::of(self.plan.scheme(), self.plan.channels, self.plan.dims)
    }
}

// Cube of rotation switches, in the form that each engine takes.

/// Parameters of the circuit of a machine.
#[derive(Clone, Debug)]
pub struct RotationCircuit {
    shape: RotationShape,
}

impl RotationCircuit {
    pub fn new(shape: RotationShape) -> Self {
        RotationCircuit { shape }
    }

    pub fn shape(&self) -> &RotationShape {
        &self.shape
    }
}

impl MachineCircuit for RotationCircuit {
    fn topology(&self) -> &dyn Topology {
        self.shape.cube()
    }

    /// Returns the machine as an array of nodes. The outputs of a node in a dimension drive the
    /// inputs of its neighbour in that dimension, including acknowledges. The processors' channels
    /// are external ports.
    fn array(&self) -> Result<Array, LowerErrors> {
        let (cube, plan) = (self.shape.cube(), self.shape.plan());
        let mut wiring = vec![];
        for dim in 0..cube.dims() {
            let (input, output) = (format!("data_in[{dim}]"), format!("data_out[{dim}]"));
            wiring.push(InputWiring::word(&input, &output, 8, cube, dim));
        }
        for (number, lane) in self.shape.crossbar().lanes().iter().enumerate() {
            let dim = lane.dim as u32;
            let port = |name: &str| format!("{name}[{number}]");
            let (input, output) = (port("request_in"), port("request_out"));
            wiring.push(InputWiring::word(&input, &output, 1, cube, dim));
            let (input, output) = (port("acknowledge_in"), port("acknowledge_out"));
            wiring.push(InputWiring::reverse_word(&input, &output, 1, cube, dim));
        }
        Ok(Array {
            name: "rotation".into(),
            doc: format!("The {} of rotation switches.", cube.name()),
            node: BlockCircuit::of(move || machine::switch(plan))?,
            nodes: cube.nodes() as usize,
            shared: BlockCircuit::of(|| Box::<ConstantStep>::default())?,
            wiring,
        })
    }
}

// Packets, queues of a node, and queues on the route of a packet, for the driver.

/// Queues have the numbers of the crossbar's lanes.
impl ByteShape for RotationShape {
    fn topology(&self) -> &dyn Topology {
        self.cube()
    }

    /// Returns the header, low byte first, then the data by COBS, then a tail of zero.
    fn encode(&self, message: &Message<&[u8]>) -> Vec<u16> {
        let header = (message.source ^ message.destination).to_le_bytes();
        let header = &header[..self.plan().header()];
        let data = bytes::encode(message.payload);
        let bytes = [header, &data, &[0]].concat();
        bytes.into_iter().map(u16::from).collect()
    }

    fn is_tail(&self, word: u16) -> bool {
        word == 0
    }

    fn decode(&self, words: &[u16]) -> Option<Vec<u8>> {
        let bytes: Vec<u8> = words.iter().map(|word| *word as u8).collect();
        bytes::decode(&bytes)
    }

    fn route(&self, message: &Message<&[u8]>) -> Vec<RouteStage> {
        let (all, header) = (self.encode(message).len(), self.plan().header());
        let route = self.relation().route(message.source, message.destination);
        let stage = |channel: Channel| {
            let (dim, vc) = (channel.from.port as usize, channel.vc as usize);
            let lane = self.crossbar().number(dim, vc);
            RouteStage {
                node: channel.from.node as usize,
                queue: lane.expect("the crossbar has what routes use"),
                channel: Some(channel),
                bytes: all,
                stripped_bytes: 0,
                held_bytes: header - 1,
            }
        };
        let home = RouteStage {
            node: message.destination as usize,
            queue: self.processor_queue(),
            channel: None,
            bytes: all - header,
            stripped_bytes: header,
            held_bytes: 0,
        };
        route.into_iter().map(stage).chain([home]).collect()
    }

    fn channel_port(&self, queue: usize) -> Option<u32> {
        let lane = self.crossbar().lanes().get(queue);
        lane.map(|lane| lane.dim as u32)
    }

    fn processor_queue(&self) -> usize {
        self.crossbar().processor()
    }

    fn requests(&self) -> Vec<WatchedPort> {
        watched(self, "request_out", |_| None)
    }

    fn acknowledges(&self) -> Vec<WatchedPort> {
        watched(self, "acknowledge_out", Some)
    }

    /// Returns the inputs that wire switches past one that has failed.
    fn constant_inputs(&self) -> Vec<ConstantInput> {
        let Some(failed) = self.failed() else {
            return vec![];
        };
        let routing = RewiredRouting { failed, channels: self.plan().channels as u32 };
        let nodes = || self.cube().addresses();
        let outputs = |node, dim| Rewiring::built_in().outputs(failed, node, dim);
        let connected = |dim| ConstantInput {
            name: format!("connected[{dim}]"),
            values: nodes().map(|node| outputs(node, dim).into()).collect(),
        };
        // The inputs of the failed switch, and the entries that no packet uses, can have any value.
        let hop = |node: u32, left: u32| routing.first(node, node ^ left);
        let port = |route: Vec<Channel>| route.first().map_or(0, |channel| channel.from.port);
        let first = |left: u32| ConstantInput {
            name: format!("first[{left}]"),
            values: nodes().map(|node| port(hop(node, left)).into()).collect(),
        };
        let dims = (0..Rewiring::DIMS).map(connected);
        dims.chain(nodes().map(first)).collect()
    }

    fn has_failed(&self, node: u32) -> bool {
        self.failed() == Some(node)
    }
}

/// Returns the outputs of all lanes.
fn watched(
    shape: &RotationShape,
    name: &str,
    from: impl Fn(u32) -> Option<u32>,
) -> Vec<WatchedPort> {
    let lanes = shape.crossbar().lanes().iter().enumerate();
    let port = lanes.map(|(queue, lane)| WatchedPort {
        name: format!("{name}[{queue}]"),
        queue,
        from: from(lane.dim as u32),
    });
    port.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_shapes_are_rejected_with_the_accepted_values() {
        let shape = RotationShape::new(Hypercube::new(9).unwrap());
        let plan = shape.plan();
        assert_eq!((plan.first, plan.header()), (FirstHop::Serial, 2));
        let refused = |plan| shape.with(plan).unwrap_err().to_string();
        let first = FirstHop::Table;
        assert_eq!(
            refused(RotationPlan { first, ..plan }),
            "a table for the first hop in 9 dimensions is too large; accepted: up to 8 dimensions, or the first hop by rotating (serial)"
        );
        assert_eq!(
            refused(RotationPlan { queue: 65, ..plan }),
            "queues of 65 bytes are not possible; accepted: 1 to 64"
        );
        let channels = 0;
        assert_eq!(
            refused(RotationPlan { channels, ..plan }),
            "0 virtual channels are not possible; accepted: 1 or 2"
        );
    }
}

#[cfg(test)]
mod byte_shape_tests {
    use super::*;
    use interconnect::topology::Hypercube;

    #[test]
    fn a_packet_has_header_data_and_tail() {
        let message = Message { source: 0x203, destination: 0x401, payload: &[7, 0, 9][..] };
        let shape = |dims| RotationShape::new(Hypercube::new(dims).unwrap());
        let packet = shape(12).encode(&message);
        assert_eq!(packet, [0x02, 0x06, 2, 7, 2, 9, 0]);
        assert_eq!(packet.len(), shape(12).packet(3));
        let near = Message { source: 1, destination: 6, ..message };
        assert_eq!(shape(3).encode(&near), [7, 2, 7, 2, 9, 0]);
        assert_eq!(shape(3).decode(&[2, 7, 2, 9]), Some(vec![7, 0, 9]));
        assert_eq!(shape(3).decode(&[5, 1]), None);
    }
}
