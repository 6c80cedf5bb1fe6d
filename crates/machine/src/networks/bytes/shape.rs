//! Properties of a machine that the byte-network driver needs.

use interconnect::routing::Channel;
use interconnect::topology::Topology;
use interconnect::traffic::Message;

/// Parameters of a byte-channel machine.
///
/// A node has the ports `send_data`, `send_request`, `send_acknowledge` from its processor and
/// `receive_data`, `receive_request`, `receive_acknowledge` to its processor. Queues are numbered:
/// first those on channels between nodes, and last the one to the processor.
pub trait ByteShape {
    fn topology(&self) -> &dyn Topology;

    /// Returns the words of the packet of a message, in order. A word is as wide as the data wires.
    fn encode(&self, message: &Message<&[u8]>) -> Vec<u16>;

    /// True if a word ends a packet that has reached its destination.
    fn is_tail(&self, word: u16) -> bool;

    /// Decodes the payload of a packet from the words that its destination received before the
    /// tail. Returns `None` if the words encode no payload.
    fn decode(&self, words: &[u16]) -> Option<Vec<u8>>;

    /// Returns the queues that a packet passes, from its source to its destination.
    fn route(&self, message: &Message<&[u8]>) -> Vec<RouteStage>;

    /// Returns the number of queues of a node on channels between nodes.
    fn channel_queues(&self) -> usize;

    /// Returns the number of the queue to the processor.
    fn processor_queue(&self) -> usize;

    /// Returns the outputs that carry the requests of queues, except of those to processors.
    fn requests(&self) -> Vec<WatchedPort>;

    /// Returns the outputs that carry the acknowledges for the bytes of those queues.
    fn acknowledges(&self) -> Vec<WatchedPort>;

    /// Returns the inputs of nodes that never change.
    fn constant_inputs(&self) -> Vec<ConstantInput> {
        vec![]
    }

    /// True if a node has failed. No message is sent from or to a failed node.
    fn has_failed(&self, node: u32) -> bool {
        let _ = node;
        false
    }

    /// True if nodes interpret packets correctly, so that the driver can track them.
    fn can_track(&self) -> bool {
        true
    }
}

/// Output of every node with one bit for a queue, or for several queues with consecutive numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedPort {
    pub name: String,
    /// Number of the queue at the lowest bit.
    pub queue: usize,
    /// Port of the topology at which a channel arrives. The queues belong to the node at the
    /// sending end of this channel. `None` if they belong to the node of the output.
    pub from: Option<u32>,
}

/// Input that never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantInput {
    pub name: String,
    /// Values, indexed by node.
    pub values: Vec<u64>,
}

/// Queue on the route of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteStage {
    pub node: usize,
    pub queue: usize,
    /// Virtual channel behind the queue. `None` if the processor or another chip of the node
    /// follows.
    pub channel: Option<Channel>,
    /// Bytes of the packet that pass the queue.
    pub bytes: usize,
    /// Bytes that are stripped before the queue.
    pub stripped_bytes: usize,
    /// Bytes that are held before the queue until the packet is served. They have been taken by
    /// then.
    pub held_bytes: usize,
}
