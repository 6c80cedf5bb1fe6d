//! Queues of a node, queues on the route of a packet, and the bytes that pass each of them, for the
//! driver.

use super::packet::{decode, encode, is_tail};
use super::TorusShape;
use crate::networks::bytes::{ByteShape, ConstantInput, RouteStage, WatchedPort};
use interconnect::routing::Relation;
use interconnect::topology::Topology;
use interconnect::traffic::Message;
use rtl::torus::Tail;

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

    fn channel_queues(&self) -> usize {
        self.plan().dims * self.plan().channels
    }

    fn processor_queue(&self) -> usize {
        self.channel_queues() + self.plan().chips() - 1
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
        let origin = |dim| {
            nodes
                .clone()
                .map(move |node| self.routing().changes_vc_at(node, dim))
        };
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
