//! Parameters of a machine of torus routing chips.

use super::packet::{decode, encode, is_tail};
use crate::array::{Array, BlockCircuit, InputWiring};
use crate::networks::bytes::{ByteShape, ConstantInput, RouteStage, WatchedPort, MAX_QUEUE};
use crate::MachineCircuit;
use hdl::lower::LowerErrors;
use interconnect::routing::torus::{TorusRouting, VcSwitchNode};
use interconnect::routing::Relation;
use interconnect::topology::{Topology, Torus};
use interconnect::traffic::Message;
use rtl::bytes::ConstantStep;
use rtl::torus::{machine, Tail, TorusPlan};
use thiserror::Error;

/// Torus and the plan of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusShape {
    routing: TorusRouting,
    plan: TorusPlan,
}

/// Reason why there is no such machine. The message lists what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TorusShapeError {
    #[error("{0} virtual channels are not possible; accepted: 1 or 2")]
    Channels(usize),
    #[error("queues of {0} bytes are not possible; accepted: 1 to {max}", max = MAX_QUEUE)]
    Queue(usize),
    #[error("chips of {0} dimensions are not possible; accepted: 1 to {max}", max = TorusShape::MAX_CHIP_DIMS)]
    ChipDims(usize),
    #[error("a node of {chips} chips cannot tell a tail of zero from an address that a later chip takes off; accepted: a tail wire")]
    Tail { chips: usize },
}

impl TorusShape {
    pub const MAX_CHIP_DIMS: usize = 3;

    /// Creates a machine with the paper's chip: two virtual channels, queues of four bytes, and two
    /// dimensions to a chip. Packets change their virtual channel at coordinate 0.
    pub fn new(torus: Torus) -> Self {
        TorusShape {
            plan: TorusPlan::new(torus.dims()),
            routing: TorusRouting::new(torus, VcSwitchNode::AtOrigin),
        }
    }

    /// Returns the machine with this rule for the change of virtual channels.
    #[must_use]
    pub fn switching(mut self, switch: VcSwitchNode) -> Self {
        self.routing.switch = switch;
        self
    }

    /// Returns the machine with another plan of nodes. The number of dimensions stays the same.
    ///
    /// # Errors
    /// If there are no such nodes.
    pub fn with(mut self, plan: TorusPlan) -> Result<Self, TorusShapeError> {
        if !(1..=2).contains(&plan.channels) {
            return Err(TorusShapeError::Channels(plan.channels));
        }
        if !(1..=MAX_QUEUE).contains(&plan.queue) {
            return Err(TorusShapeError::Queue(plan.queue));
        }
        if !(1..=Self::MAX_CHIP_DIMS).contains(&plan.dims_per_chip) {
            return Err(TorusShapeError::ChipDims(plan.dims_per_chip));
        }
        let plan = TorusPlan { dims: self.routing.torus.dims(), ..plan };
        if plan.tail == Tail::Zero && plan.chips() > 1 {
            return Err(TorusShapeError::Tail { chips: plan.chips() });
        }
        self.routing.channels = plan.channels;
        self.plan = plan;
        Ok(self)
    }

    /// Returns the bytes of the packet of a message with `payload` bytes.
    pub fn packet(&self, payload: usize) -> usize {
        self.plan.dims + self.plan.tail.data(payload) + 1
    }

    pub fn torus(&self) -> &Torus {
        &self.routing.torus
    }

    pub fn routing(&self) -> &TorusRouting {
        &self.routing
    }

    pub fn plan(&self) -> TorusPlan {
        self.plan
    }
}

// Torus of chips, in the form that each engine takes.

/// Parameters of the circuit of a machine.
#[derive(Clone, Debug)]
pub struct TorusCircuit {
    shape: TorusShape,
}

impl TorusCircuit {
    pub fn new(shape: TorusShape) -> Self {
        TorusCircuit { shape }
    }

    pub fn shape(&self) -> &TorusShape {
        &self.shape
    }
}

impl MachineCircuit for TorusCircuit {
    fn topology(&self) -> &dyn Topology {
        self.shape.torus()
    }

    /// Returns the machine as an array of nodes. The channel input of a node in a dimension comes
    /// from the node whose coordinate is one more. Its acknowledge input comes from the node whose
    /// coordinate is one less. The origin pins and the processors' channels are external ports.
    fn array(&self) -> Result<Array, LowerErrors> {
        let (torus, plan) = (self.shape.torus(), self.shape.plan());
        let (wires, channels) = (plan.tail.data_wires() as u32, plan.channels as u32);
        let mut wiring = vec![];
        for dim in 0..torus.ports() {
            let port = |name: &str| format!("{name}[{dim}]");
            for (input, output, bits) in
                [("data_in", "data_out", wires), ("request_in", "request_out", channels)]
            {
                wiring.push(InputWiring::word(&port(input), &port(output), bits, torus, dim));
            }
            let (input, output) = (port("acknowledge_in"), port("acknowledge_out"));
            wiring.push(InputWiring::reverse_word(&input, &output, channels, torus, dim));
        }
        Ok(Array {
            name: "torus".into(),
            doc: format!("The {} of torus routing chips.", torus.name()),
            node: BlockCircuit::of(move || machine::node(plan))?,
            nodes: torus.nodes() as usize,
            shared: BlockCircuit::of(|| Box::<ConstantStep>::default())?,
            wiring,
        })
    }
}

