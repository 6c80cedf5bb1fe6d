//! The ports that nodes and their parts have in common, by what they are for.

use super::{Received, Sent, COUNT_BITS, DIM_BITS, PHASE_BITS, SLOT_BITS};
use hdl::lower::{word, Bundle};
use rust_hdl::prelude::*;

/// The ends of a node's wires.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct WireEnds<const LINKS: usize> {
    /// The levels of the wires, link 0 lowest.
    pub level: Signal<In, Bits<LINKS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<LINKS>>,
    /// The wires that the node holds, pulled or not.
    pub holds: Signal<Out, Bits<LINKS>>,
}

/// Why a message is handed to the host.
#[word]
pub enum Reason {
    /// It is at home.
    Delivered,
    /// Its link is down and it was never sent there, or always refused.
    Undelivered,
    /// Its link went down and it may have arrived all the same.
    Unknown,
}

/// A message that the host has for the node.
#[derive(Bundle, Default)]
pub struct FromHost {
    /// The host has a message.
    pub valid: Signal<In, Bit>,
    /// Its byte `host_index`.
    pub data: Signal<In, Bits<8>>,
    /// The byte wanted: the length first, then the payload.
    pub index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the message was taken.
    pub taken: Signal<Out, Bit>,
}

/// A message that the node has for the host.
#[derive(Bundle, Default)]
pub struct ToHost {
    /// A byte for the host: the length first, then the payload.
    pub valid: Signal<Out, Bit>,
    /// The byte.
    pub data: Signal<Out, Bits<8>>,
    /// It is the last one of the message.
    pub last: Signal<Out, Bit>,
    /// Why the message comes.
    pub reason: Signal<Out, Reason>,
}

/// What became of the frames of a phase.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct FrameOutcome {
    /// What became of the frame sent; until the next phase.
    pub sent: Signal<Out, Sent>,
    /// The register or place that the frame sent came from.
    pub sent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame received; until the next phase.
    pub received: Signal<Out, Received>,
    /// The node was not ready when the frame window opened; until the next phase.
    pub late: Signal<Out, Bit>,
}

/// What a node has outside beside the schedule, whatever decides in it.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct ScheduledEnds<const LINKS: usize, const BITS: usize> {
    /// The address of the node.
    pub address: Signal<In, Bits<BITS>>,
    pub wires: WireEnds<LINKS>,
    /// Nothing is decided any more: a core, or what stands in its place, hangs.
    pub hang: Signal<In, Bit>,
    pub host: FromHost,
    pub out: ToHost,
    /// The register or place that a message for the host was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub outcome: FrameOutcome,
}

/// What a node has outside, the schedule included. Its phases have numbers of `PHASE` bits.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct NodeEnds<const LINKS: usize, const BITS: usize, const PHASE: usize = PHASE_BITS> {
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in the first phase of a superframe or a programmed order.
    pub sync: Signal<In, Bit>,
    pub scheduled: ScheduledEnds<LINKS, BITS>,
    /// The phase under way, as far as the node knows.
    pub phase: Signal<Out, Bits<PHASE>>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Times it fell out of step.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
}

/// A block's end of the message memory, which holds bytes.
#[derive(Bundle, Default)]
#[bundle(flipped = MemorySide)]
pub struct MemoryEnd<const ADDRESS_BITS: usize> {
    pub read_address: Signal<Out, Bits<ADDRESS_BITS>>,
    /// The byte at `read_address`, one clock cycle later.
    pub read_data: Signal<In, Bits<8>>,
    pub write_address: Signal<Out, Bits<ADDRESS_BITS>>,
    pub write_data: Signal<Out, Bits<8>>,
    pub write_enable: Signal<Out, Bit>,
}

