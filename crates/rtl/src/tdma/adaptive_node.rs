//! The node of a TDMA cube whose messages may cross their dimensions in any order.

use super::buffer_layout::check_memory;
use super::{
    AdaptiveForwarder, EnginePlan, FramePort, MessageMemory, NodeEnds, PhaseSequencer, SendResult,
    SlotPool, SLOT_BITS,
};
use hdl::prelude::*;

/// An adaptive routing node without a core. Like a [`CubeNode`](super::CubeNode), but its messages
/// are in a pool of slots. A message may leave in any dimension in which its destination still
/// differs from the node.
///
/// The message memory has `2^ADDRESS_BITS` bytes, `2^OFFSET_BITS` per slot. The state of a link is
/// in the last word of the slot with its number. There may be more links than slots.
#[derive(LogicBlock, Circuit, Default)]
pub struct AdaptiveNode<
    const DIMS: usize,
    const PLACES: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    pub ends: NodeEnds<DIMS, DIMS>,
    sequencer: PhaseSequencer<DIMS>,
    frames: FramePort<DIMS, DIMS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    forwarder: AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>,
    messages: MessageMemory<ADDRESS_BITS>,
    pool: SlotPool<PLACES>,
}

/// Number of slots of a node of a cube with `dims` dimensions: one more than the links, within four
/// to nine.
///
/// With fewer than four slots two messages of a node may be sent back and forth forever. More than
/// nine have hardly any effect (docs/adaptive.md).
pub const fn pool_slots(dims: usize) -> usize {
    if dims < 3 {
        4
    } else if dims < 8 {
        dims + 1
    } else {
        9
    }
}

impl<
        const DIMS: usize,
        const PLACES: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > AdaptiveNode<DIMS, PLACES, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// If links have no answers, if a message does not fit a slot, or if the slots and the link
    /// states do not fit the memory.
    pub fn new(plan: EnginePlan) -> Self {
        check_memory(PLACES.max(DIMS), OFFSET_BITS, ADDRESS_BITS);
        AdaptiveNode {
            frames: FramePort::new(plan.pooled()),
            forwarder: AdaptiveForwarder::new(PLACES),
            messages: MessageMemory::new(),
            ..Default::default()
        }
    }
}

impl<
        const DIMS: usize,
        const PLACES: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for AdaptiveNode<DIMS, PLACES, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, frames, forwarder, messages, pool);
        let hang = self.ends.scheduled.hang.val();
        let begin = self.sequencer.begin.val();
        let transmit = self.sequencer.transmit.val();
        let dim = self.sequencer.dim.val();
        let slot = self.forwarder.slot.val();
        link!(self.ends, sequencer, phase_clock, sync);
        self.sequencer.sides.next = self.ends.scheduled.address.val();
        link!(self.ends, sequencer, phase, muted, slips);

        self.frames.begin.next = begin;
        self.frames.dim.next = dim;
        self.frames.transmit.next = transmit;
        self.frames.reset.next = false;
        self.frames.stamp.next = 0.into();
        self.frames.mute.next = self.sequencer.muted.val();
        link!(self.ends.scheduled, frames, address, wires);
        self.frames.ready.next = !self.forwarder.busy.val() & !hang;
        self.frames.send.next = self.forwarder.chosen.val() & !hang;
        self.frames.slot.next = slot;
        join!(self, forwarder, frames, forget);
        // A sender needs the state of its link, a receiver the chosen slot.
        self.frames.own.next = if transmit {
            dim.resized::<SLOT_BITS>()
        } else {
            slot
        };
        self.frames.own_full.next = !self.forwarder.chosen.val();
        link!(self.ends.scheduled, frames, outcome);

        self.forwarder.begin.next = begin & !hang;
        self.forwarder.transmit.next = transmit;
        self.forwarder.dim.next = dim;
        link!(self.ends.scheduled, forwarder, address, host, out);
        join!(self, pool, forwarder, crowded, occupied, held);
        join!(self, frames, forwarder, select, pending, down, all_down);
        self.ends.scheduled.out_slot.next = slot;

        join!(self, forwarder, messages, busy => routes, memory => router);
        join!(self, frames, messages, memory => frames);

        self.pool.reset.next = false;
        self.pool.store.next = self.frames.store.val() | self.forwarder.inject.val();
        self.pool.at.next = slot;
        self.pool.free.next = self.frames.free.val() | self.forwarder.release.val();
        // At `begin` the outcome still belongs to the previous phase, but the link does not.
        self.pool.sent.next = (self.frames.outcome.sent.val() != SendResult::Nothing)
            & !begin
            & !self.sequencer.muted.val();
        join!(self, frames, pool, pending);
    }
}
