//! Groups of ports that nodes and their parts share.

use super::{ReceiveResult, SendResult, COUNT_BITS, DIM_BITS, PHASE_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Ends of a node's wires.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct WireEnds<const LINKS: usize> {
    /// Levels of the wires, link 0 lowest.
    pub level: Signal<In, Bits<LINKS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<LINKS>>,
    /// Wires that the node holds, pulled or not.
    pub holds: Signal<Out, Bits<LINKS>>,
}

/// Reason why a message is delivered to the host.
#[word]
pub enum DeliveryReason {
    /// The message has reached its destination.
    Delivered,
    /// The link is down, and the message was never sent there, or always got a NAK.
    Undelivered,
    /// The link went down, and the message may have arrived nevertheless.
    Unknown,
}

impl DeliveryReason {
    /// Returns the reason with this number on the wires.
    pub fn of_number(number: u64) -> Option<Self> {
        hdl::lower::Word::of_bits(&number.into())
    }
}

/// Transfer of a message from the host to the node.
#[derive(Bundle, Default)]
pub struct FromHost {
    /// The host has a message.
    pub valid: Signal<In, Bit>,
    /// Byte `index` of the message.
    pub data: Signal<In, Bits<8>>,
    /// Index of the requested byte: the length first, then the payload.
    pub index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the message was taken.
    pub taken: Signal<Out, Bit>,
}

/// Transfer of a message from the node to the host.
#[derive(Bundle, Default)]
pub struct ToHost {
    /// `data` is a byte for the host: the length first, then the payload.
    pub valid: Signal<Out, Bit>,
    /// Byte for the host.
    pub data: Signal<Out, Bits<8>>,
    /// The byte is the last one of the message.
    pub last: Signal<Out, Bit>,
    /// Reason why the message is delivered.
    pub reason: Signal<Out, DeliveryReason>,
}

/// Outcome of the frames of a phase.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct FrameOutcome {
    /// Outcome of the frame sent; valid until the next phase.
    pub sent: Signal<Out, SendResult>,
    /// Buffer or slot that the frame was sent from.
    pub sent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Outcome of the frame received; valid until the next phase.
    pub received: Signal<Out, ReceiveResult>,
    /// The node missed the deadline: it was not ready when the frame window opened. Valid until the
    /// next phase.
    pub missed_deadline: Signal<Out, Bit>,
}

/// Ports of every kind of node, except the ports of the schedule.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct ScheduledEnds<const LINKS: usize, const BITS: usize> {
    /// Address of the node.
    pub address: Signal<In, Bits<BITS>>,
    pub wires: WireEnds<LINKS>,
    /// Hang: the core, or the circuit in its place, stops making decisions.
    pub hang: Signal<In, Bit>,
    pub host: FromHost,
    pub out: ToHost,
    /// Buffer or slot of the message for the host.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub outcome: FrameOutcome,
}

/// Ports of a node, including the ports of the schedule. Phase numbers have `PHASE` bits.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct NodeEnds<const LINKS: usize, const BITS: usize, const PHASE: usize = PHASE_BITS> {
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in the first phase of a superframe or a programmed order.
    pub sync: Signal<In, Bit>,
    pub scheduled: ScheduledEnds<LINKS, BITS>,
    /// Current phase, according to the node.
    pub phase: Signal<Out, Bits<PHASE>>,
    /// The node has lost sync with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Number of times the node lost sync.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
}

/// Port of a block to the message memory, which holds bytes.
#[derive(Bundle, Default)]
#[bundle(flipped = MemorySide)]
pub struct MemoryEnd<const ADDRESS_BITS: usize> {
    pub read_address: Signal<Out, Bits<ADDRESS_BITS>>,
    /// Byte at `read_address`, one clock cycle later.
    pub read_data: Signal<In, Bits<8>>,
    pub write_address: Signal<Out, Bits<ADDRESS_BITS>>,
    pub write_data: Signal<Out, Bits<8>>,
    pub write_enable: Signal<Out, Bit>,
}

