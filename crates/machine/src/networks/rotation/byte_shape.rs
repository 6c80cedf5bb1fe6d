//! Packets, queues of a node, and queues on the route of a packet, for the driver.

use super::RotationShape;
use crate::networks::bytes::{data, ByteShape, ConstantInput, RouteStage, WatchedPort};
use interconnect::routing::rewired::{RewiredRouting, Rewiring};
use interconnect::routing::{Channel, Relation};
use interconnect::topology::Topology;
use interconnect::traffic::Message;

/// Queues have the numbers of the crossbar's lanes.
impl ByteShape for RotationShape {
    fn topology(&self) -> &dyn Topology {
        self.cube()
    }

    /// Returns the header, low byte first, then the data by COBS, then a tail of zero.
    fn encode(&self, message: &Message<&[u8]>) -> Vec<u16> {
        let header = (message.source ^ message.destination).to_le_bytes();
        let header = &header[..self.plan().header()];
        let data = data::encode(message.payload);
        let bytes = [header, &data, &[0]].concat();
        bytes.into_iter().map(u16::from).collect()
    }

    fn is_tail(&self, word: u16) -> bool {
        word == 0
    }

    fn decode(&self, words: &[u16]) -> Option<Vec<u8>> {
        let bytes: Vec<u8> = words.iter().map(|word| *word as u8).collect();
        data::decode(&bytes)
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

    fn channel_queues(&self) -> usize {
        self.crossbar().lanes().len()
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
        let routing = RewiredRouting {
            failed,
            channels: self.plan().channels as u32,
        };
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
    use interconnect::topology::Hypercube;

    #[test]
    fn a_packet_has_header_data_and_tail() {
        let message = Message {
            source: 0x203,
            destination: 0x401,
            payload: &[7, 0, 9][..],
        };
        let shape = |dims| RotationShape::new(Hypercube::new(dims).unwrap());
        let packet = shape(12).encode(&message);
        assert_eq!(packet, [0x02, 0x06, 2, 7, 2, 9, 0]);
        assert_eq!(packet.len(), shape(12).packet(3));
        let near = Message {
            source: 1,
            destination: 6,
            ..message
        };
        assert_eq!(shape(3).encode(&near), [7, 2, 7, 2, 9, 0]);
        assert_eq!(shape(3).decode(&[2, 7, 2, 9]), Some(vec![7, 0, 9]));
        assert_eq!(shape(3).decode(&[5, 1]), None);
    }
}