/// What a node hears of a frame, or of the answer to it.
#[derive(Bundle, Default)]
#[bundle(flipped = HeardFrom)]
pub struct Heard {
    /// High for one clock cycle: a byte of a frame.
    pub byte: Signal<Out, Bit>,
    /// High for one clock cycle: without answers, the length of a frame, for a register
    /// that is full.
    pub spoil: Signal<Out, Bit>,
    /// High for one clock cycle: a good frame, whole.
    pub frame: Signal<Out, Bit>,
    /// It is one that the node has.
    pub repeat: Signal<Out, Bit>,
    /// High for one clock cycle: an answer, whole.
    pub answer: Signal<Out, Bit>,
    /// The answer is a refusal. Of a frame: the register is full.
    pub refusal: Signal<Out, Bit>,
}

/// What a node shows its software, by way of a [`NodeService`](super::NodeService).
#[derive(Bundle, Default)]
#[bundle(flat, flipped = NodeSeen)]
pub struct NodeShown<const LINKS: usize, const REGISTERS: usize> {
    /// The phase under way, as far as the node knows.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Its link.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<Out, Bits<LINKS>>,
    /// The node sends in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The link of the phase must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link of the phase is down.
    pub down: Signal<Out, Bit>,
    /// Links that are down.
    pub all_down: Signal<Out, Bits<LINKS>>,
    /// What became of the frame sent, until the next phase: nothing, silent, refused, taken.
    pub outcome: Signal<Out, Bits<2>>,
    /// The message memory is the core's, else the frame engine's.
    pub open: Signal<Out, Bit>,
    /// There is something for the software to do.
    pub wake: Signal<Out, Bit>,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// Receive registers, or places of a pool, that are full.
    pub full: Signal<Out, Bits<REGISTERS>>,
    /// The injection register is full.
    pub injected: Signal<Out, Bit>,
    /// Places of a pool whose message a link must repeat.
    pub held: Signal<Out, Bits<REGISTERS>>,
    /// Less than three places of a pool are free.
    pub crowded: Signal<Out, Bit>,
}

/// The register that the software of a node has selected, and what it reads of it.
#[derive(Bundle, Default)]
#[bundle(flat, flipped = RegisterSeen)]
pub struct RegisterShown<const OFFSET_BITS: usize> {
    /// The register that the software has selected.
    pub selected: Signal<Out, Bits<SLOT_BITS>>,
    /// The byte of that register that is next, a multiple of four.
    pub at: Signal<Out, Bits<OFFSET_BITS>>,
    /// The byte of the message memory at `message_address`, one clock cycle later, while it is
    /// open.
    pub message_byte: Signal<Out, Bits<8>>,
}

/// What the software of a node tells it, by way of a [`NodeService`](super::NodeService).
#[derive(Bundle, Default)]
#[bundle(flat, flipped = CommandSource)]
pub struct Commands<const ADDRESS_BITS: usize> {
    /// Command, high for one clock cycle, as all of them: the phase is decided, to
    /// send what `register` holds if `sends`.
    pub decide: Signal<In, Bit>,
    pub sends: Signal<In, Bit>,
    /// With `decide`: the message memory is to be open again from the answer slot on.
    pub reopens: Signal<In, Bit>,
    pub register: Signal<In, Bits<SLOT_BITS>>,
    /// Command: `register` is selected, its word `position` is next.
    pub choose: Signal<In, Bit>,
    pub position: Signal<In, Bits<COUNT_BITS>>,
    /// Command: the next word.
    pub advance: Signal<In, Bit>,
    /// Command: the message that the link had to repeat is given up.
    pub forget: Signal<In, Bit>,
    /// Command: the injection register is full now, in a pool the place `changed`.
    pub fill: Signal<In, Bit>,
    /// Command: the register `changed` is free now.
    pub free: Signal<In, Bit>,
    pub changed: Signal<In, Bits<SLOT_BITS>>,
    /// The byte of the message memory that is read and written while it is open.
    pub message_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub message_data: Signal<In, Bits<8>>,
    pub message_write: Signal<In, Bit>,
}
