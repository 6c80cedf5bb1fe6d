//! What the driver of a byte network has to know of the machine that it drives.

use crate::routing::Channel;
use crate::topology::Topology;
use crate::traffic::Message;

/// What a machine of byte channels is built for.
///
/// A node of it has the ports `send_data`, `send_request`, `send_acknowledge` from its
/// processor and `receive_data`, `receive_request`, `receive_acknowledge` to it. Its queues
/// are numbered: first those on channels between nodes, the one to the processor last.
pub trait ByteShape {
    fn topology(&self) -> &dyn Topology;

    /// The words of the packet of a message, in order, each as wide as data wires are.
    fn encode(&self, message: &Message<&[u8]>) -> Vec<u16>;

    /// A word ends a packet that has come to its destination.
    fn is_tail(&self, word: u16) -> bool;

    /// The payload of a packet from the words that its destination got before the tail;
    /// `None` if no payload is encoded so.
    fn decode(&self, words: &[u16]) -> Option<Vec<u8>>;

    /// The queues of a packet, from its source to its destination.
    fn way(&self, message: &Message<&[u8]>) -> Vec<Stage>;

    /// The queues of a node that are on channels between nodes.
    fn channel_queues(&self) -> usize;

    /// The number of the queue to the processor.
    fn processor_queue(&self) -> usize;

    /// The outputs that have the requests of queues, but of those to processors.
    fn requests(&self) -> Vec<WatchedPort>;

    /// The outputs that have the acknowledges that the bytes of those queues get.
    fn acknowledges(&self) -> Vec<WatchedPort>;

    /// Inputs of nodes that never change.
    fn pins(&self) -> Vec<Pin> {
        vec![]
    }

    /// A node has failed: nothing is sent from it or to it.
    fn has_failed(&self, node: u32) -> bool {
        let _ = node;
        false
    }

    /// Whether nodes take packets for what they are, so that they can be followed.
    fn can_follow(&self) -> bool {
        true
    }
}

/// An output of every node with a bit for one queue, or for some with numbers in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedPort {
    pub name: String,
    /// The number of the queue of its lowest bit.
    pub queue: usize,
    /// The queues are those of the node from which this port of the topology gets its
    /// channel; `None`: of the same node.
    pub from: Option<u32>,
}

/// An input that never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    pub name: String,
    /// By node.
    pub values: Vec<u64>,
}

/// A queue on the way of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    pub node: usize,
    pub queue: usize,
    /// The virtual channel behind it; `None`: the processor, or another chip of the node.
    pub channel: Option<Channel>,
    /// Bytes of the packet that pass it.
    pub bytes: usize,
    /// Bytes that are stripped before it.
    pub strips: usize,
    /// Bytes that are kept before it until the packet has its turn, and are taken by then.
    pub kept: usize,
}