/// Events of a received frame or answer.
#[derive(Bundle, Default)]
#[bundle(flipped = FrameEventsIn)]
pub struct FrameEvents {
    /// High for one clock cycle: a byte of a frame.
    pub byte: Signal<Out, Bit>,
    /// High for one clock cycle: without answers, the length of a frame for a full buffer.
    pub spoil: Signal<Out, Bit>,
    /// High for one clock cycle: a complete, valid frame.
    pub frame: Signal<Out, Bit>,
    /// The node already has the frame.
    pub repeat: Signal<Out, Bit>,
    /// High for one clock cycle: a complete answer.
    pub answer: Signal<Out, Bit>,
    /// The answer is a NAK. For a frame: the buffer is full.
    pub nak: Signal<Out, Bit>,
}

/// State of a node, for its software; read through a [`NodeService`](super::NodeService).
#[derive(Bundle, Default)]
#[bundle(flat, flipped = NodeSeen)]
pub struct NodeStatus<const LINKS: usize, const BUFFERS: usize> {
    /// Current phase, according to the node.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Link of the phase.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// Link of the phase, one-hot.
    pub select: Signal<Out, Bits<LINKS>>,
    /// The node transmits in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The link of the phase must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link of the phase is down.
    pub down: Signal<Out, Bit>,
    /// Links that are down.
    pub all_down: Signal<Out, Bits<LINKS>>,
    /// Outcome of the frame sent: none, timeout, NAK or taken. Valid until the next phase.
    pub outcome: Signal<Out, Bits<2>>,
    /// The message memory belongs to the core, otherwise to the frame engine.
    pub open: Signal<Out, Bit>,
    /// The software has work to do.
    pub wake: Signal<Out, Bit>,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// Receive buffers, or slots of a pool, that are full.
    pub full: Signal<Out, Bits<BUFFERS>>,
    /// The injection buffer is full.
    pub injected: Signal<Out, Bit>,
    /// Slots of a pool whose message a link must repeat.
    pub held: Signal<Out, Bits<BUFFERS>>,
    /// Fewer than three slots of a pool are free.
    pub crowded: Signal<Out, Bit>,
}

/// Buffer that the software of a node has selected, and the data read from it.
#[derive(Bundle, Default)]
#[bundle(flat, flipped = SelectedBufferIn)]
pub struct SelectedBuffer<const OFFSET_BITS: usize> {
    /// Buffer that the software has selected.
    pub selected: Signal<Out, Bits<SLOT_BITS>>,
    /// Byte address of the next word in that buffer, a multiple of four.
    pub at: Signal<Out, Bits<OFFSET_BITS>>,
    /// Byte of the message memory at `message_address`, one clock cycle later, while the memory is
    /// open.
    pub message_byte: Signal<Out, Bits<8>>,
}

/// Commands from the software to the node, through a [`NodeService`](super::NodeService).
#[derive(Bundle, Default)]
#[bundle(flat, flipped = CommandSource)]
pub struct Commands<const ADDRESS_BITS: usize> {
    /// Command: the phase is decided. The node sends the content of `buffer` if `sends`. Every
    /// command is high for one clock cycle.
    pub decide: Signal<In, Bit>,
    pub sends: Signal<In, Bit>,
    /// With `decide`: open the message memory again from the answer slot on.
    pub reopens: Signal<In, Bit>,
    pub buffer: Signal<In, Bits<SLOT_BITS>>,
    /// Command: select `buffer`, with its word `position` next.
    pub choose: Signal<In, Bit>,
    pub position: Signal<In, Bits<COUNT_BITS>>,
    /// Command: advance to the next word.
    pub advance: Signal<In, Bit>,
    /// Command: the message that the link had to repeat is dropped.
    pub forget: Signal<In, Bit>,
    /// Command: the injection buffer is now full; in a pool, slot `changed`.
    pub fill: Signal<In, Bit>,
    /// Command: buffer `changed` is now free.
    pub free: Signal<In, Bit>,
    pub changed: Signal<In, Bits<SLOT_BITS>>,
    /// Byte of the message memory that is read and written while the memory is open.
    pub message_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub message_data: Signal<In, Bits<8>>,
    pub message_write: Signal<In, Bit>,
}
