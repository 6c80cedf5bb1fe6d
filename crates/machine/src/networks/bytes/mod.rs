//! Driver of the byte-channel networks, torus and minimal rotation. The driver simulates their
//! processors and tracks their packets by the wires.
//!
//! * `driver`: the driver ([`ByteDriver`]), and the fate of each message;
//! * `pins`: ports between nodes and processors, and the processors with their packets;
//! * `packet_tracker`: contents of the queues. If nothing moves, [`StallReport`] lists the waiting
//!   packets and the packets that block them.
//!
//! This file has the common parts of both networks: properties of a machine that the driver needs
//! ([`ByteShape`]), flags ([`ByteFlags`]), payloads without zeros ([`encode`], [`decode`]), time
//! base ([`timebase`]) and cost ([`silicon`]).

mod driver;
mod packet_tracker;
mod pins;

use crate::flags::within;
use crate::{Silicon, SynthesisUnit, Timebase, WholeNode, SYNTHESISED_DIMS};
use clap::Args;
pub use driver::ByteDriver;
use engine::WordStream;
use hdl::lower::LowerErrors;
use interconnect::routing::Channel;
use interconnect::topology::Topology;
use interconnect::traffic::Message;
use lockstep::design::Design;
pub use packet_tracker::{StallReport, WaitingPacket};

// Properties of a machine that the byte-network driver needs.

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

    /// Returns the output port whose channel is behind a queue. `None` if the processor or another
    /// chip of the node follows.
    fn channel_port(&self, queue: usize) -> Option<u32>;

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

// Flags that the byte-channel networks share.

/// Maximum bytes that a queue holds.
pub const MAX_QUEUE: usize = 64;

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network torus or rotation")]
pub struct ByteFlags {
    /// Virtual channels of a channel, 1 or 2. With 1, packets can deadlock [default: 2]
    #[arg(long, value_name = "V", value_parser = within::<usize>(1, 2))]
    pub vcs: Option<usize>,

    /// Size of a queue, 1 to 64 bytes [default: 4]
    #[arg(long, value_name = "Q", value_parser = within::<usize>(1, MAX_QUEUE as u64))]
    pub queue: Option<usize>,
}

// Encodes a payload as data bytes without zeros, because a zero marks the tail. The encoding is
// COBS (Cheshire and Baker 1999), which adds one byte for up to 254 bytes.

/// Encodes a payload as data bytes.
pub fn encode(payload: &[u8]) -> Vec<u8> {
    cobs::encode_vec(payload)
}

/// Decodes data bytes into a payload. Returns `None` if the bytes are not a valid encoding.
pub fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let payload = cobs::decode_vec(bytes).ok()?;
    // The decoder accepts some sequences that no encoder produces. Those are damaged, too.
    (encode(&payload) == bytes).then_some(payload)
}

// Time base and cost of a byte-channel machine, for runs and comparisons.

/// Stream of the bytes that a processor receives, for the measurement of engines.
pub fn received_bytes() -> WordStream {
    WordStream {
        valid: "receive_request".into(),
        toggles: true,
        data: "receive_data".into(),
        last: None,
    }
}

/// Returns the time base for packets of up to `packet` bytes. Its period is the time in which a
/// channel carries one longest packet, at one byte per clock cycle.
pub fn timebase(packet: usize) -> Timebase {
    Timebase {
        clocks_per_bit: 1,
        step: 1,
        period: packet as u64,
        period_name: "packet time",
        step_name: "clock cycle",
        steps_name: "clock cycles",
        arrival: 1,
    }
}

/// Returns the cost of a node: its circuit with the given `name`, and its processors. The machine
/// has no circuit that all nodes share. Returns `None` for sizes that are not synthesised.
///
/// # Errors
/// A released circuit causes no error, because the tests lower it.
pub fn silicon(
    topology: &dyn Topology,
    name: &str,
    node: impl FnOnce() -> Result<Design, LowerErrors>,
    processors: usize,
) -> Result<Option<Silicon>, LowerErrors> {
    if !SYNTHESISED_DIMS.map(|dims| 1 << dims).contains(&topology.nodes()) {
        return Ok(None);
    }
    Ok(Some(Silicon {
        router: SynthesisUnit { name: name.into(), design: node()? },
        node: WholeNode::cores(processors)?,
        shared: None,
    }))
}