// Queues of a node, queues on the route of a packet, and the bytes that pass each of them, for the
// driver.

/// Virtual channel v of dimension d is queue d * channels + v. The chips' queues to their
/// processor's side follow.
impl ByteShape for TorusShape {
    fn topology(&self) -> &dyn Topology {
        self.torus()
    }

    fn encode(&self, message: &Message<&[u8]>) -> Vec<u16> {
        encode(self, message)
    }

    fn is_tail(&self, word: u16) -> bool {
        is_tail(self.plan().tail, word)
    }

    fn decode(&self, words: &[u16]) -> Option<Vec<u8>> {
        decode(self.plan().tail, words)
    }

    fn route(&self, message: &Message<&[u8]>) -> Vec<RouteStage> {
        route(self, message)
    }

    fn channel_port(&self, queue: usize) -> Option<u32> {
        let dim = queue / self.plan().channels;
        (dim < self.plan().dims).then_some(dim as u32)
    }

    fn processor_queue(&self) -> usize {
        self.plan().dims * self.plan().channels + self.plan().chips() - 1
    }

    fn requests(&self) -> Vec<WatchedPort> {
        watched(self, "request_out", "between_request", |_| None)
    }

    fn acknowledges(&self) -> Vec<WatchedPort> {
        watched(self, "acknowledge_out", "between_acknowledge", Some)
    }

    /// Returns the values of the origin pins.
    fn constant_inputs(&self) -> Vec<ConstantInput> {
        let nodes = 0..self.torus().nodes();
        let origin = |dim| nodes.clone().map(move |node| self.routing().changes_vc_at(node, dim));
        let pin = |dim| ConstantInput {
            name: format!("origin[{dim}]"),
            values: origin(dim).map(u64::from).collect(),
        };
        (0..self.plan().dims).map(pin).collect()
    }

    /// Packets that the chips corrupt cannot be tracked.
    fn can_track(&self) -> bool {
        match self.plan().tail {
            Tail::Zero | Tail::Wire => true,
            Tail::Naive => false,
        }
    }
}

/// Returns the outputs of the channels and of the connections between chips.
fn watched(
    shape: &TorusShape,
    channel: &str,
    between: &str,
    from: impl Fn(u32) -> Option<u32>,
) -> Vec<WatchedPort> {
    let plan = shape.plan();
    let channels = (0..plan.dims).map(|dim| WatchedPort {
        name: format!("{channel}[{dim}]"),
        queue: dim * plan.channels,
        from: from(dim as u32),
    });
    let chips = (0..plan.chips() - 1).map(|chip| WatchedPort {
        name: format!("{between}[{chip}]"),
        queue: plan.dims * plan.channels + chip,
        from: None,
    });
    channels.chain(chips).collect()
}

/// Returns the queues that a packet passes, from its source to its destination.
fn route(shape: &TorusShape, message: &Message<&[u8]>) -> Vec<RouteStage> {
    let plan = shape.plan();
    let all = encode(shape, message).len();
    let route = shape.routing().route(message.source, message.destination);
    let mut stages: Vec<RouteStage> = vec![];
    let mut at = message.source;
    let mut stripped = 0;
    let mut channels = route.into_iter().peekable();
    let mut stage = |node: u32, queue, channel, gone: usize| {
        stages.push(RouteStage {
            node: node as usize,
            queue,
            channel,
            bytes: all - gone,
            stripped_bytes: gone - stripped,
            held_bytes: 0,
        });
        stripped = gone;
    };
    for chip in 0..plan.chips() {
        let dims = chip * plan.dims_per_chip + plan.chip_dims(chip);
        while let Some(channel) = channels.next_if(|c| (c.from.port as usize) < dims) {
            let dim = channel.from.port as usize;
            let queue = dim * plan.channels + channel.vc as usize;
            stage(at, queue, Some(channel), dim);
            at = shape.torus().next(at, dim);
        }
        stage(at, plan.dims * plan.channels + chip, None, dims);
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_shapes_are_rejected_with_the_accepted_values() {
        let shape = TorusShape::new(Torus::new(&[4, 4, 4]).unwrap());
        let plan = shape.plan();
        assert_eq!((plan.tail, plan.chips()), (Tail::Wire, 2));
        let refused = |plan| shape.clone().with(plan).unwrap_err().to_string();
        let tail = Tail::Zero;
        assert_eq!(
            refused(TorusPlan { tail, ..plan }),
            "a node of 2 chips cannot tell a tail of zero from an address that a later chip takes off; accepted: a tail wire"
        );
        assert_eq!(
            refused(TorusPlan { queue: 0, ..plan }),
            "queues of 0 bytes are not possible; accepted: 1 to 64"
        );
        assert_eq!(
            refused(TorusPlan { channels: 3, ..plan }),
            "3 virtual channels are not possible; accepted: 1 or 2"
        );
        let one = TorusPlan { tail, dims_per_chip: 3, channels: 1, ..plan };
        assert_eq!(shape.with(one).unwrap().routing().channels, 1);
    }
}
