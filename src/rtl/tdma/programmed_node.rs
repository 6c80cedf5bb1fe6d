//! The node of a TDMA machine with a programmed order that forwards in hardware.

use super::place::sides;
use super::{
    EnginePlan, ProgrammedSequencer, Reason, Received, ScheduledNode, Sent, COUNT_BITS, DIM_BITS,
    ORDER_PHASE_BITS, SLOT_BITS,
};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A node without a core that follows a programmed order: as a [`Node`](super::Node), but its
/// sequencer has a memory for an order of up to `2^PAIR_BITS` pairs of phases.
#[derive(LogicBlock, Circuit, Default)]
pub struct ProgrammedNode<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
    const PAIR_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in the first phase of the order.
    pub sync: Signal<In, Bit>,
    /// Sets the link
    pub write: Signal<In, Bit>,
    /// of this pair
    pub write_pair: Signal<In, Bits<PAIR_BITS>>,
    /// to this,
    pub write_link: Signal<In, Bits<DIM_BITS>>,
    /// and whether the pair is the last one.
    pub write_last: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<BITS>>,
    /// The levels of the wires, link 0 lowest.
    pub level: Signal<In, Bits<LINKS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<LINKS>>,
    /// The wires that the node holds, pulled or not.
    pub holds: Signal<Out, Bits<LINKS>>,
    /// The forwarder stands still: a core that hangs.
    pub hang: Signal<In, Bit>,
    /// The host has a message.
    pub host_valid: Signal<In, Bit>,
    /// Its byte `host_index`.
    pub host_data: Signal<In, Bits<8>>,
    /// The byte wanted: the length first, then the payload.
    pub host_index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the message was taken.
    pub host_taken: Signal<Out, Bit>,
    /// A byte for the host: the length first, then the payload.
    pub out_valid: Signal<Out, Bit>,
    /// The byte.
    pub out_data: Signal<Out, Bits<8>>,
    /// It is the last one of the message.
    pub out_last: Signal<Out, Bit>,
    /// Why the message comes.
    pub out_reason: Signal<Out, Reason>,
    /// The register that it was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame sent; until the next phase.
    pub sent: Signal<Out, Sent>,
    /// The register that it came from.
    pub sent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame received; until the next phase.
    pub received: Signal<Out, Received>,
    /// The node was not ready when the frame window opened; until the next phase.
    pub late: Signal<Out, Bit>,
    /// The phase under way, counted in the order, as far as the node knows.
    pub phase: Signal<Out, Bits<ORDER_PHASE_BITS>>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Times it fell out of step.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    sequencer: ProgrammedSequencer<LINKS, PAIR_BITS>,
    node: ScheduledNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
        const PAIR_BITS: usize,
    > ProgrammedNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS, PAIR_BITS>
{
    /// # Panics
    /// As [`ScheduledNode::new`].
    pub fn new(plan: EnginePlan) -> Self {
        ProgrammedNode {
            node: ScheduledNode::new(plan),
            ..Default::default()
        }
    }

    /// As [`ScheduledNode::with_counts`].
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.node = self.node.with_counts(counts);
        self
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
        const PAIR_BITS: usize,
    > Logic
    for ProgrammedNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS, PAIR_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, node);
        link!(self, sequencer, phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.address.val());
        link!(self, sequencer, write, write_pair, write_link, write_last);
        let pair = bit_cast::<ORDER_PHASE_BITS, PAIR_BITS>(self.sequencer.pair.val());
        self.phase.next = (pair << 1).replace_bit(0, self.sequencer.second.val());
        link!(self, sequencer, muted, slips);

        join!(self, sequencer, node, begin);
        self.node.dim.next = self.sequencer.link.val();
        join!(self, sequencer, node, transmit);
        self.node.mute.next = self.sequencer.muted.val();

        link!(self, node, address, level, pull, holds, hang, host_valid);
        link!(self, node, host_data, host_index, host_taken, out_valid);
        link!(self, node, out_data, out_last, out_reason, out_slot, sent);
        link!(self, node, sent_slot, received, late);
    }
}
