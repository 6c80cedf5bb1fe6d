//! The node of a TDMA machine with a programmed order that forwards in hardware.

use super::address_links::sides;
use super::{
    EnginePlan, NodeEnds, OrderWrite, ProgrammedSequencer, ScheduledNode, ORDER_PHASE_BITS,
};
use hdl::prelude::*;

/// A node without a core that follows a programmed order. Like a [`Node`](super::Node), but its
/// sequencer has a memory for an order of up to `2^PAIR_BITS` pairs of phases, and phases are
/// numbered within this order.
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
    pub order_write: OrderWrite<PAIR_BITS>,
    pub ends: NodeEnds<LINKS, BITS, ORDER_PHASE_BITS>,
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
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// Under the conditions of [`ScheduledNode::new`].
    pub fn new(plan: EnginePlan) -> Self {
        ProgrammedNode {
            node: ScheduledNode::new(plan),
            ..Default::default()
        }
    }

    /// Sets the number of counts; see [`ScheduledNode::with_counts`].
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
        link!(self.ends, sequencer, phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.ends.scheduled.address.val());
        link!(self, sequencer, order_write);
        let pair = self.sequencer.pair.val().resized::<ORDER_PHASE_BITS>();
        self.ends.phase.next = (pair << 1).replace_bit(0, self.sequencer.second.val());
        link!(self.ends, sequencer, muted, slips);

        join!(self, sequencer, node, begin);
        self.node.dim.next = self.sequencer.link.val();
        join!(self, sequencer, node, transmit);
        self.node.mute.next = self.sequencer.muted.val();

        link!(self.ends, node, scheduled => ends);
    }
}
